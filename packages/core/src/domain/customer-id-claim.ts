/** Claims on customer ids that callers choose: one id, one email, first come first served. */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

/** Claims an id for an email, unless another email has it. */
export interface Command {
  readonly type: 'ClaimCustomerId';
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly customerId: number;
  /** The same hash as in the claim of the email. */
  readonly emailKey: string;
  /** The email that has the id and is known to have come to another customer: its claim is void. */
  readonly insteadOf?: string;
  readonly at: string;
}

export const events = {
  CustomerIdClaimed: event({
    sandbox: z.boolean(),
    customerId: z.int().positive(),
    emailKey: z.string().max(64),
    at: Instant,
  }),
};
export type Event = EventsOf<typeof events>;

/** Never fails: the state has the owner of the id. */
export type Rejection = never;

export interface State {
  readonly emailKey: string | null;
}
export const initial: State = { emailKey: null };

export function evolve(_state: State, { emailKey }: Event): State {
  return { emailKey };
}

export function decide(
  { emailKey: present }: State,
  command: Command,
): Either<never, readonly Event[]> {
  const { sandbox, customerId, emailKey, insteadOf, at } = command;
  const isFree = present === null || present === insteadOf;
  if (!isFree || present === emailKey) return right([]);
  return right([{ type: 'CustomerIdClaimed', sandbox, customerId, emailKey, at }]);
}

export function streamOf({
  tenantId,
  sandbox,
  customerId,
}: Pick<Command, 'tenantId' | 'sandbox' | 'customerId'>): StreamName {
  return streamName('customer_id', tenantId, `${sandbox ? 'test' : 'live'}-${customerId}`);
}
