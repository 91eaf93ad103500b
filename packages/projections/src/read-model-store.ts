/** The port of the read models: documents found by key, by field and by substring, in builds that can be replaced. */
import type { Position, StoredEvent } from '@counterfoil/core';
import type { Checkpoints, Hold } from './shards.ts';

/**
 * How a field is found again. `text`: by equality; an adapter may keep a hash of at least 64 bits.
 * `integer`: by equality. `stored`: an integer without an index of its own: it narrows a walk that
 * another condition leads. `range`: the same, with an index that finds it between two bounds.
 */
export type FieldKind = 'text' | 'integer' | 'stored' | 'range';

export interface CollectionSpec {
  readonly name: string;
  /**
   * `keyed`: read by key and key prefix. `walked`: besides, by field in descending sort order.
   * `dictionary`: distinct texts, found by what they contain.
   */
  readonly kind: 'keyed' | 'walked' | 'dictionary';
  /** The fields of a walked collection; a document has at most one value in each. */
  readonly fields?: Readonly<Record<string, FieldKind>>;
  /** Fields that are mostly asked for together with an indexed one: narrowing by them is cheap then. */
  readonly companions?: Readonly<Record<string, readonly string[]>>;
}

export type FieldValue = string | number;

/** The place of a document in a walked collection or a dictionary. */
export interface Place {
  /** Documents of different partitions never meet in one walk: the tenant and its environment. */
  readonly partition: string;
  /** An integer, such as an instant in milliseconds. It never changes for a key. */
  readonly sort: number;
  readonly fields: Readonly<Record<string, FieldValue | null>>;
}

export interface Document {
  readonly key: string;
  /** JSON text; of a dictionary, the text itself. */
  readonly body: string;
  /** Of documents in walked collections and dictionaries. */
  readonly place?: Place;
}

/** One document written: made (`after`), replaced (both) or removed (`before`). */
export interface Change {
  readonly collection: string;
  readonly before?: Document;
  readonly after?: Document;
  /** Makes the document unless it is there: for what many others share. `before` is not given. */
  readonly shared?: boolean;
}

export interface Condition {
  /** A field of the collection, or `key`. */
  readonly field: string;
  /** At least one value. */
  readonly anyOf: readonly FieldValue[];
}

/** A walk through one partition: sort descending, then key ascending. All conditions hold. */
export interface Walk {
  readonly collection: string;
  readonly partition: string;
  readonly where: readonly Condition[];
  /** Bounds of `sort`, both included. */
  readonly from?: number;
  readonly to?: number;
  /** A document outside the bounds matches too when this field, of kind `range`, lies within these. */
  readonly orRange?: { readonly field: string; readonly from: number; readonly to: number };
  /** Only what comes after this place in the order. */
  readonly after?: Anchor;
  /** How many matches are skipped first; costs far less than reading them. */
  readonly skip?: number;
  readonly limit: number;
}

export interface Anchor {
  readonly sort: number;
  readonly key: string;
}

export interface Walked {
  readonly key: string;
  readonly sort: number;
  readonly body: string;
}

export interface ListOptions {
  readonly prefix: string;
  /** Only keys greater than this. */
  readonly after?: string;
  readonly limit: number;
}

/** What queries read. Each call sees one moment of the model. */
export interface ReadModel {
  /** Bodies in the order of the keys; undefined where there is no document. */
  get(collection: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Documents whose key starts with the prefix, in ascending key order. */
  list(collection: string, options: ListOptions): Promise<readonly Document[]>;
  walk(walk: Walk): Promise<readonly Walked[]>;
  /** The texts of a dictionary's partition that contain the needle, exactly as written. */
  grep(collection: string, partition: string, needle: string): Promise<readonly string[]>;
  /** A number that changes whenever a document changes: of that partition, or of any. */
  revision(partition?: string): Promise<number>;
}

/** A stream that could not be applied: its failing event and all later ones wait here. */
export interface ParkedStream {
  readonly stream: string;
  readonly error: string;
  readonly events: readonly StoredEvent[];
}

/** How far a commit moves a shard. */
export interface Move extends Hold {
  /** The position that the changes start from; they are applied there or nowhere. */
  readonly expected: Position | undefined;
  readonly checkpoint: Position | undefined;
}

export interface Commit {
  /** Of the shards whose tenants the changes are of, and of those without any news; at least one. */
  readonly moves: readonly Move[];
  readonly changes: readonly Change[];
  /** Events added to parked streams, in order; the first of a stream carries the reason. */
  readonly park?: readonly { readonly event: StoredEvent; readonly error: string }[];
  /** Streams that are not parked any more; done before `park`. */
  readonly unpark?: readonly string[];
  /** When the last event up to the checkpoints was appended, for those who watch how late it is. */
  readonly lastEventTime?: string;
}

/**
 * `stale`: another worker moved a checkpoint or holds a later epoch; nothing was written.
 * `duplicate`: a document to be made exists already; nothing was written.
 */
export type CommitResult =
  | { readonly outcome: 'committed' }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'duplicate'; readonly collection: string; readonly key: string };

