/** Use cases of customers: register, read, replace, and store payment methods. */
import {
  Customer,
  DamagedEvent,
  emailIdentity,
  type StreamName,
  type Subject,
  type TenantId,
} from '@counterfoil/core';
import type { Caller, CommandName, CommandRunner } from '../command-runner.ts';
import type { Identities, NamedCustomer } from '../identities/index.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { Cards, Instrument } from '../payments/index.ts';
import { Refused, refused } from '../refusal.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import type { References } from '../tenants/index.ts';

export interface Registration {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  /** The idempotency id of the registration. */
  readonly requestId: string;
  readonly content: unknown;
  readonly contact: Customer.Contact;
}

export interface Replacement {
  /** The version that the caller read. */
  readonly rowVersion: number;
  readonly contact: Customer.Contact;
}

export interface NewPaymentMethod {
  /** The id of the card if it is new. */
  readonly paymentMethodId: string;
  /** The content of the request, without data that must not be stored. */
  readonly content: unknown;
  /** Validates the card. A repeated request is recognised before. */
  readonly instrument: () => Instrument;
  readonly makeDefault: boolean;
  /** The company whose gateway stores the card. Required when the tenant has several companies. */
  readonly companyId?: number;
}

interface CustomerServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly references: References;
  readonly cards: Cards;
  /** Waits briefly until the policies of earlier payments have run. */
  readonly followedUp: () => Promise<void>;
  readonly logger: Pick<Logger, 'error'>;
}

/** An unused claim is released by the first attempt; the second one finds the email free. */
const REGISTRATION_TRIES = 2;
/** Customers of a list that are read concurrently. */
const CONCURRENCY = 16;

export class Customers {
  readonly #services: CustomerServices;

  constructor(services: CustomerServices) {
    this.#services = services;
  }

  /** Refuses with `CustomerUnknown`. Finds the customer of a payment that was just answered. */
  async get(named: Subject): Promise<Customer.Customer> {
    const customer = await this.#findFollowedUp(named);
    if (customer === null) throw refused({ type: 'CustomerUnknown' });
    return customer;
  }

  /** Several that are registered, in the order of their names. Who cannot be read is logged, and left out. */
  async all(named: readonly Subject[]): Promise<readonly Customer.Customer[]> {
    const found: (Customer.Customer | undefined)[] = [];
    await inParallel({
      items: [...named.entries()],
      atOnce: CONCURRENCY,
      act: async ([index, each]) => {
        found[index] = await this.#readable(each);
      },
    });
    return found.filter((each) => each !== undefined);
  }

