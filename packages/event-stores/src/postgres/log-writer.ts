/** Appends in batches: requests that arrive while a batch is under way share the next one. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppendAllResult, AppendRequest, AppendResult, StreamName } from '@counterfoil/core';
import type pg from 'pg';
import { type Reply, resultOf, resultOfAll } from '../append-request.ts';
import { measure } from '../append-size.ts';
import { BackOff } from '../back-off.ts';
import { APPEND_PARAMETERS, type BatchRow, pack, replyAt } from './batch.ts';
import { endsConnection, kindOf, portError } from './failures.ts';
import { connect, disconnect, type Server } from './sessions.ts';

/** Each stream of a batch takes a lock; a server has some thousands for all its clients. */
const MAX_BATCH_COMMANDS = 256;
/**
 * After a batch has been under way for so long, another may start in parallel. Not before: two small
 * batches cost more than one, and what usually takes so long is a stream lock of another host.
 */
const OVERTAKE_AFTER_MS = 20;
/** Largest append, in UTF-16 units of data and metadata. */
const MAX_APPEND_LENGTH = 64 * 1024 * 1024;
/** In the same units. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;

export interface WriterOptions {
  readonly server: Server;
  readonly schema: string;
  /** Names the log in messages. */
  readonly place: string;
  /** How many batches may be under way at once, each on its own connection. */
  readonly lanes: number;
  /** How long an append is retried while the server cannot be reached. */
  readonly retryForMs: number;
  /** Called when events have become durable, before their appends are answered. */
  readonly onCommit: () => void;
}

/** Appends that are made as one, mostly a single one. */
interface Pending {
  readonly requests: readonly AppendRequest[];
  readonly length: number;
  readonly expiresAt: number;
  /** It failed in a batch, and is retried by itself, so that an error concerns it alone. */
  alone: boolean;
  /** Called with a reply to each. */
  readonly answer: (replies: readonly [Reply, ...Reply[]]) => void;
  readonly reject: (error: Error) => void;
}

interface Lane {
  readonly name: string;
  readonly backOff: BackOff;
  client: pg.Client | undefined;
  isBusy: boolean;
  /** When its batch was taken. */
  beganAt: number;
}

