// The log that the protocol server serves: streams, their order in $all, and the rules of appending.
import { randomUUID } from 'node:crypto';
import { encodeEvent } from './event-message.ts';
import { isBefore, type Position } from './position.ts';
import { MAX_REVISION, type StreamMetadata, streamMetadataOf } from './stream-metadata.ts';

/** The stream's revision that an append expects. */
export type Expected = 'any' | 'noStream' | 'streamExists' | bigint;

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LogEvent extends Position {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  /** The event as it is sent, encoded once: a read copies nothing and encodes nothing. */
  readonly message: Buffer;
}

export type AppendOutcome =
  | { readonly kind: 'appended'; readonly revision: bigint; readonly position?: Position }
  /** `current` is -1n for a stream that was never written to. */
  | { readonly kind: 'wrongExpectedVersion'; readonly current: bigint }
  | { readonly kind: 'streamDeleted' };

export type StreamView =
  | { readonly kind: 'found'; readonly events: readonly LogEvent[]; readonly first: number }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'deleted' };

export interface LogOptions {
  /** Where the first record starts: beyond 2^53 to catch those who take positions for numbers. */
  readonly firstPosition?: bigint;
  /** One statistics event of the server's own after so many events; 0 for none. */
  readonly systemEventEvery?: number;
  /**
   * Whether an append is written as an explicit transaction, as old logs have them: its events
   * share one commit position and differ in their prepare positions.
   */
  readonly transactions?: boolean;
  /** How many event ids are remembered for appends that expect no exact revision. */
  readonly rememberedIds?: number;
}

/** What the real server's eight megabytes of remembered ids come to. */
const REMEMBERED_IDS = 100_000;
const SYSTEM_EVENT_EVERY = 25;
/** Bytes of a record beside its texts, as the real log has them. */
const RECORD_OVERHEAD = 93;
const NO_METADATA: StreamMetadata = { truncateBefore: 0n, maxCount: undefined };
const NOTHING = new Uint8Array(0);
const STATISTICS_STREAM = '$stats-0.0.0.0:2113';

interface StreamState {
  readonly events: LogEvent[];
  metadata: StreamMetadata;
  tombstoned: boolean;
}

export class Log {
  /** Every event in the order of positions, the server's own included. */
  readonly events: LogEvent[] = [];

  readonly #streams = new Map<string, StreamState>();
  readonly #rememberedIds = new Map<string, { stream: string; revision: bigint }>();
  readonly #followers = new Set<() => void>();
  readonly #systemEventEvery: number;
  readonly #transactions: boolean;
  readonly #rememberedLimit: number;
  #end: bigint;
  #sinceSystemEvent = 0;

  constructor(options: LogOptions = {}) {
    this.#end = options.firstPosition ?? 0n;
    this.#systemEventEvery = options.systemEventEvery ?? SYSTEM_EVENT_EVERY;
    this.#transactions = options.transactions ?? false;
    this.#rememberedLimit = options.rememberedIds ?? REMEMBERED_IDS;
    this.#writeFirstEvents();
  }

  /** The position after the last record. */
  get end(): bigint {
    return this.#end;
  }

  /** Calls back after every append, until the function that it returns is called. */
  follow(onAppend: () => void): () => void {
    this.#followers.add(onAppend);
    return () => this.#followers.delete(onAppend);
  }

