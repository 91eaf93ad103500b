/** Claims on emails: one email, one customer id, first come first served, until the email is released. */
import { type Either, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';

/** Names the claim of an email. */
interface Named {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  /** A keyed hash of the email's identity: names the stream without showing the person. */
  readonly emailKey: string;
}

export type Command = Named & {
  readonly customerId: number;
  readonly at: string;
} & (
    | {
        /** Gives the customer id of an email, making `customerId` theirs when the email is free. */
        readonly type: 'IdentifyCustomer';
        readonly email: string;
        /** Claims again what `customerId` already has, so that a release of the earlier claim has no effect. */
        readonly renew?: boolean;
      }
    | {
        /** Frees an email for others; does nothing when `customerId` does not hold it. */
        readonly type: 'ReleaseEmail';
        /** Given, only this claim is released, and not one that was made since. */
        readonly claim?: number;
      }
  );

export const events = {
  CustomerIdentified: event(
    {
      sandbox: z.boolean(),
      customerId: z.int().positive(),
      email: z.string().max(320),
      at: Instant,
    },
    { erased: { email: '' } },
  ),
  EmailReleased: event({ sandbox: z.boolean(), customerId: z.int().positive(), at: Instant }),
};
export type Event = EventsOf<typeof events>;

/** Neither fails: a claimed email keeps its id, and releasing without a claim has no effect. */
export type Rejection = never;

/** The owner of the email. */
export interface Holder {
  readonly customerId: number;
  readonly email: string;
  readonly sandbox: boolean;
}
export interface State {
  readonly holder: Holder | null;
  /** Counts the claims on this email, from 1: the number of the latest. */
  readonly claim: number;
}
export const initial: State = { holder: null, claim: 0 };

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'CustomerIdentified': {
      const { customerId, email, sandbox } = event;
      return { holder: { customerId, email, sandbox }, claim: state.claim + 1 };
    }
    case 'EmailReleased':
      return { ...state, holder: null };
    default:
      return never(event);
  }
}

/** Most emails are claimed once; later claims mostly meet a cached state. */
export function begins({ type }: Command): boolean {
  return type === 'IdentifyCustomer';
}

export function decide(state: State, command: Command): Either<Rejection, readonly Event[]> {
  const { sandbox, customerId, at } = command;
  const holds = state.holder?.customerId === customerId;
  switch (command.type) {
    case 'IdentifyCustomer': {
      const renews = holds && command.renew === true;
      if (state.holder !== null && !renews) return right([]);
      const { email } = command;
      return right([{ type: 'CustomerIdentified', sandbox, customerId, email, at }]);
    }
    case 'ReleaseEmail': {
      const meant = command.claim === undefined || command.claim === state.claim;
      return right(holds && meant ? [{ type: 'EmailReleased', sandbox, customerId, at }] : []);
    }
    default:
      return never(command);
  }
}

export function streamOf({ tenantId, sandbox, emailKey }: Named): StreamName {
  return streamName('customer', tenantId, `${sandbox ? 'test' : 'live'}-${emailKey}`);
}
