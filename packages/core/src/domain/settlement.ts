/** The import of a settlement file: what it was, how many of its lines agreed, and every difference. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant, Minor } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId, TransactionId } from '../kernel/ids.ts';
import { Settled } from './transaction/state.ts';

/**
 * `missing-here`: a line that the books know nothing of. `missing-there`: a movement that should be in
 * a file by now, and is in none. `settled`: a line for what another line has settled. `unreadable`: a
 * line that is not of the documented form. The others: what the line and the books disagree about.
 */
export const DIFFERENCE_TYPES = [
  'missing-here',
  'missing-there',
  'currency',
  'amount',
  'fee',
  'settled',
  'unreadable',
] as const;
export type DifferenceType = (typeof DIFFERENCE_TYPES)[number];

export const Difference = z.strictObject({
  type: z.enum(DIFFERENCE_TYPES),
  /** Of the line in the file, from 2 (the header is 1); null for what is missing there. */
  line: z.int().positive().nullable(),
  /** Of the line; empty for what is missing there and where it cannot be read. */
  reference: z.string(),
  kind: Settled.shape.kind.nullable(),
  gatewayTransactionId: z.string(),
  arn: z.string(),
  /** The payment, where it is known. */
  transactionId: TransactionId.nullable(),
  /** The refund or the chargeback that is meant. */
  childId: TransactionId.nullable(),
  /** As the file says; as the books say for what is missing there. */
  amountMinor: Minor.nullable(),
  currency: z.string(),
  feeMinor: Minor.nullable(),
  /** What the books say instead: an amount in minor units, a currency, or the reference of a line. */
  expected: z.string(),
  /** The settled date of the line, or the day on which the movement was booked: `yyyy-mm-dd`. */
  since: z.string(),
  detail: z.string(),
});
export type Difference = z.output<typeof Difference>;

/** Names a difference within an account: a later import of the same line replaces it. */
export function differenceKey(difference: Difference): string {
  const { type, line, reference, kind, transactionId, childId } = difference;
  if (type === 'missing-there') {
    return movementKey({ kind: kind ?? '', transactionId: transactionId ?? '', childId });
  }
  return reference === '' ? `row/${line}` : lineKey(reference);
}

/** The key of a line's difference, which its booking resolves. */
export function lineKey(reference: string): string {
  return `line/${reference}`;
}

/** The key of a movement that is missing there, which its booking resolves, and any line about it. */
export function movementKey(movement: {
  readonly kind: string;
  readonly transactionId: string;
  readonly childId: string | null;
}): string {
  return `there/${movement.transactionId}/${movement.kind}/${movement.childId ?? ''}`;
}

/** How many of each type; those that there are none of are left out. */
const Counts = z.array(z.strictObject({ type: z.enum(DIFFERENCE_TYPES), count: z.int() }));

/** What a whole file came to. */
const summary = {
  /** SHA-256 of the file, hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  lines: z.int().nonnegative(),
  /** Lines that the books hold: booked by this import or before. */
  agreed: z.int().nonnegative(),
  differences: Counts,
  /** The first and the last settled date (`yyyy-mm-dd`); empty without lines. */
  from: z.string(),
  to: z.string(),
};
export const Summary = z.strictObject(summary);
export type Summary = z.output<typeof Summary>;

const books = { sandbox: z.boolean(), merchantAccountId: z.int().positive() };

export const events = {
  SettlementStarted: event({
    settlementId: TransactionId,
    ...books,
    name: z.string(),
    at: Instant,
  }),
  SettlementDifferencesFound: event({
    settlementId: TransactionId,
    ...books,
    differences: z.array(Difference),
    at: Instant,
  }),
  SettlementFinished: event({ settlementId: TransactionId, ...books, ...summary, at: Instant }),
};
export type Event = EventsOf<typeof events>;

interface Addressed {
  readonly tenantId: TenantId;
  readonly settlementId: TransactionId;
  readonly at: string;
}

export type Command = Addressed &
  (
    | {
        readonly type: 'StartSettlement';
        readonly sandbox: boolean;
        readonly merchantAccountId: number;
        readonly name: string;
      }
    /** Those that are known as they are have no effect. */
    | { readonly type: 'RecordDifferences'; readonly differences: readonly Difference[] }
    | ({ readonly type: 'FinishSettlement' } & Summary)
  );

export type Rejection = { readonly type: 'SettlementUnknown' };

export interface Settlement {
  readonly settlementId: TransactionId;
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
  readonly name: string;
  readonly startedAt: string;
  /** The differences found, as text by key. */
  readonly found: ReadonlyMap<string, string>;
  /** Null until the file was imported to its end. */
  readonly summary: Summary | null;
  readonly finishedAt: string | null;
}
export type State = Settlement | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  if (event.type === 'SettlementStarted') {
    const { type: _, at, ...facts } = event;
    return { ...facts, startedAt: at, found: new Map(), summary: null, finishedAt: null };
  }
  if (state === null) throw new Error(`${event.type} without a settlement`);
  switch (event.type) {
    case 'SettlementDifferencesFound': {
      const found = new Map(state.found);
      for (const each of event.differences) found.set(differenceKey(each), canonicalJson(each));
      return { ...state, found };
    }
    case 'SettlementFinished': {
      const { digest, lines, agreed, differences, from, to, at } = event;
      return {
        ...state,
        summary: { digest, lines, agreed, differences, from, to },
        finishedAt: at,
      };
    }
    default:
      return never(event);
  }
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  if (command.type === 'StartSettlement') {
    const { tenantId: _, type: __, ...facts } = command;
    return right(state === null ? [{ type: 'SettlementStarted', ...facts }] : []);
  }
  if (state === null) return left({ type: 'SettlementUnknown' });
  const { settlementId, sandbox, merchantAccountId } = state;
  const own = { settlementId, sandbox, merchantAccountId, at: command.at };
  switch (command.type) {
    case 'RecordDifferences': {
      const differences = command.differences.filter(
        (each) => state.found.get(differenceKey(each)) !== canonicalJson(each),
      );
      if (differences.length === 0) return right([]);
      return right([{ type: 'SettlementDifferencesFound', ...own, differences }]);
    }
    case 'FinishSettlement': {
      const { digest, lines, agreed, differences, from, to } = command;
      const done: Summary = { digest, lines, agreed, differences, from, to };
      const isSame = state.summary !== null && canonicalJson(state.summary) === canonicalJson(done);
      return right(isSame ? [] : [{ type: 'SettlementFinished', ...own, ...done }]);
    }
    default:
      return never(command);
  }
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly settlementId: string;
}): StreamName {
  return streamName('settlement', command.tenantId, command.settlementId);
}
