/** A customer of a tenant: contact data, addresses and payment methods, until the person is erased. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { emailIdentity } from '../kernel/email.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { Address, Card } from './transaction/order.ts';

export const MAX_ADDRESSES = 10;
export const MAX_PAYMENT_METHODS = 20;
/** Cards that are remembered to have been removed. */
export const MAX_REMOVED_CARDS = 100;
/** How many emails a customer may come to hold; each must be found again when the person is erased. */
export const MAX_EMAILS = 100;

const contactFields = {
  email: z.string().max(320),
  firstName: z.string().max(200),
  lastName: z.string().max(200),
  phone: z.string().max(64),
  addresses: z.array(Address).max(MAX_ADDRESSES),
};
/** How the customer is reached: what a replacement replaces. */
export const Contact = z.strictObject(contactFields);
export type Contact = z.output<typeof Contact>;

/** What is left of the contact data once the person is erased. */
const noContact: Contact = { email: '', firstName: '', lastName: '', phone: '', addresses: [] };

/** Names a customer. */
interface Named {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly customerId: number;
}

export type Command = Named & { readonly at: string } & (
    | ({ readonly type: 'RegisterCustomer' } & Contact)
    /**
     * Updates the customer from a payment: registers a new customer, adds a new card, and renews one
     * with a later expiry. `paymentMethodId` is the id that a new card gets.
     */
    | ({
        readonly type: 'RecordPurchase';
        readonly card: Card | null;
        readonly paymentMethodId: string;
        /** When the payment was requested: a card that was removed since stays removed. */
        readonly orderedAt: string;
      } & Contact)
    /** Records an email before it is claimed, so that erasure finds the claim even after a crash in between. */
    | { readonly type: 'ReserveEmail'; readonly rowVersion: number; readonly email: string }
    /** Replaces the contact data; the email must be claimed. `rowVersion` is the one the caller saw. */
    | ({ readonly type: 'ReplaceCustomer'; readonly rowVersion: number } & Contact)
    | {
        readonly type: 'AddPaymentMethod';
        readonly paymentMethodId: string;
        readonly card: Card;
        /** Makes it the one that is used unless another is named. */
        readonly makeDefault: boolean;
      }
    | { readonly type: 'RemovePaymentMethod'; readonly paymentMethodId: string }
    /** The person is to be erased: from now on no data is added. */
    | { readonly type: 'RequestErasure' }
    /** The person is erased: their key is destroyed, and with it the personal data of the events. */
    | { readonly type: 'RecordErasure' }
  );
type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Of every event of a customer: whose it is. */
const who = { customerId: z.int().positive(), sandbox: z.boolean() };

/** Version 1 had no reason; nearly always it was a request. */
const notEvicted = (older: Record<string, unknown>) => ({ ...older, evicted: false });

export const events = {
  CustomerRegistered: event({ ...who, ...contactFields, at: Instant }, { erased: noContact }),
  EmailReserved: event(
    { ...who, email: z.string().max(320), at: Instant },
    { erased: { email: '' } },
  ),
  CustomerReplaced: event({ ...who, ...contactFields, at: Instant }, { erased: noContact }),
  /** A new payment method, or another card or rank of the one that has this id. */
  PaymentMethodAdded: event(
    {
      ...who,
      paymentMethodId: z.guid(),
      /** Null once the person is erased. */
      card: Card.nullable(),
      isDefault: z.boolean(),
      at: Instant,
    },
    { erased: { card: null } },
  ),
  PaymentMethodRemoved: event(
    {
      ...who,
      paymentMethodId: z.guid(),
      /** Removed to make room for a card that paid, and not by a request. */
      evicted: z.boolean(),
      at: Instant,
    },
    { upcasts: [notEvicted] },
  ),
  CustomerErasureRequested: event({ ...who, at: Instant }),
  CustomerErased: event({ ...who, at: Instant }),
};
export type Event = EventsOf<typeof events>;

export type Rejection =
  | { readonly type: 'CustomerUnknown' }
  | { readonly type: 'CustomerExists' }
  | { readonly type: 'CustomerErased' }
  | { readonly type: 'StaleRowVersion'; readonly rowVersion: number; readonly current: number }
  | { readonly type: 'TooManyEmails'; readonly max: number }
  | { readonly type: 'PaymentMethodUnknown'; readonly paymentMethodId: string }
  | { readonly type: 'PaymentMethodExists'; readonly paymentMethodId: string }
  | { readonly type: 'TooManyPaymentMethods'; readonly max: number }
  | { readonly type: 'ErasureNotRequested' };

export interface PaymentMethod {
  readonly paymentMethodId: string;
  readonly card: Card;
}

/** A card that is not a payment method any more. */
interface RemovedCard {
  readonly fingerprint: string;
  readonly evicted: boolean;
  readonly at: string;
}

