/** Given a past, when a command comes, then exactly these events or exactly this rejection. */
import { isLeft } from 'fp-ts/lib/Either.js';
import { expect } from 'vitest';
import { z } from 'zod';
import {
  type Aggregate,
  type CommandOf,
  type EventOf,
  fold,
  type RejectionOf,
  type StateOf,
  type Tagged,
} from '../kernel/aggregate.ts';

/** What an aggregate decided on a command, with the assertions on it. */
export interface Decided<Event, Rejection> {
  /** Fails unless the command was accepted with exactly these events, in this order. */
  then(...events: readonly Event[]): void;
  /** Fails unless the command was refused with exactly this rejection. */
  thenRejected(rejection: Rejection): void;
  /** Fails unless the command was accepted without any event: there was nothing to do. */
  thenNothing(): void;
}

export interface Given<Of extends Aggregate> {
  /** The state that the past makes. */
  readonly state: StateOf<Of>;
  when(command: CommandOf<Of>): Decided<EventOf<Of>, RejectionOf<Of>>;
}

/**
 * Folds a past and has the aggregate decide. What it decides must also fold further and fit the schemas
 * of its own events, so that a decision that could not be stored fails here and not in production.
 */
export function given<Of extends Aggregate>(
  aggregate: Of,
  past: readonly EventOf<Of>[] = [],
): Given<Of> {
  const state = fold<Tagged, unknown>(aggregate, past) as StateOf<Of>;
  return {
    state,
    when: (command) => {
      const decided = aggregate.decide(state, command);
      if (isLeft(decided)) return refused(decided.left);
      fold<Tagged, unknown>(aggregate, decided.right, state);
      for (const event of decided.right) expectStorable(aggregate, event);
      return accepted(decided.right);
    },
  };
}

function expectStorable({ events }: Aggregate, { type, ...data }: Tagged): void {
  const known = events[type];
  if (known === undefined) throw new Error(`${type} is not among the aggregate's events`);
  z.encode(known.schema, data);
}

function accepted<Event, Rejection>(events: readonly Event[]): Decided<Event, Rejection> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: given/when/then is the field's own wording, and it is not awaited.
    then: (...expected) => expect(events).toStrictEqual(expected),
    thenRejected: (rejection) => expect({ events }).toStrictEqual({ rejection }),
    thenNothing: () => expect(events).toStrictEqual([]),
  };
}

function refused<Event, Rejection>(rejection: Rejection): Decided<Event, Rejection> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: given/when/then is the field's own wording, and it is not awaited.
    then: (...events) => expect({ rejection }).toStrictEqual({ events }),
    thenRejected: (expected) => expect(rejection).toStrictEqual(expected),
    thenNothing: () => expect({ rejection }).toStrictEqual({ events: [] }),
  };
}
