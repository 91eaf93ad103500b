/** The black list: what of a payer blocks a payment. One stream for each value, named by a keyed digest of it. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId, TransactionId } from '../kernel/ids.ts';
import { type Stale, staleness } from '../kernel/row-version.ts';
import { BLACK_LISTING } from './transaction/codes.ts';

export type Kind = keyof typeof BLACK_LISTING;
/** In the order of their bits. */
export const KINDS = Object.keys(BLACK_LISTING) as [Kind, ...Kind[]];

/** All bits of a mask. */
export const ALL_KINDS = maskOf(KINDS);

/** The mask of these kinds. */
export function maskOf(kinds: readonly Kind[]): number {
  return kinds.reduce((mask, kind) => mask | BLACK_LISTING[kind], 0);
}

/** The kinds whose bits a mask has. */
export function kindsIn(mask: number): readonly Kind[] {
  return KINDS.filter((kind) => (mask & BLACK_LISTING[kind]) !== 0);
}

/** Who put a value on the list. */
export const SOURCES = ['admin', 'chargeback', 'confirmed-fraud'] as const;
export type Source = (typeof SOURCES)[number];

const reason = z.string().max(500);
const expiresAt = Instant.nullable();

const listed = {
  entryId: z.guid(),
  sandbox: z.boolean(),
  kind: z.enum(KINDS),
  /** As the value is shown: masked, but for BINs. The value itself is kept nowhere. */
  shown: z.string().max(64),
  reason,
  source: z.enum(SOURCES),
  /** The payment that it was taken from. */
  transactionId: TransactionId.nullable(),
  expiresAt,
};

export const events = {
  BlackListed: event({ ...listed, at: Instant }),
  BlackListEntryChanged: event({ reason, expiresAt, at: Instant }),
  BlackListEntryRemoved: event({ at: Instant }),
};
export type Event = EventsOf<typeof events>;
type Listed = Omit<Extract<Event, { type: 'BlackListed' }>, 'type' | 'at'>;

type Addressed = {
  readonly tenantId: TenantId;
  readonly entryId: string;
  readonly at: string;
};

export type Command = Addressed &
  (
    | ({ readonly type: 'BlackList' } & Listed)
    | {
        readonly type: 'ChangeBlackListEntry';
        readonly reason: string;
        readonly expiresAt: string | null;
        /** The one that the caller saw; not given: whichever there is. */
        readonly rowVersion?: number | undefined;
      }
    | { readonly type: 'RemoveBlackListEntry' }
  );

export type Rejection =
  | { readonly type: 'BlackListEntryUnknown' }
  /** The value is on the list for another reason, or until another time. */
  | { readonly type: 'BlackListEntryExists'; readonly entryId: string }
  | { readonly type: 'ExpiryInThePast'; readonly expiresAt: string }
  | Stale;

export interface Entry extends Listed {
  readonly createdAt: string;
}
export interface State {
  readonly entry: Entry | null;
  /** Counts the changes from 1, also over removals. */
  readonly rowVersion: number;
}
export const initial: State = { entry: null, rowVersion: 0 };

export function evolve({ entry, rowVersion }: State, event: Event): State {
  return { entry: entryAfter(entry, event), rowVersion: rowVersion + 1 };
}

function entryAfter(entry: Entry | null, event: Event): Entry | null {
  switch (event.type) {
    case 'BlackListed': {
      const { type: _, at: createdAt, ...given } = event;
      return { ...given, createdAt };
    }
    case 'BlackListEntryChanged':
      return entry && { ...entry, reason: event.reason, expiresAt: event.expiresAt };
    case 'BlackListEntryRemoved':
      return null;
    default:
      return never(event);
  }
}

/** Whether the value blocks payments at this instant. */
export function blocks({ entry }: State, at: string): boolean {
  return entry !== null && (entry.expiresAt === null || entry.expiresAt > at);
}

type Decision = Either<Rejection, readonly Event[]>;

export function decide(state: State, command: Command): Decision {
  switch (command.type) {
    case 'BlackList':
      return list(state, command);
    case 'ChangeBlackListEntry':
      return change(state, command);
    case 'RemoveBlackListEntry':
      return right(state.entry === null ? [] : [{ type: 'BlackListEntryRemoved', at: command.at }]);
    default:
      return never(command);
  }
}

/**
 * What is on the list by itself never ends an entry of an admin earlier, nor changes its reason.
 * Checked in this order: ExpiryInThePast, (a repeat), BlackListEntryExists.
 */
function list(state: State, command: Extract<Command, { type: 'BlackList' }>): Decision {
  const { type: _, tenantId: __, at, ...given } = command;
  const past = expiryFault(given.expiresAt, at);
  if (past !== undefined) return left(past);
  const { entry } = state;
  if (entry === null || !blocks(state, at)) return right([{ type: 'BlackListed', ...given, at }]);
  const { reason: before, expiresAt: until } = entry;
  if (before === given.reason && until === given.expiresAt) return right([]);
  if (given.source === 'admin') {
    return left({ type: 'BlackListEntryExists', entryId: entry.entryId });
  }
  const isLonger = until !== null && (given.expiresAt === null || given.expiresAt > until);
  if (!isLonger) return right([]);
  const { expiresAt: longer } = given;
  return right([{ type: 'BlackListEntryChanged', reason: before, expiresAt: longer, at }]);
}

/** Checked in this order: BlackListEntryUnknown, StaleRowVersion, (a repeat), ExpiryInThePast. */
function change(
  { entry, rowVersion }: State,
  command: Extract<Command, { type: 'ChangeBlackListEntry' }>,
): Decision {
  const { reason: given, expiresAt: until, at } = command;
  if (entry === null) return left({ type: 'BlackListEntryUnknown' });
  const stale = staleness(command.rowVersion, rowVersion);
  if (stale !== undefined) return left(stale);
  if (given === entry.reason && until === entry.expiresAt) return right([]);
  const past = until === entry.expiresAt ? undefined : expiryFault(until, at);
  if (past !== undefined) return left(past);
  return right([{ type: 'BlackListEntryChanged', reason: given, expiresAt: until, at }]);
}

function expiryFault(until: string | null, at: string): Rejection | undefined {
  if (until === null || until > at) return undefined;
  return { type: 'ExpiryInThePast', expiresAt: until };
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly entryId: string;
}): StreamName {
  return streamName('black_list', command.tenantId, command.entryId);
}
