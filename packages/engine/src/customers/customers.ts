/** What the host does with customers: register, read, replace, and keep their payment methods. */
import {
  Customer,
  emailIdentity,
  type StreamName,
  type Subject,
  type TenantId,
} from '@counterfoil/core';
import type { Caller, CommandName, CommandRunner } from '../command-runner.ts';
import type { Identities, NamedCustomer } from '../identities/index.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import type { Cards, Instrument } from '../payments/index.ts';
import { Refused, refused } from '../refusal.ts';
import type { References } from '../tenants/index.ts';

export interface Registration {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  /** Names the registration for ever. */
  readonly requestId: string;
  readonly content: unknown;
  readonly contact: Customer.Contact;
}

export interface Replacement {
  /** The version that the caller saw. */
  readonly rowVersion: number;
  readonly contact: Customer.Contact;
}

export interface NewPaymentMethod {
  /** The id that the card gets if it is new. */
  readonly paymentMethodId: string;
  /** The request as it was made, without what must not be kept. */
  readonly content: unknown;
  /** May refuse the card; a repetition is recognised before. */
  readonly instrument: () => Instrument;
  readonly makeDefault: boolean;
  /** Whose merchant accounts' gateway keeps the card; needed where the tenant has several companies. */
  readonly companyId?: number;
}

interface CustomerServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly references: References;
  readonly cards: Cards;
  /** Waits, for a moment, until what follows from the payments of before has been done. */
  readonly followedUp: () => Promise<void>;
}

/** A claim that nobody uses any more is released, and then the email is free. */
const REGISTRATION_TRIES = 2;

export class Customers {
  readonly #services: CustomerServices;

  constructor(services: CustomerServices) {
    this.#services = services;
  }

  /** The customer, or `not_found`: one whose payment was answered just now is found too. */
  async get(named: Subject): Promise<Customer.Customer> {
    const customer = await this.#findFollowedUp(named);
    if (customer === null) throw refused({ type: 'CustomerUnknown' });
    return customer;
  }

  /**
   * Claims the email, then registers its customer; after a crash between the two the next try goes on
   * with the id that was claimed. So does the first registration of an email that only payments without
   * success have named: the customer gets the id that these payments carry.
   */
  async register(registration: Registration, caller: Caller): Promise<Customer.Customer> {
    const { commands, identities } = this.#services;
    const { tenantId, sandbox, requestId, content, contact } = registration;
    const named = { tenantId, sandbox, email: contact.email };
    const name = { commandId: deterministicUuid([requestId, 'register']), content };
    for (let tries = REGISTRATION_TRIES; tries > 0; tries -= 1) {
      const holder = await identities.holderOf(named);
      if (holder !== undefined) await this.#findFollowedUp({ tenantId, sandbox, ...holder });
      const customerId = await identities.customerOf(named, undefined, caller);
      if (customerId === undefined) break;
      const customer = { tenantId, sandbox, customerId };
      if (await this.#isFree(customer, name)) {
        const at = commands.clock.now();
        const command = { type: 'RegisterCustomer', ...customer, ...contact, at } as const;
        return known((await commands.execute(Customer, command, name, caller)).state);
      }
      if (!(await this.#releaseUnused(customer, contact.email, caller))) break;
    }
    throw refused({ type: 'EmailTaken' });
  }

  /** Who has paid is about to be registered by their payment. */
  async #findFollowedUp(named: Subject): Promise<Customer.State> {
    const customer = await this.#find(named);
    if (customer !== null) return customer;
    await this.#services.followedUp();
    return this.#find(named);
  }

  /** Whether nobody is registered under this id, or it was this very request that did it. */
  async #isFree(named: Subject, name: Required<CommandName>): Promise<boolean> {
    if ((await this.#find(named)) === null) return true;
    return this.#services.commands.isRepeat(Customer, streamOf(named), name);
  }

  /**
   * Replaces the contact data. Another email is reserved on record before it is claimed, and claimed
   * before it is in force; the former one is released last. A crash between leaves the customer with
   * one claim too many, which the next replacement releases, or the erasure.
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
    // Claimed anew even when it is theirs: what saw the claim before cannot release this one.
    const wanted = { customerId, renew: true };
    const claimed = await identities.claim(emailOf(named, email), wanted, caller);
    if (claimed.customerId !== customerId) throw refused({ type: 'EmailTaken' });
  }

  /**
   * Releases an email that the customer holds and neither has nor is about to have; answers whether
   * it did. The claim is looked at first: if the customer wants the email again in the meantime, the
   * claim is made anew, and the one that was seen here is no longer there to be released.
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

  /** Keeps a card for later; one that is known keeps its id. Answers the customer and the card's id. */
  async addPaymentMethod(
    named: Subject,
    { paymentMethodId, content, instrument, makeDefault, companyId }: NewPaymentMethod,
    caller: Caller,
  ): Promise<{ customer: Customer.Customer; method: Customer.PaymentMethod }> {
    const { commands, references, cards } = this.#services;
    const { tenantId } = named;
    // The card of a person who is erased must not even reach the gateway.
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
    // Only a repetition can find it gone: it was removed since.
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

  /** The token of a payment method as its customer may use it again. */
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

/** Whether an email is the customer's, or is about to be. */
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

/** A command was executed, so there is a customer. */
function known(state: Customer.State): Customer.Customer {
  if (state === null) throw new Error('a command on a customer left nobody');
  return state;
}
