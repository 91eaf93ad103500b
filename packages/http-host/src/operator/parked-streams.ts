/** Streams whose events could not be applied to a read model: listed, and applied again. */
import type { Engine } from '@counterfoil/engine';
import { type Build, PROJECTIONS, ReadModelError } from '@counterfoil/projections';

/** Streams that are listed, for each read model. */
const MOST_LISTED = 200;
/** Where more are parked, they are only named: reading all their events would take long. */
const MOST_READ = 1_000;
/** Streams that one call applies again. */
export const MOST_RETRIED = 100;

export interface ParkedView {
  readonly projection: string;
  readonly stream: string;
  /** Of the first event that waits. Absent, as what follows, where there are too many to read. */
  readonly type?: string;
  /** Why that could not be applied. */
  readonly error?: string;
  /** When it was appended. */
  readonly since?: string;
  readonly events?: number;
  /** How often this host has tried again in vain since it started, and when last. */
  readonly tries: number;
  readonly triedAt?: string;
}

export interface ParkedList {
  readonly items: readonly ParkedView[];
  /** There are more than are listed. */
  readonly isMore: boolean;
}

/** `unfollowed`: this process does not follow the read model at the moment, and nothing was done. */
export type Retried = 'applied' | 'parked' | 'absent' | 'unfollowed';

interface Tries {
  readonly tries: number;
  readonly triedAt: string;
}

export class ParkedStreams {
  readonly #engine: Engine;
  /** By read model, then by stream. */
  readonly #tries = new Map<string, Map<string, Tries>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Every read model of this ledger. */
  get projections(): readonly string[] {
    return [...PROJECTIONS.map(({ name }) => name), ...this.#engine.ownProjections.names];
  }

  /** Of one read model, or of all. */
  async list(projections: readonly string[] = this.projections): Promise<ParkedList> {
    const lists = await Promise.all(projections.map((each) => this.#listOf(each)));
    return {
      items: lists.flatMap(({ items }) => items),
      isMore: lists.some(({ isMore }) => isMore),
    };
  }

  async #listOf(projection: string): Promise<ParkedList> {
    const live = await this.#live(projection);
    const names = [...((await live?.parkedStreams()) ?? [])];
    this.#forget(projection, names);
    const tries = this.#tries.get(projection);
    const triesOf = (stream: string) => tries?.get(stream) ?? { tries: 0 };
    const isMore = names.length > MOST_LISTED;
    if (names.length === 0 || names.length > MOST_READ) {
      const listed = names.toSorted().slice(0, MOST_LISTED);
      const items = listed.map((stream) => ({ projection, stream, ...triesOf(stream) }));
      return { items, isMore };
    }
    const parked = (await live?.parked()) ?? [];
    const items = parked.slice(0, MOST_LISTED).map(({ stream, error, events }) => ({
      projection,
      stream,
      ...(events[0] !== undefined && { type: events[0].type, since: events[0].time }),
      error,
      events: events.length,
      ...triesOf(stream),
    }));
    return { items, isMore };
  }

  async retry(projection: string, stream: string): Promise<Retried> {
    const parked = await (await this.#live(projection))?.parkedStreams();
    if (parked?.has(stream) !== true) return 'absent';
    const { projecting, ownProjections } = this.#engine;
    const isOwn = ownProjections.names.includes(projection);
    const applied = await (isOwn ? ownProjections : projecting).retryParked(projection, stream);
    if (applied === undefined) return 'unfollowed';
    this.#count(projection, stream, applied);
    return applied ? 'applied' : 'parked';
  }

  /** As many as one call takes, those first that were tried least. */
  async retryAll(projection: string): Promise<Record<'applied' | 'parked' | 'left', number>> {
    const parked = [...((await (await this.#live(projection))?.parkedStreams()) ?? [])];
    const triesOf = (stream: string) => this.#tries.get(projection)?.get(stream)?.tries ?? 0;
    const order = parked.toSorted((one, other) => triesOf(one) - triesOf(other));
    const became = { applied: 0, parked: 0, left: Math.max(0, order.length - MOST_RETRIED) };
    for (const [index, stream] of order.slice(0, MOST_RETRIED).entries()) {
      const retried = await this.retry(projection, stream);
      if (retried === 'unfollowed') return { ...became, left: order.length - index };
      became[retried === 'parked' ? 'parked' : 'applied'] += 1;
    }
    return became;
  }

  /** Undefined while there is none to be read. */
  async #live(projection: string): Promise<Build | undefined> {
    try {
      return await this.#engine.stores.readModels.live(projection);
    } catch (error) {
      if (error instanceof ReadModelError) return undefined;
      throw error;
    }
  }

  #count(projection: string, stream: string, applied: boolean): void {
    const of = this.#tries.get(projection) ?? new Map<string, Tries>();
    const { tries } = of.get(stream) ?? { tries: 0 };
    if (applied) of.delete(stream);
    else of.set(stream, { tries: tries + 1, triedAt: this.#engine.clock.now() });
    this.#tries.set(projection, of);
  }

  /** What is not parked any more. */
  #forget(projection: string, parked: readonly string[]): void {
    const names = new Set(parked);
    const of = this.#tries.get(projection);
    for (const stream of of?.keys() ?? []) if (!names.has(stream)) of?.delete(stream);
  }
}
