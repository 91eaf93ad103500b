/** Integer ids that are never given twice: blocks of a tenant's numbers, reserved before use. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

export const SEQUENCES = ['order', 'customer', 'subscriber', 'merchant_account'] as const;
export type SequenceName = (typeof SEQUENCES)[number];

/** Ids from here on are the allocator's; callers bring ids below it or above `LAST_ALLOCATED_ID`. */
export const FIRST_ALLOCATED_ID = 1_000_000_000;
/** The largest 32-bit integer: contract ids stay readable by every client. */
export const LAST_ALLOCATED_ID = 2_147_483_647;
export const MAX_BLOCK_SIZE = 10_000;

/** Takes the next `size` numbers out of the sequence (hi-lo: the host assigns them one by one). */
export interface Command {
  readonly type: 'ReserveBlock';
  readonly tenantId: TenantId;
  readonly sequence: SequenceName;
  readonly size: number;
  readonly at: string;
}

export const events = {
  /** Numbers `from` to `to`, both included, are reserved and never given again. */
  BlockReserved: event({ from: z.int(), to: z.int(), at: Instant }),
};
export type Event = EventsOf<typeof events>;

export type Rejection =
  | { readonly type: 'BlockSizeOutOfRange'; readonly size: number; readonly max: number }
  | { readonly type: 'SequenceExhausted'; readonly sequence: SequenceName };

export interface State {
  readonly next: number;
}
export const initial: State = { next: FIRST_ALLOCATED_ID };

export function evolve(_state: State, event: Event): State {
  return { next: event.to + 1 };
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  const { size, sequence, at } = command;
  if (!Number.isInteger(size) || size < 1 || size > MAX_BLOCK_SIZE) {
    return left({ type: 'BlockSizeOutOfRange', size, max: MAX_BLOCK_SIZE });
  }
  const to = state.next + size - 1;
  if (to > LAST_ALLOCATED_ID) return left({ type: 'SequenceExhausted', sequence });
  return right([{ type: 'BlockReserved', from: state.next, to, at }]);
}

export function streamOf(command: { tenantId: TenantId; sequence: SequenceName }): StreamName {
  return streamName('sequence', command.tenantId, command.sequence);
}
