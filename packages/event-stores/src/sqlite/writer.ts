/** The main thread's side of the writer: gathers appends into batches, which are written one after the other. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AppendAllResult, AppendRequest, AppendResult, StreamName } from '@counterfoil/core';
import { EventStoreError } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import { APPENDED, CONFLICT, type Reply, resultOf, resultOfAll } from '../append-request.ts';
import { workerFile } from '../worker-file.ts';
import type { Failure } from './failures.ts';
import type { PackedReplies, Part, WriterGreeting, WriterOptions } from './messages.ts';
import { END, FAILED, pack, positionOf, REPLY_FIELDS } from './messages.ts';
import { RecentEvents } from './recent-events.ts';

/** Limits of one batch. */
const MAX_BATCH_COMMANDS = 1_024;
const MAX_BATCH_LENGTH = 16 * 1024 * 1024;

/** Commands sent ahead of the rest of their batch: one thread writes while the other decides. */
const PART_COMMANDS = 16;
/** Batches sent and not answered: the thread begins the next one without waiting for it. */
const MAX_UNDER_WAY = 2;

/** Streams whose last revision is kept; about 150 bytes each. */
const KNOWN_STREAMS = 50_000;

/** The file of the thread that writes. Throws an Error where a bundle lacks it. */
export function writerFile(): string {
  return workerFile(() => new URL('./writer-worker.ts', import.meta.url));
}

/** Appends that are made as one, mostly a single one. */
interface Pending {
  readonly requests: readonly AppendRequest[];
  /** Called with a reply to each. */
  readonly answer: (replies: readonly [Reply, ...Reply[]]) => void;
  readonly reject: (error: Error) => void;
}

interface Batch {
  /** Not sent yet. */
  packed: (string | number)[];
  readonly pending: Pending[];
  length: number;
}