export interface Customer extends Contact {
  readonly customerId: number;
  readonly sandbox: boolean;
  /** Oldest first. */
  readonly paymentMethods: readonly PaymentMethod[];
  /** Null exactly when there is no payment method. */
  readonly defaultPaymentMethodId: string | null;
  /** The latest, oldest first: a payment from before does not add them again. */
  readonly removedCards: readonly RemovedCard[];
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
  /** Every email that the customer may have claimed, each once: erasure releases them. */
  readonly emails: readonly string[];
  /** Those of them that were reserved since the contact data was last replaced: a change may be under way. */
  readonly reservedEmails: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly erasureRequestedAt: string | null;
  readonly erasedAt: string | null;
}
export type State = Customer | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'CustomerRegistered') return registered(event);
  if (state === null) throw new Error(`${event.type} without a customer`);
  // Readers of the customer do not see reserved emails.
  if (event.type === 'EmailReserved') return { ...state, ...emailsWith(state, event.email) };
  const next = { ...state, rowVersion: state.rowVersion + 1, updatedAt: event.at };
  switch (event.type) {
    case 'CustomerReplaced':
      return {
        ...next,
        ...contactOf(event),
        emails: including(state.emails, event.email),
        reservedEmails: [],
      };
    case 'PaymentMethodAdded':
      return { ...next, ...methodsWith(state, event) };
    case 'PaymentMethodRemoved':
      return { ...next, ...methodsWithout(state, event) };
    case 'CustomerErasureRequested':
      return { ...next, erasureRequestedAt: event.at };
    case 'CustomerErased':
      return { ...next, ...ERASED, erasedAt: event.at };
    default:
      return never(event);
  }
}

/** The state of a person who was erased. */
const ERASED = {
  ...noContact,
  paymentMethods: [],
  defaultPaymentMethodId: null,
  removedCards: [],
  emails: [],
  reservedEmails: [],
} satisfies Partial<Customer>;

function registered(event: Extract<Event, { type: 'CustomerRegistered' }>): Customer {
  const { customerId, sandbox, at } = event;
  return {
    customerId,
    sandbox,
    ...contactOf(event),
    paymentMethods: [],
    defaultPaymentMethodId: null,
    removedCards: [],
    rowVersion: 1,
    emails: [emailIdentity(event.email)],
    reservedEmails: [],
    createdAt: at,
    updatedAt: at,
    erasureRequestedAt: null,
    erasedAt: null,
  };
}

function contactOf({ email, firstName, lastName, phone, addresses }: Contact): Contact {
  return { email, firstName, lastName, phone, addresses };
}

function including(emails: readonly string[], email: string): readonly string[] {
  const held = emailIdentity(email);
  return emails.includes(held) ? emails : [...emails, held];
}

function emailsWith({ emails, reservedEmails }: Customer, email: string) {
  return {
    emails: including(emails, email),
    reservedEmails: including(reservedEmails, email),
  };
}

/** Whether there is room for an email that the customer does not have yet. */
function canHold({ emails }: Customer, email: string): boolean {
  return emails.length < MAX_EMAILS || emails.includes(emailIdentity(email));
}

type Methods = Pick<Customer, 'paymentMethods' | 'defaultPaymentMethodId'>;

function methodsWith(
  { paymentMethods, defaultPaymentMethodId }: Customer,
  { paymentMethodId, card, isDefault }: Extract<Event, { type: 'PaymentMethodAdded' }>,
): Methods {
  // Of an erased person it is only known that there was a card.
  if (card === null) return { paymentMethods, defaultPaymentMethodId };
  const method = { paymentMethodId, card };
  const known = paymentMethods.some((each) => each.paymentMethodId === paymentMethodId);
  return {
    paymentMethods: known
      ? paymentMethods.map((each) => (each.paymentMethodId === paymentMethodId ? method : each))
      : [...paymentMethods, method],
    defaultPaymentMethodId: isDefault ? paymentMethodId : defaultPaymentMethodId,
  };
}

/** After the default method that was added last takes its place. */
function methodsWithout(
  customer: Customer,
  { paymentMethodId, evicted, at }: Extract<Event, { type: 'PaymentMethodRemoved' }>,
): Methods & Pick<Customer, 'removedCards'> {
  const left = customer.paymentMethods.filter((each) => each.paymentMethodId !== paymentMethodId);
  const gone = customer.paymentMethods
    .filter((each) => each.paymentMethodId === paymentMethodId)
    .map(({ card: { fingerprint } }) => ({ fingerprint, evicted, at }));
  const stays = customer.defaultPaymentMethodId !== paymentMethodId;
  return {
    paymentMethods: left,
    defaultPaymentMethodId: stays
      ? customer.defaultPaymentMethodId
      : (left.at(-1)?.paymentMethodId ?? null),
    removedCards: [...customer.removedCards, ...gone].slice(-MAX_REMOVED_CARDS),
  };
}

