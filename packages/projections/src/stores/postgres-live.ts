/** The build that is live at the moment of each read. */
import { type Build, type BuildInfo, ReadModelError } from '../read-model-store.ts';
import { type PostgresBuild, Swapped } from './postgres-build.ts';

/** Builds that may be swapped while one read is under way. */
const MAX_SWAPS = 5;

/** Switches to the next build when a read finds that this one is not live any more, or dropped. */
export class LiveBuild implements Build {
  readonly #find: () => Promise<PostgresBuild>;
  #build: PostgresBuild;

  /** `find` resolves to the build that is live now. */
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

  readonly get: Build['get'] = (...args) => this.#read((build) => build.get(...args));
  readonly list: Build['list'] = (...args) => this.#read((build) => build.list(...args));
  readonly walk: Build['walk'] = (walk) => this.#read((build) => build.walk(walk));
  readonly grep: Build['grep'] = (...args) => this.#read((build) => build.grep(...args));
  readonly revision: Build['revision'] = (part) => this.#read((build) => build.revision(part));
  readonly checkpoint: Build['checkpoint'] = () => this.#read((build) => build.checkpoint());
  readonly checkpoints: Build['checkpoints'] = () => this.#read((build) => build.checkpoints());
  readonly parked: Build['parked'] = () => this.#read((build) => build.parked());
  readonly parkedStreams: Build['parkedStreams'] = () =>
    this.#read((build) => build.parkedStreams());
  readonly isSound: Build['isSound'] = () => this.#read((build) => build.isSound());
  readonly summary: Build['summary'] = () => this.#read((build) => build.summary());
  readonly fence: Build['fence'] = (holds) => this.#build.fence(holds);
  readonly commit: Build['commit'] = (commit) => this.#build.commit(commit);
  readonly finishLoad: Build['finishLoad'] = () => this.#build.finishLoad();
  readonly scrub: Build['scrub'] = () => this.#build.scrub();

  markDamaged(reason: string): ReadModelError {
    return this.#build.markDamaged(reason);
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
        // Another read may have switched to it meanwhile; that object knows its partitions.
        if (next.info.build !== this.#build.info.build) this.#build = next;
      }
    }
  }
}

function isGone(error: unknown): boolean {
  if (error instanceof Swapped) return true;
  return error instanceof ReadModelError && error.code === 'no-such-build';
}
