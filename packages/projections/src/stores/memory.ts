/** The reference implementation of the read-model store: in memory, every query a plain filter. */
import { createHash } from 'node:crypto';
import type { Position, StoredEvent } from '@counterfoil/core';
import type {
  Build,
  BuildInfo,
  BuildRequest,
  Change,
  CollectionSummary,
  Commit,
  CommitResult,
  Condition,
  Document,
  HeldLease,
  LeaseRequest,
  ListOptions,
  ParkedStream,
  ReadModelStore,
  Summary,
  Walk,
  Walked,
} from '../read-model-store.ts';
import { ReadModelError } from '../read-model-store.ts';
import { type Checkpoints, earliest, type Hold } from '../shards.ts';

/**
 * Read models that live as long as the process: for tests and small embeddings. One shard, unless more
 * are asked for: several workers of the process then share them.
 */
export function createMemoryReadModelStore({
  shards = 1,
}: {
  readonly shards?: number;
} = {}): ReadModelStore {
  return new MemoryReadModelStore(shards);
}

interface Lease {
  holder: string;
  epoch: number;
  expiresMs: number;
}

class MemoryReadModelStore implements ReadModelStore {
  readonly #leases = new Map<string, Lease>();
  readonly #builds = new Map<string, Map<number, MemoryBuild>>();
  readonly #made = new Map<string, number>();
  readonly #live = new Map<string, number>();
  readonly #shards: number;
  #closed = false;

  constructor(shards: number) {
    this.#shards = shards;
  }

  async shards(): Promise<number> {
    return this.#shards;
  }

  async acquireLease({ name, holder, nowMs, ttlMs }: LeaseRequest): Promise<number | undefined> {
    this.#refuseWhenClosed();
    const lease = this.#leases.get(name);
    const expiresMs = nowMs + ttlMs;
    if (lease !== undefined && lease.holder === holder && lease.expiresMs > nowMs) {
      lease.expiresMs = expiresMs;
      return lease.epoch;
    }
    if (lease !== undefined && lease.expiresMs > nowMs) return undefined;
    const epoch = (lease?.epoch ?? 0) + 1;
    this.#leases.set(name, { holder, epoch, expiresMs });
    return epoch;
  }

  async releaseLease(name: string, holder: string): Promise<void> {
    const lease = this.#leases.get(name);
    if (lease?.holder === holder) lease.expiresMs = 0;
  }

