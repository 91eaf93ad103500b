/** The monthly cap of a merchant account: room is reserved before a gateway is called. */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant, Minor, type Upcast } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId, type TransactionId } from '../kernel/ids.ts';
import { toMinor } from '../kernel/money.ts';
import type { MerchantAccount } from './merchant-account.ts';
import { takenMinor } from './transaction/balance.ts';
import type { Payment } from './transaction/state.ts';
import { completes } from './transaction/status.ts';

/** One book for each of these. `month` is that of the attempt, in GMT: `2026-11`. */
export interface Book {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
  readonly month: string;
}

/** Room for one attempt of a payment, in minor units of the account's default currency. */
export interface Wanted {
  readonly reservationId: string;
  readonly amountMinor: bigint;
}

export interface Settlement {
  readonly reservationId: string;
  /** What was captured; the rest of the room is given back, all of it when this is 0. */
  readonly usedMinor: bigint;
}

interface Commands {
  /** As many of the reservations as have room, in the order given. The same one twice takes room once. */
  ReserveRoom: {
    readonly wanted: readonly Wanted[];
    /** The account's cap as it is now. */
    readonly capMinor: bigint;
    /** Until then the outcome of the payment is not asked for. */
    readonly leaseUntil: string;
  };
  /** The outcomes of attempts. Those without reserved room are ignored, so a repeat has no effect. */
  SettleRoom: { readonly settlements: readonly Settlement[] };
  /** The payment of each was looked for after the lease, and there is none. */
  LapseRoom: { readonly reservationIds: readonly string[] };
  /** A payment of this amount was passed over for want of room. */
  NoteLimit: {
    readonly capMinor: bigint;
    readonly currency: string;
    readonly wantedMinor: bigint;
  };
}

type CommandOf<Type extends keyof Commands> = Book & {
  readonly type: Type;
  readonly at: string;
} & Commands[Type];
export type Command = { [Type in keyof Commands]: CommandOf<Type> }[keyof Commands];

const reservationId = z.string().min(1).max(100);

/** Version 1 did not have the amount: the least there is stands for it. */
const withoutWanted: Upcast = (data) => ({ ...data, wantedMinor: '1' });

export const events = {
  RoomReserved: event({
    reservations: z.array(
      z.strictObject({ reservationId, amountMinor: Minor, leaseUntil: Instant }),
    ),
    at: Instant,
  }),
  /** `usedMinor` was captured; the rest of what was reserved is free again. */
  RoomSettled: event({
    settlements: z.array(z.strictObject({ reservationId, usedMinor: Minor })),
    at: Instant,
  }),
  /** These hold no room any more, but count as used should their payment be captured after all. */
  RoomLapsed: event({ reservationIds: z.array(reservationId), at: Instant }),
  /**
   * The first payment was passed over for want of room, of the month or since the account was last limited:
   * its `capLimited`. `wantedMinor` is the amount of that payment.
   */
  MonthlyCapReached: event(
    {
      sandbox: z.boolean(),
      merchantAccountId: z.int().positive(),
      capMinor: Minor,
      currency: z.string().length(3),
      wantedMinor: Minor,
      at: Instant,
    },
    { upcasts: [withoutWanted] },
  ),
};
export type Event = EventsOf<typeof events>;

export type Rejection = {
  /** None of the reservations has room. */
  readonly type: 'OverMonthlyCap';
  readonly capMinor: bigint;
  readonly usedMinor: bigint;
  readonly reservedMinor: bigint;
};

export interface Reservation {
  readonly amountMinor: bigint;
  readonly leaseUntil: string;
  readonly lapsed: boolean;
}

interface Limit {
  readonly at: string;
  readonly wantedMinor: bigint;
  readonly capMinor: bigint;
}

/** Settled reservations are removed, so that the list has only attempts without an outcome. */
export interface State {
  readonly usedMinor: bigint;
  /** Of the reservations that have not lapsed. */
  readonly reservedMinor: bigint;
  readonly reservations: ReadonlyMap<string, Reservation>;
  /** The payment that was noted as passed over, until room for it is given back. */
  readonly limit: Limit | null;
}
export const initial: State = {
  usedMinor: 0n,
  reservedMinor: 0n,
  reservations: new Map(),
  limit: null,
};

