/** Erases a person. An erasure that was requested is finished after any crash; amounts do not change. */
import { Customer, type StreamName, type Subject, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import type { Identities } from '../identities/index.ts';
import { deterministicUuid } from '../ids.ts';
import type { CustomerKeys } from '../personal-keys/customer-keys.ts';
import { refused } from '../refusal.ts';
import { KeyedMutex } from '../runtime/keyed-mutex.ts';

/** Ends all subscriptions of a customer. Idempotent. */
export interface SubscriptionEnding {
  unsubscribeAllOf(customer: Subject, reason: 'erasure', caller: Caller): Promise<unknown>;
}

/** By the emails that they had; each of one tenant and environment. */
export interface ErasedPerson {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly emails: readonly string[];
}

export interface ErasureServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly subscriptions: SubscriptionEnding;
  readonly keys: CustomerKeys;
  /** Clears the cache of folded streams, which may hold personal data. */
  readonly clearStates: () => void;
  /** Deletes what slices keep about the person beside the log, found by their emails. */
  readonly eraseElsewhere: (person: ErasedPerson) => Promise<void>;
  /** Deletes the stored answers about the person. */
  readonly deleteAnswers: (customer: Subject) => Promise<void>;
  /** Overwrites the deleted data in the files; retries in the background. */
  readonly scrub: () => Promise<void>;
  /** Has the read models take in what is recorded without a pause: until then they have the person. */
  readonly hurry: () => void;
}

export class Erasure {
  readonly #services: ErasureServices;
  /** Avoids duplicate work by a caller and the follower of the log. */
  readonly #mutex = new KeyedMutex();

  constructor(services: ErasureServices) {
    this.#services = services;
  }

  /**
   * Returns the erased customer when the personal data is unreadable. Refuses with `CustomerUnknown`.
   * A failure after the first step is retried by the follower of the log.
   */
  async erase(customer: Subject, caller: Caller): Promise<Customer.Customer> {
    const { commands } = this.#services;
    if ((await this.#find(customer)) === null) throw refused({ type: 'CustomerUnknown' });
    const at = commands.clock.now();
    const request = { type: 'RequestErasure', ...customer, at } as const;
    await commands.execute(Customer, request, erasureStep(customer, 'request'), caller);
    return this.finish(customer, caller);
  }

  /** Finishes a requested erasure. */
  async finish(customer: Subject, caller: Caller): Promise<Customer.Customer> {
    return this.#mutex.runExclusive(streamOf(customer), async () => {
      const present = await this.#find(customer);
      if (present === null) throw refused({ type: 'CustomerUnknown' });
      if (present.erasedAt !== null) {
        await this.destroyKey(customer);
        return present;
      }
      return this.#finish(customer, present, caller);
    });
  }

  /**
   * Destroys the key, if there is one. A restored backup of the keys may hold keys of persons that are
   * erased in the log.
   */
  async destroyKey(customer: Subject): Promise<void> {
    const { keys, scrub } = this.#services;
    if ((await keys.stateOf(customer)) !== 'erased') {
      await keys.destroy(customer);
      await scrub();
    }
    this.evict(customer);
  }

  /**
   * Removes an erased person from the caches of this process. Each host that shares the log calls it,
   * whichever host erased the person.
   */
  evict(customer: Subject): void {
    const { keys, clearStates } = this.#services;
    keys.forget(customer);
    clearStates();
  }

  /** Destroys the key last: the emails to release cannot be read without it. */
  async #finish(
    customer: Subject,
    { emails }: Customer.Customer,
    caller: Caller,
  ): Promise<Customer.Customer> {
    const { commands, identities, subscriptions, deleteAnswers, scrub } = this.#services;
    const { tenantId, sandbox, customerId } = customer;
    const known = emails.filter((email) => email !== '');
    await this.#services.eraseElsewhere({ tenantId, sandbox, emails: known });
    await subscriptions.unsubscribeAllOf(customer, 'erasure', caller);
    for (const email of emails) {
      // The key was destroyed before an interruption: the emails are unreadable.
      if (email === '') continue;
      await identities.release({ tenantId, sandbox, email }, { customerId }, caller);
    }
    await this.destroyKey(customer);
    await deleteAnswers(customer);
    await scrub();
    const record = { type: 'RecordErasure', ...customer, at: commands.clock.now() } as const;
    const { state } = await commands.execute(
      Customer,
      record,
      erasureStep(customer, 'record'),
      caller,
    );
    this.#services.hurry();
    // Concurrent commands may have cached states that they had loaded before.
    await this.destroyKey(customer);
    if (state === null) throw new Error('an erasure left no state');
    return state;
  }

  async #find(customer: Subject): Promise<Customer.State> {
    return this.#services.commands.stateOf(Customer, streamOf(customer));
  }
}

function streamOf(customer: Subject): StreamName {
  return Customer.streamOf(customer);
}

/** A person is erased once, so the command id of each step is constant. */
export function erasureStep(
  { tenantId, sandbox, customerId }: Subject,
  step: 'request' | 'record',
) {
  const who = [String(tenantId), String(sandbox), String(customerId)];
  return { commandId: deterministicUuid(['erasure', ...who, step]), content: step };
}
