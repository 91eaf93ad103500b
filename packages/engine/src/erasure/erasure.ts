/** Erases a person: whatever the order of a crash, what was begun is finished, and no amount moves. */
import { Customer, type StreamName, type Subject } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import type { Identities } from '../identities/index.ts';
import { deterministicUuid } from '../ids.ts';
import type { CustomerKeys } from '../personal-keys/customer-keys.ts';
import { refused } from '../refusal.ts';
import { KeyedMutex } from '../runtime/keyed-mutex.ts';

/** Ends all subscriptions of a customer; they are all ended already when it is asked again. */
export interface SubscriptionEnding {
  unsubscribeAllOf(customer: Subject, reason: 'erasure', caller: Caller): Promise<unknown>;
}

export interface ErasureServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly subscriptions: SubscriptionEnding;
  readonly keys: CustomerKeys;
  /** Forgets the folded streams, which still tell of the person. */
  readonly clearStates: () => void;
  /** Forgets what the tenant was answered about the person. */
  readonly deleteAnswers: (customer: Subject) => Promise<void>;
  /** Takes what was destroyed and forgotten out of the files as well, and goes on with it if need be. */
  readonly scrub: () => Promise<void>;
}

export class Erasure {
  readonly #services: ErasureServices;
  /** A caller and the follower of the log would do everything twice, to the same end. */
  readonly #mutex = new KeyedMutex();

  constructor(services: ErasureServices) {
    this.#services = services;
  }

  /**
   * Answers what is left of the customer, once nothing can read of the person any more; refuses with
   * `not_found`. What fails after the first step is finished by the follower of the log.
   */
  async erase(customer: Subject, caller: Caller): Promise<Customer.Customer> {
    const { commands } = this.#services;
    if ((await this.#find(customer)) === null) throw refused({ type: 'CustomerUnknown' });
    const at = commands.clock.now();
    const request = { type: 'RequestErasure', ...customer, at } as const;
    await commands.execute(Customer, request, erasureStep(customer, 'request'), caller);
    return this.finish(customer, caller);
  }

  /** What is left to do of an erasure that was requested. */
  async finish(customer: Subject, caller: Caller): Promise<Customer.Customer> {
    return this.#mutex.runExclusive(streamOf(customer), async () => {
      const present = await this.#find(customer);
      if (present === null) throw refused({ type: 'CustomerUnknown' });
      if (present.erasedAt !== null) {
        await this.forget(customer);
        return present;
      }
      return this.#finish(customer, present, caller);
    });
  }

  /**
   * Destroys the key, if there is one. An older backup of the keys brings back the person, whom the
   * log knows to be erased.
   */
  async forget(customer: Subject): Promise<void> {
    const { keys, scrub } = this.#services;
    if ((await keys.stateOf(customer)) !== 'erased') {
      await keys.destroy(customer);
      await scrub();
    }
    this.evict(customer);
  }

  /**
   * Lets go of what this process remembers of a person whom the log knows to be erased, perhaps by
   * another host. For each host that shares the log.
   */
  evict(customer: Subject): void {
    const { keys, clearStates } = this.#services;
    keys.forget(customer);
    clearStates();
  }

  /** The key goes last: with it goes the knowledge of what there is to release. */
  async #finish(
    customer: Subject,
    { emails }: Customer.Customer,
    caller: Caller,
  ): Promise<Customer.Customer> {
    const { commands, identities, subscriptions, deleteAnswers, scrub } = this.#services;
    const { tenantId, sandbox, customerId } = customer;
    await subscriptions.unsubscribeAllOf(customer, 'erasure', caller);
    for (const email of emails) {
      // Of an erasure that broke off behind the key, only this is left of them.
      if (email === '') continue;
      await identities.release({ tenantId, sandbox, email }, { customerId }, caller);
    }
    await this.forget(customer);
    await deleteAnswers(customer);
    await scrub();
    const record = { type: 'RecordErasure', ...customer, at: commands.clock.now() } as const;
    const { state } = await commands.execute(
      Customer,
      record,
      erasureStep(customer, 'record'),
      caller,
    );
    // What was under way has put states back that it had loaded before.
    await this.forget(customer);
    if (state === null) throw new Error('an erasure left nobody');
    return state;
  }

  async #find(customer: Subject): Promise<Customer.State> {
    return this.#services.commands.stateOf(Customer, streamOf(customer));
  }
}

function streamOf(customer: Subject): StreamName {
  return Customer.streamOf(customer);
}

/** A person is erased once: every step has one name for ever. */
export function erasureStep(
  { tenantId, sandbox, customerId }: Subject,
  step: 'request' | 'record',
) {
  const who = [String(tenantId), String(sandbox), String(customerId)];
  return { commandId: deterministicUuid(['erasure', ...who, step]), content: step };
}