export function evolve(state: State, event: Event): State {
  return evolveAll(state, [event]);
}

/** Copies the reservations once, not for each of the events. */
export function evolveAll(from: State, past: Iterable<Event>): State {
  const book = { ...from, reservations: new Map(from.reservations) };
  for (const event of past) record(book, event);
  return book;
}

interface OpenBook extends State {
  usedMinor: bigint;
  reservedMinor: bigint;
  reservations: Map<string, Reservation>;
  limit: Limit | null;
}

function record(book: OpenBook, event: Event): void {
  switch (event.type) {
    case 'RoomReserved':
      for (const { reservationId: id, ...reserved } of event.reservations) {
        book.reservedMinor += reserved.amountMinor;
        book.reservations.set(id, { ...reserved, lapsed: false });
      }
      return;
    case 'RoomSettled':
      for (const { reservationId: id, usedMinor } of event.settlements) {
        book.reservedMinor -= heldBy(reservationIn(book, id));
        book.usedMinor += usedMinor;
        book.reservations.delete(id);
      }
      endLimit(book);
      return;
    case 'RoomLapsed':
      for (const id of event.reservationIds) {
        const reservation = reservationIn(book, id);
        book.reservedMinor -= heldBy(reservation);
        book.reservations.set(id, { ...reservation, lapsed: true });
      }
      endLimit(book);
      return;
    case 'MonthlyCapReached':
      book.limit = { at: event.at, wantedMinor: event.wantedMinor, capMinor: event.capMinor };
      return;
    default:
      never(event);
  }
}

function endLimit(book: OpenBook): void {
  const { limit } = book;
  if (limit !== null && limit.wantedMinor <= roomIn(book, limit.capMinor)) book.limit = null;
}

function reservationIn({ reservations }: State, id: string): Reservation {
  const reservation = reservations.get(id);
  if (reservation === undefined) throw new Error(`no reservation ${id}`);
  return reservation;
}

function heldBy({ amountMinor, lapsed }: Reservation): bigint {
  return lapsed ? 0n : amountMinor;
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  switch (command.type) {
    case 'ReserveRoom':
      return reserve(state, command);
    case 'SettleRoom':
      return right(settle(state, command));
    case 'LapseRoom':
      return right(lapse(state, command));
    case 'NoteLimit':
      return right(isNews(state, command) ? [limited(command)] : []);
    default:
      return never(command);
  }
}

function reserve(
  state: State,
  { wanted, capMinor, leaseUntil, at }: CommandOf<'ReserveRoom'>,
): Either<Rejection, readonly Event[]> {
  const { usedMinor, reservedMinor } = state;
  const granted = new Map<string, Wanted & { leaseUntil: string }>();
  let roomMinor = roomIn(state, capMinor);
  let held = 0;
  for (const { reservationId: id, amountMinor } of wanted) {
    if (amountMinor <= 0n) throw new RangeError(`${id} wants room for ${amountMinor}`);
    if (granted.has(id) || holdsRoom(state, id)) {
      held += 1;
    } else if (amountMinor <= roomMinor) {
      granted.set(id, { reservationId: id, amountMinor, leaseUntil });
      roomMinor -= amountMinor;
    }
  }
  if (granted.size > 0) {
    return right([{ type: 'RoomReserved', reservations: [...granted.values()], at }]);
  }
  if (held > 0 || wanted.length === 0) return right([]);
  return left({ type: 'OverMonthlyCap', capMinor, usedMinor, reservedMinor });
}

/** Whether a reservation stands: it was made, and has neither been settled nor lapsed. */
export function holdsRoom({ reservations }: State, id: string): boolean {
  return reservations.get(id)?.lapsed === false;
}

function settle(state: State, { settlements, at }: CommandOf<'SettleRoom'>): Event[] {
  const first = new Map<string, Settlement>();
  for (const { reservationId: id, usedMinor } of settlements) {
    if (state.reservations.has(id) && !first.has(id)) {
      first.set(id, { reservationId: id, usedMinor });
    }
  }
  return first.size === 0 ? [] : [{ type: 'RoomSettled', settlements: [...first.values()], at }];
}