/** Opens the log for writing, in a new thread. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const worker = new Worker(writerFile(), { workerData: options, name: 'counterfoil-log-writer' });
  const ended = once(worker, 'exit');
  const greeted = once(worker, 'message') as Promise<[WriterGreeting]>;
  const [greeting] = await Promise.race([greeted, ended.then(() => [undefined])]);
  if (greeting === undefined || 'failure' in greeting) {
    await ended;
    throw errorOf(greeting?.failure);
  }
  return new Writer(worker, greeting.head);
}

export class Writer {
  readonly #worker: Worker;
  /** Called when the head has moved, before the appends resolve. */
  onCommit: () => void = () => {};
  /** Of this writer's appends, up to the head. */
  readonly recent = new RecentEvents();
  readonly #revisions = new LRUCache<StreamName, number>({
    // `max` would allocate for all of them at once.
    maxSize: KNOWN_STREAMS,
    sizeCalculation: () => 1,
  });
  /** How many appends to a stream are not answered yet: they may be in the log, and be read there by others. */
  readonly #open = new Map<StreamName, number>();
  #head: number;
  /** Batches to send; the last one is still open for appends. */
  #waiting: Batch[] = [];
  /** Batches sent as a whole, oldest first. */
  #underWay: Batch[] = [];
  #scheduled = false;
  /** Size at which a batch is sent before the end of the turn of the event loop, or behind another. */
  #share = MAX_BATCH_COMMANDS;
  #failure: EventStoreError | undefined;
  #idle: (() => void) | undefined;

  constructor(worker: Worker, head: number) {
    this.#worker = worker;
    this.#head = head;
    worker.on('message', (replies: PackedReplies) => this.#answer(replies));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail());
  }

  /** Position of the last event known to be durable, 0 for an empty log. */
  get head(): number {
    return this.#head;
  }

  /** The last revision of a stream, -1 for an empty one; undefined when it is not known. */
  lastRevision(stream: StreamName): number | undefined {
    if (this.#failure !== undefined || this.#open.has(stream)) return undefined;
    return this.#revisions.get(stream);
  }

  /** The log was just read: the stream ends at this revision. */
  sawEnd(stream: StreamName, revision: number): void {
    this.#revisions.set(stream, revision);
  }

  /** A later read may have seen more. */
  #acknowledged(stream: StreamName, revision: number): void {
    this.#revisions.set(stream, Math.max(revision, this.#revisions.get(stream) ?? -1));
  }

  /** `length` is that of `measure`. */
  append(request: AppendRequest, length: number): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const answer = ([reply]: readonly [Reply, ...Reply[]]) => resolve(resultOf(reply));
      this.#add({ requests: [request], answer, reject }, length);
    });
  }

  /** `length` is that of all together. */
  appendAll(requests: readonly AppendRequest[], length: number): Promise<AppendAllResult> {
    return new Promise((resolve, reject) => {
      this.#add({ requests, answer: (replies) => resolve(resultOfAll(replies)), reject }, length);
    });
  }

  #add(pending: Pending, length: number): void {
    const { requests } = pending;
    if (this.#failure !== undefined) {
      pending.reject(this.#failure);
      return;
    }
    const batch = this.#openBatch();
    for (const [index, request] of requests.entries()) {
      pack(request, batch.packed, index === 0 ? requests.length : 1);
      this.#open.set(request.stream, (this.#open.get(request.stream) ?? 0) + 1);
    }
    batch.length += length;
    batch.pending.push(pending);
    if (batch === this.#waiting[0]) this.#sendAhead(batch);
    this.#schedule();
  }

  /** Sends the next batch as soon as it is large enough, or another part of it. */
  #sendAhead(batch: Batch): void {
    if (this.#mayFollow(batch)) this.#begin();
    else if (batch.pending.length % PART_COMMANDS === 0) this.#send(batch, false);
  }

  /** Whether the next batch is large enough to be sent behind another. */
  #mayFollow(batch: Batch): boolean {
    return this.#underWay.length < MAX_UNDER_WAY && batch.pending.length >= this.#share;
  }

  /** Finishes open appends, then ends the thread and releases the lock. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return;
    if (!this.#isIdle()) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    if (this.#failure !== undefined) return;
    this.#worker.postMessage(END);
    await once(this.#worker, 'exit');
  }

  #isIdle(): boolean {
    return this.#underWay.length === 0 && this.#waiting.length === 0;
  }

  #openBatch(): Batch {
    const last = this.#waiting.at(-1);
    const takesMore =
      last !== undefined &&
      last.pending.length < MAX_BATCH_COMMANDS &&
      last.length < MAX_BATCH_LENGTH;
    if (takesMore) return last;
    const batch: Batch = { packed: [], pending: [], length: 0 };
    this.#waiting.push(batch);
    return batch;
  }

  /** Sends at the end of this turn of the event loop, so that all appends of the turn share a commit. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay.length > 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#underWay.length === 0) this.#begin();
    });
  }

  /** Closes the next batch, if there is one, and sends the rest of it. */
  #begin(): void {
    const batch = this.#waiting.shift();
    if (batch === undefined) return;
    this.#underWay.push(batch);
    this.#send(batch, true);
  }

  #send(batch: Batch, isLast: boolean): void {
    this.#worker.postMessage({ appends: batch.packed, isLast } satisfies Part);
    batch.packed = [];
  }

  #answer({ replies, failures }: PackedReplies): void {
    const pending = this.#underWay.shift()?.pending ?? [];
    this.#share = this.#shareBeside(pending);
    const [next] = this.#waiting;
    if (next !== undefined && (this.#underWay.length === 0 || this.#mayFollow(next))) this.#begin();
    this.#advance(replies, pending);
    let at = 0;
    for (const { requests, answer, reject } of pending) {
      const [first = FAILED, failure = 0] = [replies[at], replies[at + 1]];
      const answers = requests.map(({ stream }, index) =>
        this.#replyAt(replies, at + index * REPLY_FIELDS, stream),
      );
      // What is appended as one fails as one.
      if (first === FAILED) reject(errorOf(failures[failure]));
      else answer(answers as [Reply, ...Reply[]]);
      at += requests.length * REPLY_FIELDS;
    }
    if (this.#isIdle()) this.#idle?.();
  }

  /** Half of the open appends: one half is written while the other is decided. */
  #shareBeside(answered: readonly Pending[]): number {
    let open = answered.length;
    for (const { pending } of [...this.#underWay, ...this.#waiting]) open += pending.length;
    return Math.min(MAX_BATCH_COMMANDS, Math.max(PART_COMMANDS, Math.ceil(open / 2)));
  }

  #replyAt(replies: readonly number[], at: number, stream: StreamName): Reply {
    const outcome = replies[at] ?? FAILED;
    const revision = replies[at + 1] ?? 0;
    const position = replies[at + 2] ?? 0;
    this.#answered(stream);
    if (outcome === FAILED) this.#revisions.delete(stream);
    if (outcome === APPENDED || outcome === CONFLICT) this.#acknowledged(stream, revision);
    return { outcome, revision, position: () => positionOf(position) };
  }

  #answered(stream: StreamName): void {
    const others = (this.#open.get(stream) ?? 0) - 1;
    if (others > 0) this.#open.set(stream, others);
    else this.#open.delete(stream);
  }

  #advance(replies: readonly number[], pending: readonly Pending[]): void {
    const before = this.#head;
    let at = 0;
    for (const { requests } of pending) {
      for (const request of requests) {
        const position = replies[at + 2] ?? 0;
        if (replies[at] === APPENDED && position > this.#head) {
          this.#head = position;
          this.recent.add(request, position, replies[at + 1] ?? 0);
        }
        at += REPLY_FIELDS;
      }
    }
    if (this.#head > before) this.onCommit();
  }

  /** The thread has ended: open appends may or may not be in the log. */
  #fail(cause?: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = new EventStoreError('unavailable', 'the writer of the log has ended', {
      cause,
    });
    this.#failure = failure;
    const batches = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#waiting = [];
    for (const { pending } of batches) for (const { reject } of pending) reject(failure);
    this.#idle?.();
  }
}

function errorOf(failure: Failure | undefined): Error {
  if (failure === undefined) return new EventStoreError('unavailable', 'the writer gave no answer');
  if (failure.code === undefined) {
    return new TypeError(`the events cannot be stored: ${failure.message}`);
  }
  return new EventStoreError(failure.code, failure.message);
}
