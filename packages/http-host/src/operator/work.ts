/** What an operator has the host do that takes long: rebuilds, counts and examinations, one at a time. */
import type { Checked, Examination } from '@counterfoil/engine/doctor';

export type Work =
  /** Replays the log into a new build of the read model, and puts that in the place of the live one. */
  | { readonly kind: 'rebuild'; readonly projection: string }
  /** Counts the rows of the live build. */
  | { readonly kind: 'count'; readonly projection: string }
  /** Has the doctor examine the data; `quick` reads no events and rebuilds nothing. */
  | { readonly kind: 'examine'; readonly quick: boolean };

export interface Counted {
  readonly build: number;
  readonly collections: readonly { readonly collection: string; readonly count: number }[];
}

export interface RebuiltModel {
  readonly build: number;
  readonly events: number;
  /** Counts where the new build is not equal to the one before; null where there was none to compare with. */
  readonly differences:
    | readonly { readonly collection: string; readonly before: number; readonly after: number }[]
    | null;
  /** Streams of which an event could not be applied. */
  readonly parked: number;
}

/** Each check with what it is called. */
export interface Examined extends Examination {
  readonly checks: readonly (Checked & { readonly title: string })[];
}

export type Outcome =
  | ({ readonly kind: 'rebuild' } & RebuiltModel)
  | ({ readonly kind: 'count' } & Counted)
  | ({ readonly kind: 'examine' } & Examined);

export interface WorkProgress {
  /** The phase, or the check. */
  readonly what: string;
  readonly done: number;
  /** Undefined where it is not known. */
  readonly total?: number;
}

/** A piece of work that was begun. Times are those of the ledger. */
export interface WorkState {
  readonly work: Work;
  readonly by: string;
  readonly startedAt: string;
  readonly progress?: WorkProgress;
  readonly endedAt?: string;
  /** One of these two once it has ended. */
  readonly outcome?: Outcome;
  readonly failure?: string;
}

/** Where pieces of work are done; `signal` ends it. */
export type DoWork = (
  work: Work,
  signal: AbortSignal,
  onProgress: (progress: WorkProgress) => void,
) => Promise<Outcome>;

interface Options {
  readonly does: DoWork;
  readonly now: () => string;
  readonly onEnded: (state: WorkState) => void;
}

/** Longer than any ledger needs: what hangs is ended. */
const LONGEST_MS = 12 * 60 * 60_000;

export class OperatorWork {
  readonly #options: Options;
  /** The last of each kind and read model, also the one under way. */
  readonly #states = new Map<string, WorkState>();
  #running:
    | { readonly name: string; readonly stop: AbortController; ended: Promise<void> }
    | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The newest last. */
  get states(): readonly WorkState[] {
    return [...this.#states.values()];
  }

  get running(): WorkState | undefined {
    return this.#running && this.#states.get(this.#running.name);
  }

  last(work: Pick<Work, 'kind'> & { readonly projection?: string }): WorkState | undefined {
    return this.#states.get(nameOf(work));
  }

  /** Undefined where other work is under way, and nothing was begun. */
  begin(work: Work, by: string): WorkState | undefined {
    if (this.#running !== undefined) return undefined;
    const name = nameOf(work);
    const begun: WorkState = { work, by, startedAt: this.#options.now() };
    this.#put(name, begun);
    const stop = new AbortController();
    const running = { name, stop, ended: Promise.resolve() };
    this.#running = running;
    running.ended = this.#run(name, begun, stop.signal);
    return begun;
  }

  /** Ends what is under way; false where nothing is. */
  async stop(by: string): Promise<boolean> {
    if (this.#running === undefined) return false;
    this.#running.stop.abort(new Error(`Stopped by ${by}`));
    await this.#running.ended;
    return true;
  }

  async #run(name: string, begun: WorkState, stopped: AbortSignal): Promise<void> {
    const { does, now, onEnded } = this.#options;
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(LONGEST_MS)]);
    let state = begun;
    try {
      const outcome = await does(begun.work, signal, (progress) => {
        state = { ...state, progress };
        this.#put(name, state);
      });
      state = { ...state, endedAt: now(), outcome };
    } catch (error) {
      const { message } = (signal.aborted ? signal.reason : error) as Error;
      state = { ...state, endedAt: now(), failure: message };
    }
    this.#running = undefined;
    this.#put(name, state);
    onEnded(state);
  }

  #put(name: string, state: WorkState): void {
    this.#states.delete(name);
    this.#states.set(name, state);
  }
}

function nameOf(work: { readonly kind: string; readonly projection?: string }): string {
  return work.projection === undefined ? work.kind : `${work.kind} ${work.projection}`;
}
