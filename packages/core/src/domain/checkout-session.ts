/** A checkout session: what a server sells at which price, for one payment that a page submits the card of. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId, TransactionId } from '../kernel/ids.ts';
import { MAX_PLANS, planFields } from './subscription/plan.ts';
import { orderFields } from './transaction/order.ts';

/** Declined cards before a session takes no more: it is no place to try out numbers. */
export const MAX_TRIES = 10;
const MINUTE_MS = 60_000;
export const DEFAULT_EXPIRY_MS = 24 * 60 * MINUTE_MS;
export const MIN_EXPIRY_MS = 5 * MINUTE_MS;
export const MAX_EXPIRY_MS = 30 * 24 * 60 * MINUTE_MS;
export const MAX_URL_LENGTH = 2_048;

const url = z.string().max(MAX_URL_LENGTH);

/** The order as the payment will have it, but for what only a payment has. */
const orderedFields = {
  sandbox: orderFields.sandbox,
  /** Of the email: the key of this customer seals the personal data. */
  customerId: orderFields.customerId,
  email: orderFields.email,
  firstName: orderFields.firstName,
  lastName: orderFields.lastName,
  amountMinor: orderFields.amountMinor,
  currency: orderFields.currency,
  captureMode: orderFields.captureMode,
  applicationId: orderFields.applicationId,
  companyId: orderFields.companyId,
  /** Null: a number of the ledger. */
  orderId: orderFields.orderId.nullable(),
  pinnedMerchantAccountId: orderFields.pinnedMerchantAccountId,
  shopId: orderFields.shopId,
  campaignId: orderFields.campaignId,
  affiliateId: orderFields.affiliateId,
  productId: orderFields.productId,
  pricePointId: orderFields.pricePointId,
  plans: z.array(z.strictObject(planFields)).max(MAX_PLANS),
  partnerSession: orderFields.partnerSession,
  serviceSession: orderFields.serviceSession,
  items: orderFields.items,
  addresses: orderFields.addresses,
};
const Ordered = z.strictObject(orderedFields);
export type Ordered = z.output<typeof Ordered>;

const sessionId = z.guid();
/** A try is one payment: counted from 1. */
const oneTry = { number: z.int().min(1).max(MAX_TRIES), paymentId: TransactionId };

export const events = {
  CheckoutSessionOpened: event(
    {
      sessionId,
      ...orderedFields,
      /** Where the page goes once it is paid, and where it goes back to. */
      successUrl: url,
      cancelUrl: url,
      expiresAt: Instant,
      at: Instant,
    },
    {
      erased: {
        email: '',
        firstName: '',
        lastName: '',
        partnerSession: null,
        serviceSession: '',
        addresses: [],
        successUrl: '',
        cancelUrl: '',
      },
    },
  ),
  /** Durable before the payment is submitted. */
  CheckoutTryBegun: event({ ...oneTry, at: Instant }),
  /** The payment ended without money: another card may be tried. */
  CheckoutTryFailed: event({ ...oneTry, at: Instant }),
  /** Once, and never undone. */
  CheckoutSessionCompleted: event({ ...oneTry, at: Instant }),
};
export type Event = EventsOf<typeof events>;
type Opened = Omit<Extract<Event, { type: 'CheckoutSessionOpened' }>, 'type' | 'at'>;
export type Try = z.output<z.ZodObject<typeof oneTry>>;

interface Named {
  readonly tenantId: TenantId;
  readonly sessionId: string;
}

export type Command = Named & { readonly at: string } & (
    | ({ readonly type: 'OpenCheckoutSession' } & Opened)
    /** The try that is under way may be begun again: it is the same payment. */
    | ({ readonly type: 'BeginTry' } & Try)
    /** What became of the payment of a try, finally. */
    | ({ readonly type: 'EndTry'; readonly isPaid: boolean } & Try)
  );

/** In the order of the checks. */
export type Rejection =
  | { readonly type: 'CheckoutSessionExists' }
  | {
      readonly type: 'CheckoutExpiryOutOfRange';
      readonly minMinutes: number;
      readonly maxMinutes: number;
    }
  | { readonly type: 'CheckoutSessionUnknown' }
  | { readonly type: 'CheckoutSessionNotOpen'; readonly status: 'complete' | 'expired' }
  /** Another payment of the session is not over. */
  | { readonly type: 'CheckoutTryUnderWay' }
  | { readonly type: 'CheckoutTriesUsedUp'; readonly max: number };

