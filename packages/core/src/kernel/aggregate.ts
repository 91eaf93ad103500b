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

/** The events that a command makes, or why it makes none. */
export type Decision<Event, Rejection> = Either<Rejection, readonly Event[]>;

/**
 * An aggregate module, used as `import * as Transaction from './domain/transaction'`.
 * `decide` and `evolve` are pure: time, ids and randomness arrive in the command.
 */
export interface Aggregate {
  /** The schemas of the aggregate's events; the catalog is made of them. */
  readonly events: EventSchemas;
  readonly initial: unknown;
  evolve(state: unknown, event: Tagged): unknown;
  /** Folds several events at once, where that is cheaper than one by one. */
  evolveAll?(state: unknown, events: Iterable<Tagged>): unknown;
  decide(state: unknown, command: AnyCommand): Decision<Tagged, Tagged>;
  streamOf(command: Pick<AnyCommand, 'tenantId'>): StreamName;
  /**
   * Whether a command is nearly always the first of its stream. It is then decided as if it were,
   * before anything is read; the append succeeds only if there is no such stream.
   */
  begins?(command: AnyCommand): boolean;
}

type Decided<Of extends Aggregate> = ReturnType<Of['decide']>;

/** `CommandOf<typeof Transaction>` is `Transaction.Command`, and so on. */
export type CommandOf<Of extends Aggregate> = Extract<Parameters<Of['decide']>[1], AnyCommand>;
export type EventOf<Of extends Aggregate> = Extract<
  Decided<Of>,
  { readonly _tag: 'Right' }
>['right'][number];
export type RejectionOf<Of extends Aggregate> = Extract<
  Decided<Of>,
  { readonly _tag: 'Left' }
>['left'];
export type StateOf<Of extends Aggregate> = ReturnType<Of['evolve']>;

/** The state after a past. */
export function fold<Event, State>(
  aggregate: {
    readonly initial: State;
    readonly evolve: (state: State, event: Event) => State;
    readonly evolveAll?: (state: State, events: Iterable<Event>) => State;
  },
  past: Iterable<Event>,
  from: State = aggregate.initial,
): State {
  if (aggregate.evolveAll !== undefined) return aggregate.evolveAll(from, past);
  let state = from;
  for (const event of past) state = aggregate.evolve(state, event);
  return state;
}

/** Makes a `switch` over a closed union complete: the compiler refuses it while a case is missing. */
export function never(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
