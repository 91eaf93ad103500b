/** The shape of a projection: how records fold into states, and which documents follow from a state. */
import type { Event, RecordedEvent } from '@counterfoil/core';
import type { Erasing } from './erasing.ts';
import type { CollectionSpec, Document } from './read-model-store.ts';

/** A record as read models need it: who did what by which request is not part of them. */
export type Recorded = Omit<RecordedEvent<Event>, 'metadata' | 'commandId' | 'commandFingerprint'>;

/** A document that a projection makes beside its states. */
export interface DerivedDocument extends Document {
  readonly collection: string;
  /** Many states name the same document: it is made once and never removed. */
  readonly shared?: boolean;
}

/** The states that a record asked for, as far as they exist. */
export interface States<State> {
  get(key: string): State | undefined;
}

/** What a record changes. */
export interface Applied<State> {
  readonly states: readonly (readonly [key: string, state: State])[];
  /** Documents that follow from the record alone and are never changed again. */
  readonly documents?: readonly DerivedDocument[];
}

/**
 * A read model as pure functions. States are folded in memory over a batch and written once;
 * documents that follow from a state are made when the batch is written, not at each event.
 */
export interface Projection<State = unknown> {
  readonly name: string;
  /** Another version needs a rebuild: it names the shape and the meaning of the documents. */
  readonly version: string;
  /** The categories of the streams that it reads; all when absent. */
  readonly categories?: ReadonlySet<string>;
  /** The event types that it reads of them; all when absent. */
  readonly types?: ReadonlySet<string>;
  /** Where the states are kept; one of `collections`, keyed. */
  readonly stateCollection: string;
  readonly collections: readonly CollectionSpec[];
  /** The keys of the states that `apply` must see. */
  needs(record: Recorded): readonly string[];
  apply(record: Recorded, states: States<State>): Applied<State>;
  encode(state: State): string;
  decode(body: string): State;
  /** The documents that follow from a state; those that no longer follow are removed. */
  derive?(key: string, state: State): readonly DerivedDocument[];
  /** For a projection whose states have personal data. */
  readonly erasing?: Erasing<State>;
}
