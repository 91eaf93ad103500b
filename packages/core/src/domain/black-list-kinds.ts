/**
 * Which kinds of values a tenant has ever put on its black list. Payments look up values of these kinds
 * only: of most tenants none.
 */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { KINDS, type Kind } from './black-list.ts';
import { BLACK_LISTING } from './transaction/codes.ts';

export const events = {
  BlackListKindUsed: event({ sandbox: z.boolean(), kind: z.enum(KINDS), at: Instant }),
};
export type Event = EventsOf<typeof events>;

export interface Command {
  readonly type: 'UseBlackListKind';
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly kind: Kind;
  readonly at: string;
}
export type Rejection = never;

/** A mask of the kinds. */
export type State = number;
export const initial: State = 0;

export function evolve(state: State, { kind }: Event): State {
  return state | BLACK_LISTING[kind];
}

export function decide(
  state: State,
  { sandbox, kind, at }: Command,
): Either<Rejection, readonly Event[]> {
  const isKnown = (state & BLACK_LISTING[kind]) !== 0;
  return right(isKnown ? [] : [{ type: 'BlackListKindUsed', sandbox, kind, at }]);
}

export function streamOf({
  tenantId,
  sandbox,
}: {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
}): StreamName {
  return streamName('black_list_kinds', tenantId, sandbox ? 'test' : 'live');
}