  async leases(prefix: string, nowMs: number): Promise<readonly HeldLease[]> {
    this.#refuseWhenClosed();
    return [...this.#leases]
      .filter(([name, { expiresMs }]) => name.startsWith(prefix) && expiresMs > nowMs)
      .map(([name, { holder }]) => ({ name, holder }));
  }

  async builds(projection: string): Promise<readonly BuildInfo[]> {
    this.#refuseWhenClosed();
    return [...this.#buildsOf(projection).values()].map(({ info }) => info);
  }

  async createBuild(request: BuildRequest): Promise<Build> {
    this.#refuseWhenClosed();
    const { projection, version, purpose } = request;
    const number = (this.#made.get(projection) ?? 0) + 1;
    this.#made.set(projection, number);
    const state = purpose === 'load' ? 'loading' : 'ready';
    const info = { projection, build: number, version, state } as const;
    const build = new MemoryBuild(info, request, this.#shards);
    this.#buildsOf(projection).set(number, build);
    return build;
  }

  async openBuild(projection: string, build: number): Promise<Build> {
    this.#refuseWhenClosed();
    const found = this.#buildsOf(projection).get(build);
    if (found === undefined) {
      throw new ReadModelError('no-such-build', `there is no build ${build} of ${projection}`);
    }
    return found;
  }

  async live(projection: string): Promise<Build | undefined> {
    this.#refuseWhenClosed();
    const build = this.#live.get(projection);
    return build === undefined ? undefined : this.openBuild(projection, build);
  }

  async liveOf(projections: readonly string[]): Promise<readonly (Build | undefined)[]> {
    return Promise.all(projections.map((projection) => this.live(projection)));
  }

  async makeLive(projection: string, build: number): Promise<void> {
    const { info } = await this.openBuild(projection, build);
    if (info.state !== 'ready') {
      throw new ReadModelError('not-ready', `build ${build} of ${projection} is still loading`);
    }
    this.#live.set(projection, build);
  }

  async dropBuild(projection: string, build: number): Promise<void> {
    await this.openBuild(projection, build);
    if (this.#live.get(projection) === build) {
      throw new ReadModelError('no-such-build', `build ${build} of ${projection} is live`);
    }
    this.#buildsOf(projection).delete(build);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #buildsOf(projection: string): Map<number, MemoryBuild> {
    let builds = this.#builds.get(projection);
    if (builds === undefined) {
      builds = new Map();
      this.#builds.set(projection, builds);
    }
    return builds;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new ReadModelError('closed', 'the read-model store is closed');
  }
}

class Collection {
  readonly documents = new Map<string, Document>();
  /** The documents in key order; sorted again after a change. */
  #sorted: readonly Document[] | undefined;

  get sorted(): readonly Document[] {
    this.#sorted ??= [...this.documents.values()].sort(byKey);
    return this.#sorted;
  }

  changed(): void {
    this.#sorted = undefined;
  }
}

class MemoryBuild implements Build {
  info: BuildInfo;
  readonly needsScrub = false;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #revisions = new Map<string, number>();
  readonly #parked = new Map<string, { error: string; events: StoredEvent[] }>();
  readonly #shards: { checkpoint: Position | undefined; epoch: number }[];
  #revision = 0;

  constructor(info: BuildInfo, request: BuildRequest, shards: number) {
    this.info = info;
    this.#shards = Array.from({ length: shards }, () => ({ checkpoint: undefined, epoch: 0 }));
    this.#collections = new Map(request.collections.map(({ name }) => [name, new Collection()]));
  }

  async checkpoint(): Promise<Position | undefined> {
    return earliest(await this.checkpoints());
  }

  async checkpoints(): Promise<Checkpoints> {
    return this.#shards.map(({ checkpoint }) => checkpoint);
  }

  async fence(holds: readonly Hold[]): Promise<boolean> {
    const isLatest = ({ shard, epoch }: Hold) => epoch >= this.#shard(shard).epoch;
    if (!holds.every(isLatest)) return false;
    for (const { shard, epoch } of holds) this.#shard(shard).epoch = epoch;
    return true;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const isCurrent = commit.moves.every(({ shard, epoch, expected }) => {
      const at = this.#shard(shard);
      return at.checkpoint === expected && at.epoch === epoch;
    });
    if (!isCurrent) return { outcome: 'stale' };
    const duplicate = this.#duplicateIn(commit.changes);
    if (duplicate !== undefined) return { outcome: 'duplicate', ...duplicate };
    for (const change of commit.changes) this.#write(change);
    if (commit.changes.length > 0) this.#revision += 1;
    for (const stream of commit.unpark ?? []) this.#parked.delete(stream);
    for (const { event, error } of commit.park ?? []) {
      const parked = this.#parked.get(event.stream) ?? { error, events: [] };
      parked.events.push(event);
      this.#parked.set(event.stream, parked);
    }
    for (const { shard, checkpoint } of commit.moves) this.#shard(shard).checkpoint = checkpoint;
    return { outcome: 'committed' };
  }

  async parked(): Promise<readonly ParkedStream[]> {
    return [...this.#parked].map(([stream, { error, events }]) => ({
      stream,
      error,
      events: [...events],
    }));
  }

  async parkedStreams(): Promise<ReadonlySet<string>> {
    return new Set(this.#parked.keys());
  }

  async finishLoad(): Promise<void> {
    this.info = { ...this.info, state: 'ready' };
  }

  async scrub(): Promise<boolean> {
    return true;
  }

  async isSound(): Promise<boolean> {
    return true;
  }

  markDamaged(reason: string): ReadModelError {
    return new ReadModelError('damaged', reason);
  }

  async summary(): Promise<Summary> {
    const collections = [...this.#collections].map(
      ([collection, { sorted }]): CollectionSummary => {
        const hash = createHash('sha256');
        for (const { key, body } of sorted) hash.update(`${key}\n${body}\n`);
        return { collection, count: sorted.length, digest: hash.digest('hex') };
      },
    );
    return { checkpoints: await this.checkpoints(), collections };
  }

  async get(collection: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { documents } = this.#collection(collection);
    return keys.map((key) => documents.get(key)?.body);
  }

  async list(collection: string, options: ListOptions): Promise<readonly Document[]> {
    const { prefix, after, limit } = options;
    return this.#collection(collection)
      .sorted.filter(({ key }) => key.startsWith(prefix) && (after === undefined || key > after))
      .slice(0, limit);
  }

  async walk(walk: Walk): Promise<readonly Walked[]> {
    const { skip = 0, limit } = walk;
    return this.#collection(walk.collection)
      .sorted.filter((document) => matches(document, walk))
      .map(({ key, body, place }) => ({ key, body, sort: place?.sort ?? 0 }))
      .sort((a, b) => b.sort - a.sort || byKey(a, b))
      .slice(skip, skip + limit);
  }

  async grep(collection: string, partition: string, needle: string): Promise<readonly string[]> {
    return this.#collection(collection)
      .sorted.filter(({ body, place }) => place?.partition === partition && body.includes(needle))
      .map(({ body }) => body);
  }

  async revision(partition?: string): Promise<number> {
    return partition === undefined ? this.#revision : (this.#revisions.get(partition) ?? 0);
  }

  #duplicateIn(changes: readonly Change[]): { collection: string; key: string } | undefined {
    const made = new Set<string>();
    for (const { collection, before, after, shared } of changes) {
      if (before !== undefined || after === undefined || shared === true) continue;
      const id = `${collection}/${after.key}`;
      if (made.has(id) || this.#collection(collection).documents.has(after.key)) {
        return { collection, key: after.key };
      }
      made.add(id);
    }
    return undefined;
  }

  #write({ collection: name, before, after, shared }: Change): void {
    const collection = this.#collection(name);
    const key = after?.key ?? before?.key;
    if (key === undefined || (shared === true && collection.documents.has(key))) return;
    if (after === undefined) collection.documents.delete(key);
    else collection.documents.set(key, after);
    collection.changed();
    const partition = (after ?? before)?.place?.partition;
    if (partition !== undefined) {
      this.#revisions.set(partition, (this.#revisions.get(partition) ?? 0) + 1);
    }
  }

  #shard(number: number) {
    const shard = this.#shards[number];
    if (shard === undefined) throw new RangeError(`no shard ${number}`);
    return shard;
  }

  #collection(name: string): Collection {
    const collection = this.#collections.get(name);
    if (collection === undefined) throw new RangeError(`no collection ${name}`);
    return collection;
  }
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function matches({ key, place }: Document, walk: Walk): boolean {
  if (place === undefined || place.partition !== walk.partition) return false;
  const { from = -Infinity, to = Infinity, orRange, after } = walk;
  const inRange = place.sort >= from && place.sort <= to;
  const other = orRange === undefined ? undefined : place.fields[orRange.field];
  const inOther =
    orRange !== undefined &&
    typeof other === 'number' &&
    other >= orRange.from &&
    other <= orRange.to;
  if (!(inRange || inOther)) return false;
  if (after !== undefined && !isAfter({ key, sort: place.sort }, after)) return false;
  return walk.where.every(({ field, anyOf }: Condition) => {
    const value = field === 'key' ? key : place.fields[field];
    return value !== null && value !== undefined && anyOf.includes(value);
  });
}

function isAfter(at: { sort: number; key: string }, after: { sort: number; key: string }): boolean {
  return at.sort < after.sort || (at.sort === after.sort && at.key > after.key);
}
