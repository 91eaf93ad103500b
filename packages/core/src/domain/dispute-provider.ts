/**
 * Who reported disputes to a tenant, and the secrets that their messages were signed with, as earlier
 * versions kept them: they are webhook endpoints now.
 */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

export const events = {
  /** The secret is sealed under the master key; the one before it is good until `overlapEndsAt`. */
  DisputeProviderSecretSet: event({ sealed: z.string(), overlapEndsAt: Instant, at: Instant }),
  DisputeProviderRemoved: event({ at: Instant }),
};
export type Event = EventsOf<typeof events>;

export interface Command {
  readonly type: 'RemoveDisputeProvider';
  readonly tenantId: TenantId;
  readonly provider: string;
  readonly at: string;
}
export type Rejection = never;

interface Secret {
  readonly sealed: string;
  /** Null for the present one. */
  readonly expiresAt: string | null;
}
export interface Provider {
  /** The present one first. */
  readonly secrets: readonly Secret[];
}
export type State = Provider | null;
export const initial: State = null;

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'DisputeProviderSecretSet': {
      const [before] = state?.secrets ?? [];
      const present = { sealed: event.sealed, expiresAt: null };
      const old = before === undefined ? [] : [{ ...before, expiresAt: event.overlapEndsAt }];
      return { secrets: [present, ...old] };
    }
    case 'DisputeProviderRemoved':
      return null;
    default:
      return never(event);
  }
}

/** The sealed secrets that a message may be signed with now. */
export function secretsOf(state: State, now: string): readonly string[] {
  return (state?.secrets ?? [])
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map(({ sealed }) => sealed);
}

export function decide(state: State, { at }: Command): Either<Rejection, readonly Event[]> {
  return right(state === null ? [] : [{ type: 'DisputeProviderRemoved', at }]);
}

export function streamOf(command: {
  readonly tenantId: TenantId;
  readonly provider: string;
}): StreamName {
  return streamName('dispute_provider', command.tenantId, command.provider);
}
