/** A mail that could not be delivered: one stream for each, without addresses or content. */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

export const events = {
  EmailFailed: event({
    emailId: z.guid(),
    sandbox: z.boolean(),
    /** `submitted`, or what the ledger mailed about, such as `refunded`. */
    kind: z.string().max(40),
    /** A code, such as `550` or `suppressed`; never the words of a server. */
    reason: z.string().max(100),
    at: Instant,
  }),
};
export type Event = EventsOf<typeof events>;

export type Command = {
  readonly type: 'RecordEmailFailure';
  readonly tenantId: TenantId;
} & Omit<Event, 'type'>;

export type Rejection = never;

/** Null until it has failed, which is final. */
export type State = Omit<Event, 'type'> | null;
export const initial: State = null as State;

export function evolve(_state: State, { type: _, ...failed }: Event): State {
  return failed;
}

export function decide(
  state: State,
  { type: _, tenantId: __, ...failed }: Command,
): Either<Rejection, readonly Event[]> {
  return right(state !== null ? [] : [{ type: 'EmailFailed', ...failed }]);
}

export function streamOf({
  tenantId,
  emailId,
}: {
  readonly tenantId: TenantId;
  readonly emailId: string;
}): StreamName {
  return streamName('email', tenantId, emailId);
}
