/** Given a past, when a command comes, then exactly these events or exactly this rejection. */
import { isLeft } from 'fp-ts/lib/Either.js';
import { expect } from 'vitest';
import { z } from 'zod';
import { type AnyCommand, type Decider, fold, type Tagged } from '../kernel/decider.ts';

/** What a decider answered to a command, ready to be judged. */
export interface Decided<Event, Rejection> {
  /** Fails unless the command was accepted with exactly these events, in this order. */
  then(...events: readonly Event[]): void;
  /** Fails unless the command was refused with exactly this rejection. */
  thenRejected(rejection: Rejection): void;
  /** Fails unless the command was accepted without any event: there was nothing to do. */
  thenNothing(): void;
}

export interface Given<Command, Event, State, Rejection> {
  /** The state that the past makes. */
  readonly state: State;
  when(command: Command): Decided<Event, Rejection>;
}

/**
 * Folds a past and asks the decider. Whatever it decides must also fold further and fit the schemas
 * of its own events, so that a decision that could not be stored fails here and not in production.
 */
export function given<
  Command extends AnyCommand,
  Event extends Tagged,
  State,
  Rejection extends Tagged,
>(
  decider: Decider<Command, Event, State, Rejection>,
  past: readonly NoInfer<Event>[] = [],
): Given<NoInfer<Command>, NoInfer<Event>, NoInfer<State>, NoInfer<Rejection>> {
  const state = fold(decider, past);
  return {
    state,
    when: (command) => {
      const decided = decider.decide(state, command);
      if (isLeft(decided)) return refused(decided.left);
      fold(decider, decided.right, state);
      for (const event of decided.right) expectStorable(decider, event);
      return accepted(decided.right);
    },
  };
}

function expectStorable(
  { events }: Pick<Decider<AnyCommand, Tagged, unknown, Tagged>, 'events'>,
  { type, ...data }: Tagged,
): void {
  const known = events[type];
  if (known === undefined) throw new Error(`${type} is not among the decider's events`);
  z.encode(known.schema, data);
}

function accepted<Event, Rejection>(events: readonly Event[]): Decided<Event, Rejection> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: given/when/then is the field's own wording; nobody awaits it.
    then: (...expected) => expect(events).toStrictEqual(expected),
    thenRejected: (rejection) => expect({ events }).toStrictEqual({ rejection }),
    thenNothing: () => expect(events).toStrictEqual([]),
  };
}

function refused<Event, Rejection>(rejection: Rejection): Decided<Event, Rejection> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: given/when/then is the field's own wording; nobody awaits it.
    then: (...events) => expect({ rejection }).toStrictEqual({ events }),
    thenRejected: (expected) => expect(rejection).toStrictEqual(expected),
    thenNothing: () => expect({ rejection }).toStrictEqual({ events: [] }),
  };
}