/**
 * Whether a card may be paid with by its token: while it is a payment method, and as long as it never
 * was one. Never for an erased customer.
 */
export function mayPayWith(customer: Customer, card: Pick<Card, 'fingerprint'>): boolean {
  if (isLeaving(customer)) return false;
  if (methodOf(customer, card) !== undefined) return true;
  const { removedCards } = customer;
  // The oldest removed cards may not be listed any more.
  if (removedCards.length >= MAX_REMOVED_CARDS) return false;
  return !removedCards.some(({ fingerprint }) => fingerprint === card.fingerprint);
}

/** Whether the customer has removed a card since it was given to a subscription, whatever was added later. */
export function hasWithdrawn(
  customer: Customer,
  card: Pick<Card, 'fingerprint'>,
  givenAt: string,
): boolean {
  const { removedCards } = customer;
  const removals = removedCards.filter(({ fingerprint }) => fingerprint === card.fingerprint);
  if (removals.some(({ evicted, at }) => !evicted && at >= givenAt)) return true;
  const [oldest] = removedCards;
  const mayBeForgotten = removedCards.length >= MAX_REMOVED_CARDS && oldest !== undefined;
  return mayBeForgotten && givenAt < oldest.at && methodOf(customer, card) === undefined;
}

type Decision = Either<Rejection, readonly Event[]>;

/**
 * Checked in this order: CustomerExists, CustomerUnknown, ErasureNotRequested, CustomerErased, and
 * what each command checks for itself.
 */
export function decide(state: State, command: Command): Decision {
  if (command.type === 'RegisterCustomer') {
    return state === null ? right([registration(command)]) : left({ type: 'CustomerExists' });
  }
  if (command.type === 'RecordPurchase') return right(purchase(state, command));
  if (state === null) return left({ type: 'CustomerUnknown' });
  if (command.type === 'RequestErasure' || command.type === 'RecordErasure') {
    return erase(state, command);
  }
  if (isLeaving(state)) return left({ type: 'CustomerErased' });
  switch (command.type) {
    case 'ReserveEmail':
      return reserveEmail(state, command);
    case 'ReplaceCustomer':
      return replace(state, command);
    case 'AddPaymentMethod':
      return addPaymentMethod(state, command);
    case 'RemovePaymentMethod':
      return removePaymentMethod(state, command);
    default:
      return never(command);
  }
}

function isLeaving({ erasureRequestedAt, erasedAt }: Customer): boolean {
  return erasureRequestedAt !== null || erasedAt !== null;
}

function whoOf({ customerId, sandbox, at }: Command) {
  return { customerId, sandbox, at };
}

function registration(command: CommandOf<'RegisterCustomer' | 'RecordPurchase'>): Event {
  return { type: 'CustomerRegistered', ...whoOf(command), ...contactOf(command) };
}

/** Never refused: the payment was made. After a request for erasure no data is added. */
function purchase(state: State, command: CommandOf<'RecordPurchase'>): readonly Event[] {
  const { card, paymentMethodId, email } = command;
  if (state === null) {
    const first = registration(command);
    if (card === null) return [first];
    return [first, added(command, { paymentMethodId, card, isDefault: true })];
  }
  if (isLeaving(state)) return [];
  const noted: readonly Event[] =
    state.emails.includes(emailIdentity(email)) || !canHold(state, email)
      ? []
      : [{ type: 'EmailReserved', ...whoOf(command), email }];
  return card === null ? noted : [...noted, ...purchasedWith(state, command, card)];
}

function purchasedWith(
  state: Customer,
  command: CommandOf<'RecordPurchase'>,
  card: Card,
): readonly Event[] {
  const known = methodOf(state, card);
  if (known !== undefined) {
    if (!expiresLater(card, known.card)) return [];
    const { paymentMethodId } = known;
    const isDefault = state.defaultPaymentMethodId === paymentMethodId;
    return [added(command, { paymentMethodId, card, isDefault })];
  }
  const { paymentMethodId, orderedAt } = command;
  if (wasRemovedSince(state, card, orderedAt)) return [];
  const held = state.paymentMethods;
  if (held.some((each) => each.paymentMethodId === paymentMethodId)) return [];
  const isDefault = held.length === 0;
  const makesRoom = held.length >= MAX_PAYMENT_METHODS ? oldestSpare(state) : undefined;
  const method = added(command, { paymentMethodId, card, isDefault });
  if (makesRoom === undefined) return [method];
  return [removed(command, { paymentMethodId: makesRoom, evicted: true }), method];
}