export class LogWriter {
  readonly #options: WriterOptions;
  readonly #statement: { readonly name: string; readonly text: string };
  readonly #lanes: readonly Lane[];
  #queue: Pending[] = [];
  /** Streams of the batches under way: no two of them hold the same one. */
  readonly #streamsUnderWay = new Set<StreamName>();
  #isScheduled = false;
  #overtaking: NodeJS.Timeout | undefined;
  #idle: (() => void) | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const text = `SELECT * FROM ${options.schema}.append(${APPEND_PARAMETERS})`;
    this.#statement = { name: 'append', text };
    this.#lanes = Array.from({ length: options.lanes }, (_, index) => ({
      name: `writer ${index + 1}`,
      backOff: new BackOff(),
      client: undefined,
      isBusy: false,
      beganAt: 0,
    }));
  }

  /** Appends a request that the port has checked. */
  append(request: AppendRequest): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#add({ requests: [request], answer: ([reply]) => resolve(resultOf(reply)), reject });
    });
  }

  /** The same for requests that are appended as one. */
  appendAll(requests: readonly AppendRequest[]): Promise<AppendAllResult> {
    return new Promise((resolve, reject) => {
      this.#add({ requests, answer: (replies) => resolve(resultOfAll(replies)), reject });
    });
  }

  #add(asked: Pick<Pending, 'requests' | 'answer' | 'reject'>): void {
    const length = measure(asked.requests, MAX_APPEND_LENGTH);
    const expiresAt = performance.now() + this.#options.retryForMs;
    this.#queue.push({ ...asked, length, expiresAt, alone: false });
    this.#schedule();
  }

  /** Waits for open appends, which end within their time limit. */
  async close(): Promise<void> {
    if (this.#queue.length > 0 || this.#lanes.some((lane) => lane.isBusy)) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    clearTimeout(this.#overtaking);
    for (const lane of this.#lanes) if (lane.client !== undefined) disconnect(lane.client);
  }

  /** At the end of this turn of the event loop, so that all appends of the turn share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#lanes.every((lane) => lane.isBusy)) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    for (const lane of this.#lanes) {
      if (lane.isBusy) continue;
      if (this.#mustWait()) break;
      const batch = this.#takeBatch();
      if (batch.length === 0) break;
      void this.#run(lane, batch);
    }
    const isIdle = this.#queue.length === 0 && !this.#lanes.some((lane) => lane.isBusy);
    if (isIdle) this.#idle?.();
  }

  /** Whether the newest batch has only just started; if so, a timer tries again. */
  #mustWait(): boolean {
    const newest = Math.max(
      ...this.#lanes.map(({ isBusy, beganAt }) => (isBusy ? beganAt : -Infinity)),
    );
    const waitMs = newest + OVERTAKE_AFTER_MS - performance.now();
    if (waitMs <= 0 || this.#queue.length === 0) return false;
    this.#overtaking ??= setTimeout(() => {
      this.#overtaking = undefined;
      this.#begin();
    }, waitMs);
    return true;
  }

  /**
   * The next requests that fit into a batch. A request that has to wait also delays those after it on
   * the same stream, so that each stream's appends keep their order.
   */
  #takeBatch(): readonly Pending[] {
    const batch: Pending[] = [];
    let rest: Pending[] = [];
    const held = new Set<StreamName>();
    const commands = new Set<string>();
    let length = 0;
    let appends = 0;
    for (const [index, pending] of this.#queue.entries()) {
      const { requests } = pending;
      const names = requests.map(({ stream, command }) => `${command.id} ${stream}`);
      const isFull =
        appends + requests.length > MAX_BATCH_COMMANDS ||
        (batch.length > 0 && (length + pending.length > MAX_BATCH_LENGTH || batch[0]?.alone));
      if (isFull) {
        rest = rest.concat(this.#queue.slice(index));
        break;
      }
      const waits =
        requests.some(({ stream }) => this.#streamsUnderWay.has(stream) || held.has(stream)) ||
        names.some((name) => commands.has(name)) ||
        (pending.alone && batch.length > 0);
      if (waits) {
        for (const { stream } of requests) held.add(stream);
        rest.push(pending);
      } else {
        for (const name of names) commands.add(name);
        batch.push(pending);
        length += pending.length;
        appends += requests.length;
      }
    }
    this.#queue = rest;
    for (const stream of streamsOf(batch)) this.#streamsUnderWay.add(stream);
    return batch;
  }

  async #run(lane: Lane, batch: readonly Pending[]): Promise<void> {
    lane.isBusy = true;
    lane.beganAt = performance.now();
    let pauseMs = 0;
    try {
      const row = await this.#send(lane, batch);
      lane.backOff.reset();
      if (row[0] !== null) this.#options.onCommit();
      let at = 0;
      for (const { requests, answer } of batch) {
        const from = at;
        answer(requests.map((_, index) => replyAt(row, from + index)) as [Reply, ...Reply[]]);
        at += requests.length;
      }
    } catch (error) {
      if (endsConnection(error)) this.#drop(lane);
      pauseMs = await this.#settle(lane, batch, error);
    }
    for (const stream of streamsOf(batch)) this.#streamsUnderWay.delete(stream);
    if (pauseMs > 0) await pause(pauseMs);
    lane.isBusy = false;
    this.#begin();
  }

  /** The answer comes when the transaction is committed. */
  async #send(lane: Lane, batch: readonly Pending[]): Promise<BatchRow> {
    lane.client ??= await connect(this.#options.server, lane.name, (lost) => {
      // Not an earlier connection of the lane.
      if (lane.client === lost) this.#drop(lane);
    });
    const values = [...pack(batch.map(({ requests }) => requests))];
    const query = { ...this.#statement, values, rowMode: 'array' as const };
    const { rows } = await lane.client.query<[...BatchRow]>(query);
    if (rows[0] === undefined) throw new Error('the log gave no answer to a batch');
    return rows[0];
  }

  #drop(lane: Lane): void {
    if (lane.client !== undefined) disconnect(lane.client);
    lane.client = undefined;
  }

  /**
   * Decides what is retried; returns how long the lane pauses first. A batch whose answer was lost is
   * sent again: the log recognises its commands, and while the first attempt still runs its streams
   * are locked.
   */
  async #settle(lane: Lane, batch: readonly Pending[], error: unknown): Promise<number> {
    const kind = kindOf(error);
    if (kind === 'passing') {
      this.#tryAgain(batch, error);
      return lane.backOff.nextMs();
    }
    if (kind === 'foreign') {
      const failure = await this.#beginEra(lane);
      if (failure !== undefined) this.#drop(lane);
      this.#tryAgain(batch, failure ?? error);
      return lane.backOff.nextMs();
    }
    const mayBeOne = kind === 'request' || kind === 'too-large';
    if (mayBeOne && batch.length > 1) {
      for (const pending of batch) pending.alone = true;
      this.#queue.unshift(...batch);
      return 0;
    }
    for (const { reject } of batch) reject(portError(error, this.#options.place));
    return 0;
  }

  /** Queues requests with time left again; rejects the others, whose outcome is unknown. */
  #tryAgain(batch: readonly Pending[], error: unknown): void {
    const now = performance.now();
    const all = [...batch, ...this.#queue];
    this.#queue = all.filter(({ expiresAt }) => expiresAt > now);
    for (const { expiresAt, reject } of all) {
      if (expiresAt <= now) reject(portError(error, this.#options.place));
    }
  }

  async #beginEra(lane: Lane): Promise<unknown> {
    try {
      await lane.client?.query(`SELECT ${this.#options.schema}.begin_era_where_needed()`);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

function streamsOf(batch: readonly Pending[]): readonly StreamName[] {
  return batch.flatMap(({ requests }) => requests.map(({ stream }) => stream));
}
