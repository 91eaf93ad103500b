/** A customer of a tenant: one email, one customer id, whoever asks first. */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

/** Gives the customer id of an email, making `customerId` theirs when the email is new. */
export interface Command {
  readonly type: 'IdentifyCustomer';
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  /** A keyed hash of the email in lower case: names the stream without showing the person. */
  readonly emailKey: string;
  readonly email: string;
  readonly customerId: number;
  readonly at: string;
}

export const events = {
  CustomerIdentified: event({
    sandbox: z.boolean(),
    customerId: z.int().positive(),
    email: z.string().max(320),
    at: Instant,
  }),
};
export type Event = EventsOf<typeof events>;

/** Identifying never fails: a known email answers with the id it has. */
export type Rejection = never;

export interface Customer {
  readonly customerId: number;
  readonly email: string;
  readonly sandbox: boolean;
}
export type State = Customer | null;
export const initial: State = null;

export function evolve(_state: State, event: Event): State {
  return { customerId: event.customerId, email: event.email, sandbox: event.sandbox };
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  if (state !== null) return right([]);
  const { sandbox, customerId, email, at } = command;
  return right([{ type: 'CustomerIdentified', sandbox, customerId, email, at }]);
}

export function streamOf(command: {
  tenantId: TenantId;
  sandbox: boolean;
  emailKey: string;
}): StreamName {
  const environment = command.sandbox ? 'test' : 'live';
  return streamName('customer', command.tenantId, `${environment}-${command.emailKey}`);
}
