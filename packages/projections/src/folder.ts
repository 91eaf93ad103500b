/** Applies batches of events to one build of one projection: folds in memory, and writes each document once. */
import {
  type AnyVault,
  categoryOf,
  type Position,
  type StoredEvent,
  type Subject,
} from '@counterfoil/core';
import { type Decoded, decodeAll, ERASURE, erasedBy } from './decoding.ts';
import type { DerivedDocument, Projection, Recorded } from './projection.ts';
import type { Build, Change, Commit, Document, Move } from './read-model-store.ts';
import { RecentStates } from './recent-states.ts';
import { type Checkpoints, earliest, type Hold, isAtLeast, latest, shardOf } from './shards.ts';

/** Shared documents known to be there, so that they are not offered with every batch. */
const MAX_KNOWN_SHARED = 100_000;

/** Another worker has taken over. */
export class StaleWorker extends Error {
  override readonly name = 'StaleWorker';
}

export interface Parking {
  readonly projection: string;
  readonly stream: string;
  readonly error: string;
}

export interface FolderOptions {
  readonly projection: Projection;
  readonly build: Build;
  /** The shards of the build to fold: only their events are to be given to it. */
  readonly holds: readonly Hold[];
  /**
   * Tells so many shards apart, for a comparison with another store, in a build of one: that can be
   * compared, and never be followed.
   */
  readonly asShards?: number | undefined;
  /** For parked events that are applied again. */
  readonly vault?: AnyVault | undefined;
}

interface Touched {
  readonly before: unknown;
  after: unknown;
  /** Length of its document, once that was made. */
  characters: number;
  /** The stream of the last event that changed it: parked when it cannot be written. */
  stream: string;
}

/** Where the folder is in a shard, and by which right. */
interface Place {
  readonly epoch: number;
  readonly checkpoint: Position | undefined;
}

interface Fold {
  readonly touched: Map<string, Touched>;
  readonly made: { readonly document: DerivedDocument; readonly stream: string }[];
  readonly park: { event: StoredEvent; error: string }[];
}

/** Streams that failed outside `apply`, with the reason. */
type Failing = Map<string, string>;

/** How far events are applied. */
interface UpTo {
  readonly position: Position;
  /** No shard is moved past its own; to that of a shard without one nothing is applied. Default: none. */
  readonly limits?: Checkpoints;
  /** When the last event was appended that any folder was given. */
  readonly lastEventTime: string | undefined;
}

/** Where a commit moves each shard to, by its number; the others stay. */
type Goals = ReadonlyMap<number, Position>;
const STAY: Goals = new Map();

export class Folder {
  readonly projection: Projection;
  readonly build: Build;
  readonly #vault: AnyVault | undefined;
  /** Persons erased during a load: they can be found when it has its indices. */
  #deferred: Subject[] = [];
  readonly #states = new RecentStates();
  readonly #shared = new Set<string>();
  #parked: ReadonlySet<string>;
  /** By shard. */
  readonly #places: Map<number, Place>;
  readonly #shards: number;
  /** Whether the build has one shard for all of these. */
  readonly #isMerged: boolean;
  /** Batches and retries run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    options: FolderOptions,
    checkpoints: Checkpoints,
    parked: ReadonlySet<string>,
  ) {
    this.projection = options.projection;
    this.build = options.build;
    this.#vault = options.vault;
    this.#shards = options.asShards ?? checkpoints.length;
    this.#isMerged = this.#shards !== checkpoints.length;
    const places = options.holds.map(
      ({ shard, epoch }) => [shard, { epoch, checkpoint: checkpoints[shard] }] as const,
    );
    this.#places = new Map(places);
    this.#parked = parked;
  }

  /** Takes the shards of the build over. Throws `StaleWorker` when a later epoch has one. */
  static async open(options: FolderOptions): Promise<Folder> {
    const { build, holds, asShards } = options;
    const fenced = asShards === undefined ? holds : holds.slice(0, 1);
    if (!(await build.fence(fenced))) throw new StaleWorker('a later epoch holds a shard');
    return new Folder(options, await build.checkpoints(), await build.parkedStreams());
  }