export interface CollectionSummary {
  readonly collection: string;
  readonly count: number;
  /** Equal for equal documents, whatever way they came about. */
  readonly digest: string;
}

export interface Summary {
  readonly checkpoints: Checkpoints;
  readonly collections: readonly CollectionSummary[];
}

export interface BuildInfo {
  readonly projection: string;
  /** Counts the builds of a projection, from 1. */
  readonly build: number;
  /** The projection's version that it was made by. */
  readonly version: string;
  /** `loading`: without its indices, not to be read yet. */
  readonly state: 'loading' | 'ready';
}

/** One build of a projection: all its documents, and how far in the log they reach. */
export interface Build extends ReadModel {
  readonly info: BuildInfo;
  /** The smallest of all shards: everything up to there was applied. */
  checkpoint(): Promise<Position | undefined>;
  checkpoints(): Promise<Checkpoints>;
  /** From now on commits of earlier epochs to these shards are stale. False when a later epoch was here first. */
  fence(holds: readonly Hold[]): Promise<boolean>;
  /** Writes changes and checkpoints together or not at all. */
  commit(commit: Commit): Promise<CommitResult>;
  parked(): Promise<readonly ParkedStream[]>;
  parkedStreams(): Promise<ReadonlySet<string>>;
  /** Makes the indices that a load left for later, and the build durable. */
  finishLoad(): Promise<void>;
  /** False once a read in any process has found it damaged: it has to be rebuilt. */
  isSound(): Promise<boolean>;
  /** Marks the build as damaged, for a reader that got an impossible answer. Returns the error to throw. */
  markDamaged(reason: string): ReadModelError;
  /**
   * Removes replaced and removed content from its files. False, without waiting, while a reader prevents
   * it; `needsScrub` is true then.
   */
  scrub(): Promise<boolean>;
  /** Whether a scrub was prevented, or may have been when an earlier process ended. */
  readonly needsScrub: boolean;
  /** Counts and digests of one moment. */
  summary(): Promise<Summary>;
}

export interface BuildRequest {
  readonly projection: string;
  readonly version: string;
  readonly collections: readonly CollectionSpec[];
  /** `load`: the build will be filled in one go, and may make its indices in `finishLoad`. */
  readonly purpose: 'live' | 'load';
}

export interface LeaseRequest {
  readonly name: string;
  readonly holder: string;
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** A lease that has not ended. */
export interface HeldLease {
  readonly name: string;
  readonly holder: string;
}

export interface ReadModelStore {
  /**
   * How many shards the tenants are hashed into by `shardOf`. Each is written by one worker at a time and
   * has a checkpoint of its own in every build. It never changes.
   */
  shards(): Promise<number>;
  /** Takes or renews a lease. Its epoch grows with every new holder; undefined while another holds it. */
  acquireLease(request: LeaseRequest): Promise<number | undefined>;
  /** Ends a lease early, if this holder still has it. */
  releaseLease(name: string, holder: string): Promise<void>;
  /** The leases whose names begin so, and who holds them at that time. */
  leases(prefix: string, nowMs: number): Promise<readonly HeldLease[]>;
  builds(projection: string): Promise<readonly BuildInfo[]>;
  createBuild(request: BuildRequest): Promise<Build>;
  openBuild(projection: string, build: number): Promise<Build>;
  /** The build that queries read; undefined before there is one. */
  live(projection: string): Promise<Build | undefined>;
  /** The same of several projections, in their order: which builds are live is looked up once. */
  liveOf(projections: readonly string[]): Promise<readonly (Build | undefined)[]>;
  /** Points queries at a ready build, in all processes. */
  makeLive(projection: string, build: number): Promise<void>;
  /** Removes a build that is not live. */
  dropBuild(projection: string, build: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * A failure of the store itself or a use of it that cannot be meant. `damaged`: what is kept is not
 * what was written. `unavailable`: the server that keeps them cannot be reached.
 */
export class ReadModelError extends Error {
  override readonly name = 'ReadModelError';
  readonly code:
    | 'closed'
    | 'not-ready'
    | 'no-such-build'
    | 'read-only'
    | 'outdated'
    | 'damaged'
    | 'unavailable';

  constructor(code: ReadModelError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
