/** The books: what each event posts to which account, balanced by construction. */
import type { Event } from '../catalog.ts';
import {
  type Fee,
  type FeeAccount,
  type Event as TransactionEvent,
  events as transactionEvents,
} from '../domain/transaction/events.ts';
import { never } from '../kernel/aggregate.ts';

/** The accounts, from the merchant's side. */
export const ACCOUNTS = [
  'acquirer-receivable',
  'bank',
  'chargebacks',
  'refunds',
  'reserve',
  'sales',
] as const;

export type Account = (typeof ACCOUNTS)[number] | FeeAccount;

/**
 * One line of a journal entry: exactly one of debit and credit is positive, the other 0.
 * Amounts are minor units of the line's currency.
 */
export interface JournalLine {
  readonly account: Account;
  readonly currency: string;
  readonly debitMinor: bigint;
  readonly creditMinor: bigint;
}

/** What one event posts, to the books of one merchant account. Debits equal credits in each currency. */
export interface JournalEntry {
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
  readonly description: string;
  /** When it holds in the business (ISO 8601, GMT). */
  readonly at: string;
  readonly lines: readonly JournalLine[];
}

interface Posting {
  readonly debit: Account;
  readonly credit: Account;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** The entry of an event; undefined when it moves no money. */
export function journal(event: Event): JournalEntry | undefined {
  if (!movesMoney(event)) return undefined;
  const lines = postings(event)
    .filter(({ amountMinor }) => amountMinor !== 0n)
    .flatMap(linesOf);
  if (lines.length === 0) return undefined;
  const { sandbox, merchantAccountId, type, at } = event;
  return { sandbox, merchantAccountId, description: type, at, lines };
}

type MoneyEvent = Extract<TransactionEvent, { merchantAccountId: number; sandbox: boolean }>;

/** The types of the events that may post: those of payments that name the books they belong to. */
export const MONEY_EVENTS: ReadonlySet<string> = new Set(
  Object.entries(transactionEvents)
    .filter(([, { schema }]) => 'merchantAccountId' in schema.shape && 'sandbox' in schema.shape)
    .map(([type]) => type),
);

function movesMoney(event: Event): event is MoneyEvent {
  return MONEY_EVENTS.has(event.type);
}

function postings(event: MoneyEvent): readonly Posting[] {
  const { currency } = event;
  const move = (debit: Account, credit: Account, amountMinor: bigint): Posting => ({
    debit,
    credit,
    amountMinor,
    currency,
  });
  switch (event.type) {
    case 'PaymentAuthorized':
    case 'PaymentDeclined':
    case 'AttemptDeclined':
    case 'AlertReceived':
      return feePostings(event.fees);
    case 'PaymentCaptured':
      return [
        move('acquirer-receivable', 'sales', event.amountMinor),
        ...feePostings(event.fees),
        move('reserve', 'acquirer-receivable', event.reserveMinor),
      ];
    case 'PaymentVoided':
      return [
        move('sales', 'acquirer-receivable', event.amountMinor),
        move('acquirer-receivable', 'reserve', event.reserveMinor),
        ...feePostings(event.reversedFees).map(reversed),
      ];
    case 'PaymentSettled':
    case 'MovementSettled': {
      const { amountMinor } = event;
      // The acquirer may keep or take back more than it pays out.
      return amountMinor >= 0n
        ? [move('bank', 'acquirer-receivable', amountMinor)]
        : [move('acquirer-receivable', 'bank', -amountMinor)];
    }
    case 'ReserveReleased':
      return [move('acquirer-receivable', 'reserve', event.amountMinor)];
    case 'Refunded':
      return [move('refunds', 'acquirer-receivable', event.amountMinor)];
    case 'RefundReversed':
      return [move('acquirer-receivable', 'refunds', event.amountMinor)];
    case 'NetworkRefunded':
      return [
        move('refunds', 'acquirer-receivable', event.amountMinor),
        ...feePostings(event.fees),
      ];
    case 'ChargebackOpened':
      return [
        move('chargebacks', 'acquirer-receivable', event.amountMinor),
        ...feePostings(event.fees),
      ];
    case 'ChargebackWon':
    case 'ChargebackWithdrawn':
      return [move('acquirer-receivable', 'chargebacks', event.amountMinor)];
    default:
      return never(event);
  }
}

function feePostings(fees: readonly Fee[]): Posting[] {
  return fees.map(({ account, amountMinor, currency }) => ({
    debit: account,
    credit: 'acquirer-receivable',
    amountMinor,
    currency,
  }));
}

function reversed({ debit, credit, ...rest }: Posting): Posting {
  return { debit: credit, credit: debit, ...rest };
}

function linesOf({ debit, credit, amountMinor, currency }: Posting): JournalLine[] {
  return [
    { account: debit, currency, debitMinor: amountMinor, creditMinor: 0n },
    { account: credit, currency, debitMinor: 0n, creditMinor: amountMinor },
  ];
}