/** A reservation whose lease goes on is not lapsed, whatever was found of its payment. */
function lapse(state: State, { reservationIds, at }: CommandOf<'LapseRoom'>): Event[] {
  const over = new Set(reservationIds.filter((id) => isLeaseOver(state, id, at)));
  return over.size === 0 ? [] : [{ type: 'RoomLapsed', reservationIds: [...over], at }];
}

function isLeaseOver(state: State, id: string, at: string): boolean {
  const reservation = state.reservations.get(id);
  return reservation !== undefined && !reservation.lapsed && reservation.leaseUntil <= at;
}

/** The payment has no room, and no one before it that has none either was noted. */
function isNews(state: State, { capMinor, wantedMinor }: CommandOf<'NoteLimit'>): boolean {
  return wantedMinor > roomIn(state, capMinor) && limitedSince(state, capMinor) === null;
}

function limited(command: CommandOf<'NoteLimit'>): Event {
  const { sandbox, merchantAccountId, capMinor, currency, wantedMinor, at } = command;
  const limit = { sandbox, merchantAccountId, capMinor, currency, wantedMinor, at };
  return { type: 'MonthlyCapReached', ...limit };
}

/**
 * Since when payments find no room under this cap; null once the payment that found none would fit: room
 * was given back, or the cap was raised.
 */
export function limitedSince(state: State, capMinor: bigint): string | null {
  const { limit } = state;
  return limit !== null && limit.wantedMinor > roomIn(state, capMinor) ? limit.at : null;
}

/** Negative under a cap that was lowered below what is taken. */
function roomIn({ usedMinor, reservedMinor }: State, capMinor: bigint): bigint {
  return capMinor - usedMinor - reservedMinor;
}

export function streamOf({ tenantId, sandbox, merchantAccountId, month }: Book): StreamName {
  const environment = sandbox ? 'test' : 'live';
  return streamName('monthly_cap', tenantId, `${environment}-${merchantAccountId}-${month}`);
}

/** The month of an instant, in GMT. */
export function monthOf(at: string): string {
  return at.slice(0, 'yyyy-mm'.length);
}

/** The name under which an attempt of a payment reserves its room. */
export function reservationOf(transactionId: TransactionId, attempt: number): string {
  return `${transactionId}/${attempt}`;
}

/** The payment and the attempt that a reservation is for. */
export function attemptOf(id: string): { transactionId: TransactionId; attempt: number } {
  const [transactionId = '', attempt = ''] = id.split('/');
  return { transactionId: transactionId as TransactionId, attempt: Number(attempt) };
}

/**
 * The cap that binds payments of a currency, in minor units; undefined where there is none. Like
 * `maxPrice` it is in the account's default currency, and binds payments in that currency only.
 */
export function capOf({ settings }: MerchantAccount, currency: string): bigint | undefined {
  const { monthlyCap, defaultCurrency } = settings;
  if (monthlyCap === 0 || currency !== defaultCurrency) return undefined;
  const cap = toMinor(monthlyCap, defaultCurrency);
  if (isLeft(cap)) throw new Error('monthlyCap was accepted with too many decimals');
  return cap.right;
}

/**
 * The outcome of an attempt's reservation: what was captured of it, `open` as long as the money may still
 * be taken, `missing` where the payment has no such attempt yet. Refunds, chargebacks and voids of a
 * capture give nothing back; another account's or month's room under the same name is given back.
 */
export function fateOf(
  payment: Payment | null,
  attempt: number,
  { merchantAccountId, month }: Pick<Book, 'merchantAccountId' | 'month'>,
): { readonly usedMinor: bigint } | 'open' | 'missing' {
  const made = payment?.attempts[attempt - 1];
  if (payment === null || made === undefined) {
    return payment !== null && completes(payment.status) ? NOTHING_USED : 'missing';
  }
  if (made.route.merchantAccountId !== merchantAccountId || monthOf(made.startedAt) !== month) {
    return NOTHING_USED;
  }
  if (made.outcome === 'declined') return NOTHING_USED;
  return completes(payment.status) ? { usedMinor: takenMinor(payment) } : 'open';
}

const NOTHING_USED = { usedMinor: 0n };