export interface CheckoutSession extends Opened {
  readonly openedAt: string;
  /** The last one begun. */
  readonly latest: Try | null;
  /** What became of it. */
  readonly progress: 'none' | 'under-way' | 'failed' | 'paid';
}
export type State = CheckoutSession | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'CheckoutSessionOpened') {
    const { type: _, at: openedAt, ...opened } = event;
    return { ...opened, openedAt, latest: null, progress: 'none' };
  }
  if (state === null) throw new Error(`${event.type} without a session`);
  const { number, paymentId } = event;
  switch (event.type) {
    case 'CheckoutTryBegun':
      return { ...state, latest: { number, paymentId }, progress: 'under-way' };
    case 'CheckoutTryFailed':
      return { ...state, progress: 'failed' };
    case 'CheckoutSessionCompleted':
      return { ...state, progress: 'paid' };
    default:
      return never(event);
  }
}

/** Nothing is submitted from then on. The session of an erased person has ended too. */
export function isExpired({ expiresAt, email }: CheckoutSession, now: string): boolean {
  return now >= expiresAt || email === '';
}

/** The number that the next card has: that of the try under way, if there is one. */
export function nextTryOf({ latest, progress }: CheckoutSession): number {
  const made = latest?.number ?? 0;
  return progress === 'under-way' ? made : made + 1;
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  if (command.type === 'OpenCheckoutSession') return open(state, command);
  if (state === null) return left({ type: 'CheckoutSessionUnknown' });
  switch (command.type) {
    case 'BeginTry':
      return begin(state, command);
    case 'EndTry': {
      const { number, paymentId, isPaid, at } = command;
      if (!isUnderWay(state, command)) return right([]);
      const type = isPaid ? 'CheckoutSessionCompleted' : 'CheckoutTryFailed';
      return right([{ type, number, paymentId, at }]);
    }
    default:
      return never(command);
  }
}

function open(
  state: State,
  { type: _, tenantId: __, at, ...opened }: Extract<Command, { type: 'OpenCheckoutSession' }>,
): Either<Rejection, readonly Event[]> {
  if (state !== null) return left({ type: 'CheckoutSessionExists' });
  const lifetimeMs = Date.parse(opened.expiresAt) - Date.parse(at);
  if (!(lifetimeMs >= MIN_EXPIRY_MS && lifetimeMs <= MAX_EXPIRY_MS)) {
    const minMinutes = MIN_EXPIRY_MS / MINUTE_MS;
    const maxMinutes = MAX_EXPIRY_MS / MINUTE_MS;
    return left({ type: 'CheckoutExpiryOutOfRange', minMinutes, maxMinutes });
  }
  return right([{ type: 'CheckoutSessionOpened', ...opened, at }]);
}

/** Checked in this order: complete, expired, under way, tries. */
function begin(
  state: CheckoutSession,
  { number, paymentId, at }: Extract<Command, { type: 'BeginTry' }>,
): Either<Rejection, readonly Event[]> {
  if (state.progress === 'paid') {
    return left({ type: 'CheckoutSessionNotOpen', status: 'complete' });
  }
  if (isExpired(state, at)) return left({ type: 'CheckoutSessionNotOpen', status: 'expired' });
  if (isUnderWay(state, { paymentId })) return right([]);
  if (number !== nextTryOf(state) || state.progress === 'under-way') {
    return left({ type: 'CheckoutTryUnderWay' });
  }
  if (number > MAX_TRIES) return left({ type: 'CheckoutTriesUsedUp', max: MAX_TRIES });
  return right([{ type: 'CheckoutTryBegun', number, paymentId, at }]);
}

function isUnderWay(state: CheckoutSession, { paymentId }: Pick<Try, 'paymentId'>): boolean {
  return state.progress === 'under-way' && state.latest?.paymentId === paymentId;
}

export function streamOf({ tenantId, sessionId: id }: Named): StreamName {
  return streamName('checkout_session', tenantId, id);
}
