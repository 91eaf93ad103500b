/** What the cases of the read-model contract share: stores that are cleaned up, and documents to write. */
import type { Position, StoredEvent } from '@counterfoil/core';
import type {
  Build,
  Change,
  CollectionSpec,
  Commit,
  CommitResult,
  Document,
  FieldValue,
  Move,
  ReadModelStore,
} from '../../read-model-store.ts';

export interface ReadModelStoreContract {
  readonly name: string;
  /** An empty store. */
  readonly open: () => Promise<ReadModelStore>;
  /** An empty store with so many shards; absent where there is always one. */
  readonly openSharded?: (shards: number) => Promise<ReadModelStore>;
  /** Closes the store and opens it again with all it holds; absent when it holds nothing then. */
  readonly reopen?: (store: ReadModelStore) => Promise<ReadModelStore>;
  /** Frees what `open` made, after each case. */
  readonly cleanUp?: () => Promise<void>;
}

export const COLLECTIONS: readonly CollectionSpec[] = [
  { name: 'things', kind: 'keyed' },
  {
    name: 'rows',
    kind: 'walked',
    fields: { name: 'text', colour: 'text', size: 'integer', changed: 'range' },
    companions: { name: ['colour'], colour: ['name', 'size'] },
  },
  { name: 'words', kind: 'dictionary' },
];

export const EPOCH = 1;

export class Harness {
  readonly contract: ReadModelStoreContract;
  #stores: ReadModelStore[] = [];

  constructor(contract: ReadModelStoreContract) {
    this.contract = contract;
  }

  async store(): Promise<ReadModelStore> {
    const store = await this.contract.open();
    this.#stores.push(store);
    return store;
  }

  /** A ready build of a new store, fenced for `EPOCH`. */
  async build(): Promise<Build> {
    return buildIn(await this.store());
  }

  adopt(store: ReadModelStore): ReadModelStore {
    this.#stores.push(store);
    return store;
  }

  async cleanUp(): Promise<void> {
    for (const store of this.#stores) await store.close();
    this.#stores = [];
    await this.contract.cleanUp?.();
  }
}

export async function buildIn(
  store: ReadModelStore,
  purpose: 'live' | 'load' = 'live',
): Promise<Build> {
  const build = await store.createBuild({
    projection: 'sample',
    version: 'v1',
    collections: COLLECTIONS,
    purpose,
  });
  await fenceAll(build, EPOCH);
  return build;
}

/** Commits changes from wherever the build is to the next position. */
export async function commit(build: Build, changes: readonly Change[]): Promise<void> {
  const expected = await build.checkpoint();
  const checkpoint = positionAfter(expected);
  const result = await commitToAll(build, { expected, checkpoint, epoch: EPOCH, changes });
  if (result.outcome !== 'committed') throw new Error(`not committed: ${result.outcome}`);
}

/** A commit to all shards, which are at one position. */
export interface CommitToAll
  extends Omit<Commit, 'moves'>,
    Pick<Move, 'expected' | 'checkpoint' | 'epoch'> {}

export async function commitToAll(
  build: Build,
  { expected, checkpoint, epoch, ...rest }: CommitToAll,
): Promise<CommitResult> {
  const moves = (await shardsOf(build)).map((shard) => ({ shard, epoch, expected, checkpoint }));
  return build.commit({ ...rest, moves });
}

export async function fenceAll(build: Build, epoch: number): Promise<boolean> {
  return build.fence((await shardsOf(build)).map((shard) => ({ shard, epoch })));
}

async function shardsOf(build: Build): Promise<readonly number[]> {
  return [...(await build.checkpoints()).keys()];
}

export function position(ordinal: number): Position {
  return String(ordinal).padStart(16, '0') as Position;
}

export function positionAfter(before: Position | undefined): Position {
  return position(Number(before ?? 0) + 1);
}

export function thing(key: string, body = `"${key}"`): Document {
  return { key, body };
}

export interface RowFacts {
  readonly key: string;
  readonly partition?: string;
  readonly sort: number;
  readonly name?: FieldValue | null;
  readonly colour?: FieldValue | null;
  readonly size?: FieldValue | null;
  readonly changed?: FieldValue | null;
  readonly body?: string;
}

export function row(facts: RowFacts): Document & { place: NonNullable<Document['place']> } {
  const {
    key,
    partition = 'p',
    sort,
    name = null,
    colour = null,
    size = null,
    changed = null,
  } = facts;
  const body = facts.body ?? JSON.stringify([key, sort, name, colour, size]);
  return { key, body, place: { partition, sort, fields: { name, colour, size, changed } } };
}

export function word(text: string, partition = 'p'): Document {
  return { key: `${partition}/${text}`, body: text, place: { partition, sort: 0, fields: {} } };
}

export function made(collection: string, ...documents: readonly Document[]): readonly Change[] {
  return documents.map((after) => ({ collection, after }));
}

export function storedEvent(stream: string, revision: number): StoredEvent {
  return {
    id: '00000000-0000-7000-8000-000000000000',
    type: 'Sampled',
    schemaVersion: 1,
    tenantId: 1 as StoredEvent['tenantId'],
    time: '2025-01-01T00:00:00.000Z',
    data: '{"text":"naïve \\"quoted\\""}',
    metadata: '{}',
    stream: stream as StoredEvent['stream'],
    revision,
    position: position(revision + 1),
    commandId: '00000000-0000-7000-8000-000000000001' as StoredEvent['commandId'],
    commandFingerprint: 'f',
  };
}