  get checkpoints(): Checkpoints {
    return Array.from({ length: this.#shards }, (_, shard) => this.#places.get(shard)?.checkpoint);
  }

  /** The smallest of its shards. */
  get checkpoint(): Position | undefined {
    return earliest([...this.#places.values()].map(({ checkpoint }) => checkpoint));
  }

  holds(tenantId: number): boolean {
    return this.#places.has(shardOf(tenantId, this.#shards));
  }

  reads(event: StoredEvent): boolean {
    const isErasure = event.type === ERASURE && this.projection.erasing !== undefined;
    return isErasure || this.#folds(event);
  }

  #folds(event: StoredEvent): boolean {
    const { categories, types } = this.projection;
    return (types?.has(event.type) ?? true) && (categories?.has(categoryOf(event.stream)) ?? true);
  }

  /**
   * Applies those of the events (all of which it reads, in their order) that come after the checkpoints, and
   * moves these. Resolves to what it had to park.
   */
  apply(events: readonly Decoded[], upTo: UpTo): Promise<readonly Parking[]> {
    return this.#serialized(async () => {
      const { position, limits, lastEventTime } = upTo;
      const goals = this.#goals(position, limits);
      if (goals.size === 0) return [];
      const wanted = this.#dueOf(events, goals);
      const parked: Parking[] = [];
      let waiting: Decoded[] = [];
      for (const decoded of wanted) {
        const subject = this.projection.erasing && erasedBy(decoded);
        if (subject !== undefined) {
          // Earlier events are written first, so that the person's states can be found.
          const last = waiting.at(-1);
          if (last !== undefined) {
            const { position: until, time: lastEventTime } = last.stored;
            const goal = { goals: this.#goals(until, limits), lastEventTime };
            parked.push(...(await this.#commit(waiting, goal)));
          }
          waiting = [];
          await this.#erase(subject);
        }
        if (subject === undefined || this.#folds(decoded.stored)) waiting.push(decoded);
      }
      const goal = { goals, ...(lastEventTime !== undefined && { lastEventTime }) };
      return [...parked, ...(await this.#commit(waiting, goal))];
    });
  }

  /** The shards that `position` is ahead of, with where it moves them. */
  #goals(position: Position, limits?: Checkpoints): Goals {
    const goals = new Map<number, Position>();
    for (const [shard, { checkpoint }] of this.#places) {
      const limit = limits === undefined ? position : limits[shard];
      const goal = limit !== undefined && limit < position ? limit : position;
      if (limit !== undefined && !isAtLeast(checkpoint, goal)) goals.set(shard, goal);
    }
    return goals;
  }

  #dueOf(events: readonly Decoded[], goals: Goals): readonly Decoded[] {
    const isDue = ({ stored }: Decoded) => this.#isDue(stored, goals);
    const [first, last] = [events.at(0), events.at(-1)];
    const areBothDue = first !== undefined && last !== undefined && isDue(first) && isDue(last);
    // What lies between two of one shard is due as they are.
    return areBothDue && this.#shards === 1 ? events : events.filter(isDue);
  }

  #isDue({ tenantId, position }: StoredEvent, goals: Goals): boolean {
    const shard = shardOf(tenantId, this.#shards);
    const goal = goals.get(shard);
    if (goal === undefined || position > goal) return false;
    const checkpoint = this.#places.get(shard)?.checkpoint;
    return checkpoint === undefined || position > checkpoint;
  }

  /** Of a commit that changes something of these tenants. */
  #moves(goals: Goals, tenantIds: Iterable<number>): readonly Move[] {
    const shards = new Set(goals.keys());
    for (const tenantId of tenantIds) shards.add(shardOf(tenantId, this.#shards));
    return [...shards].map((shard) => {
      const place = this.#places.get(shard);
      if (place === undefined) throw new StaleWorker(`another worker has the shard ${shard}`);
      const { epoch, checkpoint: expected } = place;
      return { shard, epoch, expected, checkpoint: goals.get(shard) ?? expected };
    });
  }

  /** The same as the build keeps it: what has one shard for all is where the furthest is. */
  #kept(moves: readonly Move[]): readonly Move[] {
    const [first] = moves;
    if (!this.#isMerged || first === undefined) return moves;
    const before = new Map([...this.#places].map(([shard, { checkpoint }]) => [shard, checkpoint]));
    const expected = latest(before.values());
    for (const { shard, checkpoint } of moves) before.set(shard, checkpoint);
    return [{ shard: 0, epoch: first.epoch, expected, checkpoint: latest(before.values()) }];
  }

  /** Applies deferred erasures; to be called when a load has its indices. */
  applyDeferredErasures(): Promise<void> {
    return this.#serialized(async () => {
      const subjects = this.#deferred;
      this.#deferred = [];
      for (const subject of subjects) await this.#erase(subject, { ofLoad: true });
    });
  }

  /** Applies the events of a parked stream. Resolves to whether it is not parked any more. */
  retry(stream: string): Promise<boolean> {
    return this.#serialized(async () => {
      const parked = (await this.build.parked()).find((each) => each.stream === stream);
      if (parked === undefined) return true;
      if (!parked.events.every(({ tenantId }) => this.holds(tenantId))) {
        throw new RangeError(`another worker follows ${stream}`);
      }
      const others = new Set(this.#parked);
      others.delete(stream);
      const was = this.#parked;
      this.#parked = others;
      const events = await decodeAll(parked.events, this.#vault);
      for (const subject of events.map(erasedBy)) {
        if (subject !== undefined && this.projection.erasing) await this.#erase(subject);
      }
      const failed = await this.#commit(events, { goals: STAY, unpark: [stream] });
      if (failed.length === 0) return true;
      this.#parked = was;
      return false;
    });
  }

  async #serialized<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #commit(
    events: readonly Decoded[],
    { goals, ...rest }: { goals: Goals } & Pick<Commit, 'unpark' | 'lastEventTime'>,
  ): Promise<readonly Parking[]> {
    const moves = this.#moves(goals, new Set(events.map(({ stored }) => stored.tenantId)));
    const failing: Failing = new Map();
    // Each round either ends or parks one more stream of the batch.
    for (let round = 0; round <= events.length; round += 1) {
      const fold = await this.#fold(events, failing);
      const changes = this.#changesOf(fold, failing);
      if (changes === undefined) continue;
      const result = await this.build.commit({
        ...rest,
        moves: this.#kept(moves),
        changes,
        park: fold.park,
      });
      if (result.outcome === 'stale') throw new StaleWorker('the checkpoint or the lease moved');
      if (result.outcome === 'committed') return this.#committed(fold, changes, moves);
      const culprit = changes.find(
        ({ collection, before, after }) =>
          collection === result.collection && before === undefined && after?.key === result.key,
      );
      // Of two streams in one batch that make the same document, the later one is at fault.
      const stream =
        changes.findLast(({ after }) => after?.key === result.key)?.stream ?? culprit?.stream;
      if (stream === undefined) throw new Error(`no event made ${result.collection}/${result.key}`);
      failing.set(stream, `${result.collection} has ${result.key} already`);
    }
    throw new Error('a batch could not be settled by parking each of its streams');
  }

  /**
   * Removes personal data from the states of a person. The checkpoint does not move: after a crash the
   * event is applied again, which has no further effect.
   */
  async #erase(subject: Subject, { ofLoad = false } = {}): Promise<void> {
    const { erasing } = this.projection;
    if (erasing === undefined) return;
    if (this.build.info.state === 'loading') {
      this.#deferred.push(subject);
      return;
    }
    let isToScrub = false;
    for await (const keys of erasing.find(this.build, subject)) {
      // A process that crashed here may have erased and not scrubbed. A load never had the data.
      isToScrub ||= !ofLoad;
      await this.#loadStates(keys);
      const fold: Fold = { touched: new Map(), made: [], park: [] };
      for (const key of keys) {
        const before = this.#states.get(key);
        if (before === undefined) throw this.build.markDamaged(`there is no state ${key} to erase`);
        const after = erasing.erase(before);
        const isErased = this.projection.encode(before) === this.projection.encode(after);
        if (!isErased) fold.touched.set(key, { before, after, characters: 0, stream: '' });
      }
      if (fold.touched.size === 0) continue;
      await this.#commitErased(fold, subject);
      isToScrub = true;
    }
    if (isToScrub) await this.build.scrub();
  }

  async #commitErased(fold: Fold, { tenantId }: Subject): Promise<void> {
    const failing: Failing = new Map();
    const changes = this.#changesOf(fold, failing);
    if (changes === undefined) throw new Error([...failing.values()].join());
    const moves = this.#moves(STAY, [tenantId]);
    const result = await this.build.commit({
      moves: this.#kept(moves),
      changes,
    });
    if (result.outcome === 'stale') throw new StaleWorker('the checkpoint or the lease moved');
    if (result.outcome === 'duplicate') throw new Error(`${result.collection} has ${result.key}`);
    this.#committed(fold, changes, moves);
  }

  #committed(fold: Fold, changes: readonly Written[], moves: readonly Move[]): readonly Parking[] {
    for (const { shard, epoch, checkpoint } of moves)
      this.#places.set(shard, { epoch, checkpoint });
    for (const [key, { after, characters }] of fold.touched)
      this.#states.set(key, after, characters);
    this.#states.trim();
    for (const { shared, collection, after } of changes) {
      if (shared === true) this.#shared.add(`${collection}/${after?.key}`);
    }
    trim(this.#shared, MAX_KNOWN_SHARED);
    const news = fold.park.filter(({ event }) => !this.#parked.has(event.stream));
    if (fold.park.length > 0) {
      this.#parked = new Set([...this.#parked, ...fold.park.map(({ event }) => event.stream)]);
    }
    const first = new Map(news.toReversed().map(({ event, error }) => [event.stream, error]));
    const projection = this.projection.name;
    return [...first].map(([stream, error]) => ({ projection, stream, error }));
  }

  async #fold(events: readonly Decoded[], failing: Failing): Promise<Fold> {
    await this.#load(events);
    const fold: Fold = { touched: new Map(), made: [], park: [] };
    const reasons = new Map<string, string>(failing);
    const states = {
      get: (key: string) => (fold.touched.get(key)?.after ?? this.#states.get(key)) as never,
    };
    for (const decoded of events) {
      const { stored } = decoded;
      const { stream } = stored;
      const earlier = this.#parked.has(stream) ? 'an earlier event is parked' : reasons.get(stream);
      if (earlier !== undefined) {
        fold.park.push({ event: stored, error: earlier });
        continue;
      }
      try {
        if ('error' in decoded) throw decoded.error;
        const applied = this.projection.apply(decoded.record, states);
        for (const [key, after] of applied.states) {
          const touched = fold.touched.get(key);
          if (touched === undefined) {
            fold.touched.set(key, { before: this.#states.get(key), after, characters: 0, stream });
          } else {
            touched.after = after;
            touched.stream = stream;
          }
        }
        for (const document of applied.documents ?? []) fold.made.push({ document, stream });
      } catch (error) {
        const reason = (error as Error).message;
        reasons.set(stream, reason);
        fold.park.push({ event: stored, error: reason });
      }
    }
    return fold;
  }

  /** Brings the states that the batch needs into the cache. */
  async #load(events: readonly Decoded[]): Promise<void> {
    const missing = new Set<string>();
    for (const decoded of events) {
      if ('error' in decoded) continue;
      for (const key of neededBy(this.projection, decoded.record)) {
        missing.add(key);
      }
    }
    await this.#loadStates([...missing]);
  }

  async #loadStates(wanted: readonly string[]): Promise<void> {
    const keys = wanted.filter((key) => !this.#states.has(key));
    if (keys.length === 0) return;
    const bodies = await this.build.get(this.projection.stateCollection, keys);
    keys.forEach((key, index) => {
      const body = bodies[index];
      if (body !== undefined) this.#states.set(key, this.projection.decode(body), body.length);
    });
  }

  /** What to write; undefined when another stream has failed and the batch has to be folded again. */
  #changesOf(fold: Fold, failing: Failing): readonly Written[] | undefined {
    const changes: Written[] = [];
    for (const { document, stream } of fold.made) this.#make(changes, document, stream);
    const { stateCollection } = this.projection;
    for (const [key, touched] of fold.touched) {
      const { before, after, stream } = touched;
      try {
        const state = { key, body: this.projection.encode(after) };
        touched.characters = state.body.length;
        changes.push({
          stream,
          collection: stateCollection,
          // Only its existence matters: a keyed document is replaced as a whole.
          ...(before === undefined ? {} : { before: { key, body: '' } }),
          after: state,
        });
        this.#derive(changes, key, touched);
      } catch (error) {
        failing.set(stream, (error as Error).message);
        return undefined;
      }
    }
    return changes;
  }

  #derive(changes: Written[], key: string, { before, after, stream }: Touched): void {
    const { projection } = this;
    if (projection.derive === undefined) return;
    const old = new Map<string, DerivedDocument>();
    if (before !== undefined) {
      for (const each of projection.derive(key, before)) {
        if (each.shared !== true) old.set(`${each.collection}/${each.key}`, each);
      }
    }
    for (const document of projection.derive(key, after)) {
      const id = `${document.collection}/${document.key}`;
      const replaced = old.get(id);
      old.delete(id);
      if (replaced === undefined) this.#make(changes, document, stream);
      else if (!sameDocument(replaced, document)) {
        const { collection } = document;
        changes.push({ stream, collection, before: replaced, after: document });
      }
    }
    for (const gone of old.values()) {
      changes.push({ stream, collection: gone.collection, before: gone });
    }
  }

  #make(changes: Written[], document: DerivedDocument, stream: string): void {
    const { collection, shared = false } = document;
    if (shared && this.#shared.has(`${collection}/${document.key}`)) return;
    changes.push({ stream, collection, after: document, shared });
  }
}

/** A change, and the stream that is at fault where it cannot be made. */
interface Written extends Change {
  readonly stream: string;
}

function neededBy(projection: Projection, record: Recorded): readonly string[] {
  try {
    return projection.needs(record);
  } catch {
    // It fails again in `apply`, which handles failures.
    return [];
  }
}

function sameDocument(a: Document, b: Document): boolean {
  if (a.body !== b.body) return false;
  const [left, right] = [a.place?.fields ?? {}, b.place?.fields ?? {}];
  return Object.keys(right).every((field) => left[field] === right[field]);
}

/** Drops the oldest entries of a set beyond a size. */
function trim(entries: Set<string>, size: number): void {
  for (const key of entries) {
    if (entries.size <= size) return;
    entries.delete(key);
  }
}