  append(stream: string, expected: Expected, proposed: readonly ProposedEvent[]): AppendOutcome {
    const state = this.#streams.get(stream);
    const decision = this.#decide(stream, state, expected, proposed);
    if (decision !== 'write') return decision;
    if (proposed.length === 0) return { kind: 'appended', revision: this.#lastRevision(state) };
    const undeletes = state !== undefined && isSoftDeleted(state);
    const firstRevision = this.#lastRevision(state) + 1n;
    const last = this.#write(stream, proposed);
    if (undeletes) this.#writeMetadata(stream, { $tb: Number(firstRevision) });
    this.#writeStatistics(proposed.length);
    this.#notify();
    return { kind: 'appended', revision: last.revision, position: positionOf(last) };
  }

  /** Hides the events of the stream so far; a later append brings the stream back. */
  softDelete(stream: string, expected: Expected): AppendOutcome {
    const decision = this.#decide(stream, this.#streams.get(stream), expected, [tombstone()]);
    if (decision !== 'write') return decision;
    const last = this.#writeMetadata(stream, { $tb: MAX_REVISION });
    this.#notify();
    return { kind: 'appended', revision: last.revision, position: positionOf(last) };
  }

  /** Ends the stream for ever. */
  tombstone(stream: string, expected: Expected): AppendOutcome {
    const decision = this.#decide(stream, this.#streams.get(stream), expected, [tombstone()]);
    if (decision !== 'write') return decision;
    const last = this.#write(stream, [tombstone()], MAX_REVISION);
    this.#stateOf(stream).tombstoned = true;
    this.#notify();
    return { kind: 'appended', revision: last.revision, position: positionOf(last) };
  }

  view(stream: string): StreamView {
    const state = this.#streams.get(stream);
    if (state === undefined) return { kind: 'notFound' };
    if (state.tombstoned) return { kind: 'deleted' };
    if (state.events.length === 0 || isSoftDeleted(state)) return { kind: 'notFound' };
    const kept = state.metadata.maxCount ?? state.events.length;
    const first = Math.max(Number(state.metadata.truncateBefore), state.events.length - kept);
    return { kind: 'found', events: state.events, first };
  }

  /** The index in `events` of the first event at `position` or after it. */
  indexAt(position: Position): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.events[middle] as LogEvent, position)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a record starts there; the real server refuses to read from inside of a record. */
  isRecordStart(commit: bigint): boolean {
    if (commit === 0n || commit >= this.#end) return true;
    const event = this.events[this.indexAt({ commit, prepare: 0n })];
    return event?.commit === commit;
  }

  /** What a restart of the real server loses: the ids it had in memory, not the log. */
  forgetIds(): void {
    this.#rememberedIds.clear();
  }

  #decide(
    stream: string,
    state: StreamState | undefined,
    expected: Expected,
    proposed: readonly ProposedEvent[],
  ): AppendOutcome | 'write' {
    if (state?.tombstoned === true) return { kind: 'streamDeleted' };
    const current = this.#lastRevision(state);
    const wrong: AppendOutcome = { kind: 'wrongExpectedVersion', current };
    if (expected === 'streamExists') {
      if (state !== undefined && isSoftDeleted(state)) return { kind: 'streamDeleted' };
      if (current < 0n && !this.#streams.has(`$$${stream}`)) return wrong;
    }
    if (expected === 'any' || expected === 'streamExists') {
      return this.#decideByIds(stream, proposed, wrong);
    }
    const revision = expected === 'noStream' ? -1n : expected;
    if (revision > current) return wrong;
    if (revision === current || state === undefined) return 'write';
    return this.#decideByPlace(state, revision, proposed, wrong);
  }

  /** Without an exact revision an append counts as repeated if all its ids are remembered. */
  #decideByIds(
    stream: string,
    proposed: readonly ProposedEvent[],
    wrong: AppendOutcome,
  ): AppendOutcome | 'write' {
    let last: bigint | undefined;
    for (const { id } of proposed) {
      const remembered = this.#rememberedIds.get(id);
      if (remembered?.stream !== stream) return last === undefined ? 'write' : wrong;
      last = remembered.revision;
    }
    return last === undefined ? 'write' : this.#repeated(stream, last);
  }