function wasRemovedSince({ removedCards }: Customer, { fingerprint }: Card, at: string): boolean {
  return removedCards.some((each) => each.fingerprint === fingerprint && each.at >= at);
}

/** The oldest payment method that is not the default. */
function oldestSpare({ paymentMethods, defaultPaymentMethodId }: Customer): string | undefined {
  return paymentMethods.find((each) => each.paymentMethodId !== defaultPaymentMethodId)
    ?.paymentMethodId;
}

/** The payment method that is this card. */
export function methodOf(
  { paymentMethods }: Customer,
  card: Pick<Card, 'fingerprint'>,
): PaymentMethod | undefined {
  return paymentMethods.find((each) => each.card.fingerprint === card.fingerprint);
}

function expiresLater(a: Card, b: Card): boolean {
  return a.expYear * 12 + a.expMonth > b.expYear * 12 + b.expMonth;
}

function added(
  command: Command,
  method: { paymentMethodId: string; card: Card; isDefault: boolean },
): Event {
  return { type: 'PaymentMethodAdded', ...whoOf(command), ...method };
}

function removed(
  command: Command,
  method: { readonly paymentMethodId: string; readonly evicted: boolean },
): Event {
  return { type: 'PaymentMethodRemoved', ...whoOf(command), ...method };
}

/** Checked in this order: StaleRowVersion, TooManyEmails. */
function reserveEmail(state: Customer, command: CommandOf<'ReserveEmail'>): Decision {
  const { rowVersion, email } = command;
  if (rowVersion !== state.rowVersion) {
    return left({ type: 'StaleRowVersion', rowVersion, current: state.rowVersion });
  }
  if (state.reservedEmails.includes(emailIdentity(email))) return right([]);
  if (!canHold(state, email)) return left({ type: 'TooManyEmails', max: MAX_EMAILS });
  return right([{ type: 'EmailReserved', ...whoOf(command), email }]);
}

/** Checked in this order: StaleRowVersion, TooManyEmails. */
function replace(state: Customer, command: CommandOf<'ReplaceCustomer'>): Decision {
  const { rowVersion } = command;
  if (rowVersion !== state.rowVersion) {
    return left({ type: 'StaleRowVersion', rowVersion, current: state.rowVersion });
  }
  const contact = contactOf(command);
  if (!canHold(state, contact.email)) return left({ type: 'TooManyEmails', max: MAX_EMAILS });
  const same = canonicalJson(contact) === canonicalJson(contactOf(state));
  return right(same ? [] : [{ type: 'CustomerReplaced', ...whoOf(command), ...contact }]);
}

/** Checked in this order: PaymentMethodExists, TooManyPaymentMethods. */
function addPaymentMethod(state: Customer, command: CommandOf<'AddPaymentMethod'>): Decision {
  const { card, makeDefault, paymentMethodId } = command;
  const known = methodOf(state, card);
  const held = state.paymentMethods;
  if (known !== undefined) {
    const wasDefault = state.defaultPaymentMethodId === known.paymentMethodId;
    const isDefault = wasDefault || makeDefault;
    const newer = expiresLater(card, known.card);
    if (!newer && isDefault === wasDefault) return right([]);
    const method = { ...known, isDefault };
    return right([added(command, newer ? { ...method, card } : method)]);
  }
  if (held.some((each) => each.paymentMethodId === paymentMethodId)) {
    return left({ type: 'PaymentMethodExists', paymentMethodId });
  }
  if (held.length >= MAX_PAYMENT_METHODS) {
    return left({ type: 'TooManyPaymentMethods', max: MAX_PAYMENT_METHODS });
  }
  const isDefault = makeDefault || held.length === 0;
  return right([added(command, { paymentMethodId, card, isDefault })]);
}

function removePaymentMethod(state: Customer, command: CommandOf<'RemovePaymentMethod'>): Decision {
  const { paymentMethodId } = command;
  const known = state.paymentMethods.some((each) => each.paymentMethodId === paymentMethodId);
  if (!known) return left({ type: 'PaymentMethodUnknown', paymentMethodId });
  return right([removed(command, { paymentMethodId, evicted: false })]);
}

function erase(state: Customer, command: CommandOf<'RequestErasure' | 'RecordErasure'>): Decision {
  if (command.type === 'RequestErasure') {
    if (isLeaving(state)) return right([]);
    return right([{ type: 'CustomerErasureRequested', ...whoOf(command) }]);
  }
  if (state.erasedAt !== null) return right([]);
  if (state.erasureRequestedAt === null) return left({ type: 'ErasureNotRequested' });
  return right([{ type: 'CustomerErased', ...whoOf(command) }]);
}

export function streamOf({ tenantId, sandbox, customerId }: Named): StreamName {
  const environment = sandbox ? 'test' : 'live';
  return streamName('customer_account', tenantId, `${environment}-${customerId}`);
}
