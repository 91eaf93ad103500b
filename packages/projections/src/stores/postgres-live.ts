/** What queries read: whichever build is live at the moment of each read. */
import type { Position } from '@counterfoil/core';
import {
  type Build,
  type BuildInfo,
  type Commit,
  type CommitResult,
  type Document,
  type ListOptions,
  type ParkedStream,
  ReadModelError,
  type Summary,
  type Walk,
  type Walked,
} from '../read-model-store.ts';
import { type PostgresBuild, Swapped } from './postgres-build.ts';

/** Builds that may be swapped while one read is under way. */
const MAX_SWAPS = 5;

/** Goes over to the next build when a read finds that it is not the live one any more, or gone. */
export class LiveBuild implements Build {
  readonly #find: () => Promise<PostgresBuild>;
  #build: PostgresBuild;

  /** `find` answers the build that is live now. */
  constructor(build: PostgresBuild, find: () => Promise<PostgresBuild>) {
    this.#build = build;
    this.#find = find;
  }

  get needsScrub(): boolean {
    return this.#build.needsScrub;
  }

  get info(): BuildInfo {
    return this.#build.info;
  }

  get(collection: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    return this.#read((build) => build.get(collection, keys));
  }

  list(collection: string, options: ListOptions): Promise<readonly Document[]> {
    return this.#read((build) => build.list(collection, options));
  }

  walk(walk: Walk): Promise<readonly Walked[]> {
    return this.#read((build) => build.walk(walk));
  }

  grep(collection: string, partition: string, needle: string): Promise<readonly string[]> {
    return this.#read((build) => build.grep(collection, partition, needle));
  }

  revision(partition?: string): Promise<number> {
    return this.#read((build) => build.revision(partition));
  }

  checkpoint(): Promise<Position | undefined> {
    return this.#read((build) => build.checkpoint());
  }

  parked(): Promise<readonly ParkedStream[]> {
    return this.#read((build) => build.parked());
  }

  parkedStreams(): Promise<ReadonlySet<string>> {
    return this.#read((build) => build.parkedStreams());
  }

  isSound(): Promise<boolean> {
    return this.#read((build) => build.isSound());
  }

  summary(): Promise<Summary> {
    return this.#read((build) => build.summary());
  }

  condemn(reason: string): ReadModelError {
    return this.#build.condemn(reason);
  }

  async fence(epoch: number): Promise<boolean> {
    return this.#build.fence(epoch);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    return this.#build.commit(commit);
  }

  async finishLoad(): Promise<void> {
    await this.#build.finishLoad();
  }

  async scrub(): Promise<boolean> {
    return this.#build.scrub();
  }

  async settled(): Promise<void> {
    await this.#build.settled();
  }

  async #read<Result>(read: (build: PostgresBuild) => Promise<Result>): Promise<Result> {
    for (let swaps = 0; ; swaps += 1) {
      const build = this.#build;
      try {
        return await read(build);
      } catch (error) {
        if (!isGone(error) || swaps === MAX_SWAPS) throw error;
        const next = await this.#find();
        // Another read may have gone over to it meanwhile, and knows its partitions.
        if (next.info.build !== this.#build.info.build) this.#build = next;
      }
    }
  }
}

function isGone(error: unknown): boolean {
  if (error instanceof Swapped) return true;
  return error instanceof ReadModelError && error.code === 'no-such-build';
}