  /** With a revision that has passed, it counts as repeated if the same ids follow that revision. */
  #decideByPlace(
    state: StreamState,
    expected: bigint,
    proposed: readonly ProposedEvent[],
    wrong: AppendOutcome,
  ): AppendOutcome | 'write' {
    let revision = expected;
    for (const { id } of proposed) {
      revision += 1n;
      if (state.events[Number(revision)]?.id === id) continue;
      const revives = revision === 0n && expected === -1n && isSoftDeleted(state);
      return revives ? 'write' : wrong;
    }
    if (revision === expected) return wrong;
    const last = state.events[Number(revision)] as LogEvent;
    return this.#repeated(last.stream, revision);
  }

  #repeated(stream: string, revision: bigint): AppendOutcome {
    const last = this.#stateOf(stream).events[Number(revision)] as LogEvent;
    return { kind: 'appended', revision, position: positionOf(last) };
  }

  #write(stream: string, proposed: readonly ProposedEvent[], revision?: bigint): LogEvent {
    const state = this.#stateOf(stream);
    const prepares = proposed.map((event) => this.#advance(stream, event));
    // An explicit transaction ends with a record of its own, which is where its events count from.
    const commit = this.#transactions ? this.#advance(stream, tombstone()) : undefined;
    let last: LogEvent | undefined;
    for (const [index, event] of proposed.entries()) {
      const prepare = prepares[index] as bigint;
      last = this.#keep(state, {
        stream,
        event,
        revision: revision ?? BigInt(state.events.length),
        commit: commit ?? prepare,
        prepare,
      });
    }
    return last as LogEvent;
  }

  #keep(
    state: StreamState,
    at: { stream: string; event: ProposedEvent; revision: bigint } & Position,
  ): LogEvent {
    const { stream, event, revision, commit, prepare } = at;
    const message = encodeEvent({ ...event, stream, revision, commit, prepare });
    const kept = { stream, revision, id: event.id, type: event.type, commit, prepare, message };
    if (revision !== MAX_REVISION) state.events.push(kept);
    this.events.push(kept);
    this.#remember(event.id, stream, revision);
    if (stream.startsWith('$$')) {
      this.#stateOf(stream.slice(2)).metadata = streamMetadataOf(event.data);
    }
    return kept;
  }

  #remember(id: string, stream: string, revision: bigint): void {
    this.#rememberedIds.set(id, { stream, revision });
    if (this.#rememberedIds.size <= this.#rememberedLimit) return;
    for (const oldest of this.#rememberedIds.keys()) {
      this.#rememberedIds.delete(oldest);
      return;
    }
  }

  /** Takes the place of one record, whose length depends on its content as in the real log. */
  #advance(stream: string, event: ProposedEvent): bigint {
    const start = this.#end;
    const length =
      RECORD_OVERHEAD +
      stream.length +
      event.type.length +
      event.data.length +
      event.metadata.length;
    this.#end = start + BigInt(length);
    return start;
  }

  #writeMetadata(stream: string, metadata: { $tb: number | bigint }): LogEvent {
    // Not JSON.stringify: the largest revision is no number of JavaScript's.
    const data = Buffer.from(`{"$tb":${metadata.$tb}}`);
    return this.#write(`$$${stream}`, [systemEvent('$metadata', data)]);
  }

  #writeFirstEvents(): void {
    // The real log opens with an epoch record and the accounts it comes with.
    this.#end += 1107n;
    if (this.#systemEventEvery === 0) return;
    this.#write('$user-admin', [systemEvent('$UserCreated', Buffer.from('{"loginName":"admin"}'))]);
    this.#write('$users', [systemEvent('$User', Buffer.from('admin'))]);
    const limits = Buffer.from('{"$maxAge":86400}');
    this.#write(`$$${STATISTICS_STREAM}`, [systemEvent('$metadata', limits)]);
  }

  #writeStatistics(appended: number): void {
    if (this.#systemEventEvery === 0) return;
    this.#sinceSystemEvent += appended;
    while (this.#sinceSystemEvent >= this.#systemEventEvery) {
      this.#sinceSystemEvent -= this.#systemEventEvery;
      const data = Buffer.from(`{"events":${this.events.length}}`);
      this.#write(STATISTICS_STREAM, [systemEvent('$statsCollected', data)]);
    }
  }

  #lastRevision(state: StreamState | undefined): bigint {
    return BigInt(state?.events.length ?? 0) - 1n;
  }

  #stateOf(stream: string): StreamState {
    let state = this.#streams.get(stream);
    if (state === undefined) {
      state = { events: [], metadata: NO_METADATA, tombstoned: false };
      this.#streams.set(stream, state);
    }
    return state;
  }

  #notify(): void {
    for (const follower of this.#followers) follower();
  }
}

function positionOf(event: LogEvent): Position {
  return { commit: event.commit, prepare: event.prepare };
}

function isSoftDeleted(state: StreamState): boolean {
  return state.metadata.truncateBefore === MAX_REVISION;
}

function tombstone(): ProposedEvent {
  return { ...systemEvent('$streamDeleted', NOTHING), isJson: false };
}

function systemEvent(type: string, data: Uint8Array): ProposedEvent {
  return { id: randomUUID(), type, isJson: true, data, metadata: NOTHING };
}
