/** The shape every aggregate has: what it may decide, and how its past folds into its present. */
import type { Either } from 'fp-ts/lib/Either.js';
import type { EventSchemas } from './event-schema.ts';
import type { StreamName, TenantId } from './ids.ts';

/** What every command carries: its tag and the tenant it acts for. */
export interface AnyCommand {
  readonly type: string;
  readonly tenantId: TenantId;
}

/** What every event and every rejection carries: its tag. */
export interface Tagged {
  readonly type: string;
}

/**
 * An aggregate module, used as `import * as Transaction from './domain/transaction'`.
 * `decide` and `evolve` are pure: time, ids and randomness arrive in the command.
 */
export interface Decider<
  Command extends AnyCommand,
  Event extends Tagged,
  State,
  Rejection extends Tagged,
> {
  /** The schemas of the aggregate's events; the catalog is made of them. */
  readonly events: EventSchemas;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** What `evolve` makes of one event after the other, where that can be had for less. */
  readonly evolveAll?: (state: State, events: Iterable<Event>) => State;
  readonly decide: (state: State, command: Command) => Either<Rejection, readonly Event[]>;
  readonly streamOf: (command: Command) => StreamName;
  /**
   * Whether a command is nearly always the first of its stream. It is then decided as if it were,
   * before anything is read; the log takes what was decided only if there is no such stream.
   */
  readonly begins?: (command: Command) => boolean;
}

/** The state after a past. */
export function fold<Event, State>(
  decider: {
    readonly initial: State;
    readonly evolve: (state: State, event: Event) => State;
    readonly evolveAll?: (state: State, events: Iterable<Event>) => State;
  },
  past: Iterable<Event>,
  from: State = decider.initial,
): State {
  if (decider.evolveAll !== undefined) return decider.evolveAll(from, past);
  let state = from;
  for (const event of past) state = decider.evolve(state, event);
  return state;
}

/** Makes a `switch` over a closed union complete: the compiler refuses it while a case is missing. */
export function never(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