  async #readable(named: Subject): Promise<Customer.Customer | undefined> {
    try {
      return await this.get(named);
    } catch (error) {
      if (!(error instanceof DamagedEvent)) throw error;
      const { stream } = error;
      this.#services.logger.error({ err: error, stream }, 'a customer of a list cannot be read');
      return undefined;
    }
  }

  /**
   * Claims the email and registers its customer: together, or one after the other where the log cannot.
   * After a crash between the two steps a retry uses the claimed id. An email known only from
   * unsuccessful payments keeps the customer id of these payments.
   */
  async register(registration: Registration, caller: Caller): Promise<Customer.Customer> {
    const { commands, identities } = this.#services;
    const { tenantId, sandbox, requestId, content, contact } = registration;
    const named = { tenantId, sandbox, email: contact.email };
    const name = { commandId: deterministicUuid([requestId, 'register']), content };
    for (let tries = REGISTRATION_TRIES; tries > 0; tries -= 1) {
      const holder = await identities.holderOf(named);
      const step = (customerId: number) => {
        const at = commands.clock.now();
        const customer = { tenantId, sandbox, customerId };
        const command = { type: 'RegisterCustomer', ...customer, ...contact, at } as const;
        return { aggregate: Customer, command, name };
      };
      const isNew = commands.executesTogether && holder === undefined;
      if (holder !== undefined) await this.#findFollowedUp({ tenantId, sandbox, ...holder });
      else if (isNew) {
        const done = await identities.recordedWithClaim(named, ({ customerId, claim }) =>
          commands.executeTogether([claim, step(customerId)], caller),
        );
        if (done !== undefined) return known(done[1].state);
      }
      const looked = { claimsFirst: !isNew };
      const customerId = await identities.customerOf(named, undefined, caller, looked);
      if (customerId === undefined) break;
      const customer = { tenantId, sandbox, customerId };
      if (await this.#isFree(customer, name)) {
        const { aggregate, command } = step(customerId);
        return known((await commands.execute(aggregate, command, name, caller)).state);
      }
      if (!(await this.#releaseUnused(customer, contact.email, caller))) break;
    }
    throw refused({ type: 'EmailTaken' });
  }

  /** A payer is registered by a policy, shortly after the payment. */
  async #findFollowedUp(named: Subject): Promise<Customer.State> {
    const customer = await this.#find(named);
    if (customer !== null) return customer;
    await this.#services.followedUp();
    return this.#find(named);
  }

  /** Whether the id is unregistered, or was registered by this same request. */
  async #isFree(named: Subject, name: Required<CommandName>): Promise<boolean> {
    if ((await this.#find(named)) === null) return true;
    return this.#services.commands.isRepeat(Customer, streamOf(named), name);
  }

  /**
   * Replaces the contact data. A new email is recorded as reserved, then claimed, then put in force; the
   * former one is released last. A crash in between leaves an unused claim, which the next replacement
   * or the erasure releases.
   */
  async replace(
    named: Subject,
    { rowVersion, contact }: Replacement,
    caller: Caller,
  ): Promise<Customer.Customer> {
    const before = await this.get(named);
    expectPresent(before);
    if (before.rowVersion !== rowVersion) {
      throw refused({ type: 'StaleRowVersion', rowVersion, current: before.rowVersion });
    }
    const { email } = contact;
    if (!isSame(email, before.email)) await this.#claim(named, { rowVersion, email }, caller);
    try {
      const after = await this.#execute(
        { type: 'ReplaceCustomer', ...named, rowVersion, ...contact },
        caller,
      );
      for (const former of after.emails) await this.#releaseUnused(named, former, caller);
      return after;
    } catch (error) {
      if (error instanceof Refused) await this.#releaseUnused(named, email, caller);
      throw error;
    }
  }

  async #claim(
    named: Subject,
    { rowVersion, email }: { rowVersion: number; email: string },
    caller: Caller,
  ): Promise<void> {
    const { identities } = this.#services;
    const { customerId } = named;
    const holder = await identities.holderOf(emailOf(named, email));
    if (holder !== undefined && holder.customerId !== customerId)
      throw refused({ type: 'EmailTaken' });
    await this.#execute({ type: 'ReserveEmail', ...named, rowVersion, email }, caller);
    // Renews an existing claim: a release based on the earlier claim number then fails.
    const wanted = { customerId, renew: true };
    const claimed = await identities.claim(emailOf(named, email), wanted, caller);
    if (claimed.customerId !== customerId) throw refused({ type: 'EmailTaken' });
  }

  /**
   * Releases an email that the customer holds but does not use; returns whether it did. The claim is
   * read first: if the customer reserves the email again meanwhile, the claim gets a new number and
   * this release fails.
   */
  async #releaseUnused(named: Subject, email: string, caller: Caller): Promise<boolean> {
    const { identities } = this.#services;
    const holder = await identities.holderOf(emailOf(named, email));
    if (holder?.customerId !== named.customerId) return false;
    const customer = await this.#find(named);
    if (customer === null || needs(customer, email)) return false;
    await identities.release(emailOf(named, email), holder, caller);
    return true;
  }

  /** Stores a card. A known card keeps its id. Returns the customer and the card's id. */
  async addPaymentMethod(
    named: Subject,
    { paymentMethodId, content, instrument, makeDefault, companyId }: NewPaymentMethod,
    caller: Caller,
  ): Promise<{ customer: Customer.Customer; method: Customer.PaymentMethod }> {
    const { commands, references, cards } = this.#services;
    const { tenantId } = named;
    // The card of an erased person must not reach the gateway.
    const present = await this.get(named);
    expectPresent(present);
    const name = { commandId: deterministicUuid([paymentMethodId, 'add']), content };
    const card = await commands.prepared(Customer, streamOf(named), name, async () => {
      const given = instrument();
      if (companyId !== undefined) await references.check(tenantId, { companyId });
      const company = companyId ?? (await references.companyOf(tenantId, null));
      const accounts = await references.merchantAccountsOf(tenantId, company);
      return cards.keep(named, given, accounts);
    });
    if (card === undefined) {
      const kept = present.paymentMethods.find((each) => each.paymentMethodId === paymentMethodId);
      if (kept === undefined) throw refused({ type: 'PaymentMethodUnknown', paymentMethodId });
      return { customer: present, method: kept };
    }
    const customer = await this.#execute(
      { type: 'AddPaymentMethod', ...named, paymentMethodId, card, makeDefault },
      caller,
      name,
    );
    const method = customer.paymentMethods.find(
      (each) => each.card.fingerprint === card.fingerprint,
    );
    // A repeated request after the card was removed.
    if (method === undefined) throw refused({ type: 'PaymentMethodUnknown', paymentMethodId });
    return { customer, method };
  }

  async removePaymentMethod(
    named: Subject,
    paymentMethodId: string,
    caller: Caller,
  ): Promise<Customer.Customer> {
    return this.#execute({ type: 'RemovePaymentMethod', ...named, paymentMethodId }, caller);
  }

  /** The token of a payment method, for its customer. */
  tokenOf(named: Subject, { card }: Customer.PaymentMethod): string {
    return this.#services.cards.tokenOf(named, card);
  }

  async #find(named: Subject): Promise<Customer.State> {
    return this.#services.commands.stateOf(Customer, streamOf(named));
  }

  async #execute(
    command: WithoutTime<Customer.Command>,
    caller: Caller,
    name: CommandName = { commandId: uuidV7() },
  ): Promise<Customer.Customer> {
    const { commands } = this.#services;
    const timed: Customer.Command = { ...command, at: commands.clock.now() };
    return known((await commands.execute(Customer, timed, name, caller)).state);
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

function streamOf({ tenantId, sandbox, customerId }: Subject): StreamName {
  return Customer.streamOf({ tenantId, sandbox, customerId });
}

function emailOf({ tenantId, sandbox }: Subject, email: string): NamedCustomer {
  return { tenantId, sandbox, email };
}

function isSame(a: string, b: string): boolean {
  return emailIdentity(a) === emailIdentity(b);
}

/** Whether an email is in force or reserved for the customer. */
function needs(
  { email: present, reservedEmails, erasureRequestedAt }: Customer.Customer,
  email: string,
): boolean {
  if (erasureRequestedAt !== null) return false;
  return isSame(email, present) || reservedEmails.includes(emailIdentity(email));
}

function expectPresent({ erasureRequestedAt }: Customer.Customer): void {
  if (erasureRequestedAt !== null) throw refused({ type: 'CustomerErased' });
}

/** Asserts that a customer exists after a command. */
function known(state: Customer.State): Customer.Customer {
  if (state === null) throw new Error('a command on a customer left no state');
  return state;
}
