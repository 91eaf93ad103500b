/** Appends in batches: what arrives while a batch is under way shares the next one. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppendRequest, AppendResult, StreamName } from '@counterfoil/core';
import type pg from 'pg';
import { measure } from '../append-request.ts';
import { BackOff } from '../back-off.ts';
import { APPEND_PARAMETERS, type BatchRow, pack, resultAt } from './batch.ts';
import { endsConnection, kindOf, portError } from './failures.ts';
import { connect, letGo, type Server } from './sessions.ts';

/** Each stream of a batch is a lock, of which a server has some thousands for all its clients. */
const MAX_BATCH_COMMANDS = 256;
/**
 * When a batch has been under way for so long, another may begin beside it. Not before: two halves
 * cost more than one whole, and what usually takes so long is a wait for a stream of another host.
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
  /** How many batches may be under way at once, each on a connection of its own. */
  readonly lanes: number;
  /** For how long an append is tried again while the server cannot be reached. */
  readonly retryForMs: number;
  /** Called when events have become durable, before their appends are answered. */
  readonly onCommit: () => void;
}

interface Pending {
  readonly request: AppendRequest;
  readonly length: number;
  readonly expiresAt: number;
  /** It failed in a batch, and goes on without others so that what is wrong concerns it alone. */
  alone: boolean;
  readonly resolve: (result: AppendResult) => void;
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
    const length = measure(request, MAX_APPEND_LENGTH);
    const expiresAt = performance.now() + this.#options.retryForMs;
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, length, expiresAt, alone: false, resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for the appends under way, which end within the limit of their attempts. */
  async close(): Promise<void> {
    if (this.#queue.length > 0 || this.#lanes.some((lane) => lane.isBusy)) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    clearTimeout(this.#overtaking);
    for (const lane of this.#lanes) if (lane.client !== undefined) letGo(lane.client);
  }

  /** At the end of this turn of the event loop, so that all who append in it share a batch. */
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

  /** Whether a batch has begun just now; looks again when it has had its time. */
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
   * The next in order that fit into a batch. What has to wait holds back what follows it on the same
   * stream, so each stream's appends stay in their order.
   */
  #takeBatch(): readonly Pending[] {
    const batch: Pending[] = [];
    let rest: Pending[] = [];
    const held = new Set<StreamName>();
    const commands = new Set<string>();
    let length = 0;
    for (const [index, pending] of this.#queue.entries()) {
      const { stream, command } = pending.request;
      const name = `${command.id} ${stream}`;
      const isFull =
        batch.length >= MAX_BATCH_COMMANDS ||
        (batch.length > 0 && (length + pending.length > MAX_BATCH_LENGTH || batch[0]?.alone));
      if (isFull) {
        rest = rest.concat(this.#queue.slice(index));
        break;
      }
      const waits =
        this.#streamsUnderWay.has(stream) ||
        held.has(stream) ||
        commands.has(name) ||
        (pending.alone && batch.length > 0);
      if (waits) {
        held.add(stream);
        rest.push(pending);
      } else {
        commands.add(name);
        batch.push(pending);
        length += pending.length;
      }
    }
    this.#queue = rest;
    for (const { request } of batch) this.#streamsUnderWay.add(request.stream);
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
      for (const [index, { resolve }] of batch.entries()) resolve(resultAt(row, index));
    } catch (error) {
      if (endsConnection(error)) this.#drop(lane);
      pauseMs = await this.#settle(lane, batch, error);
    }
    for (const { request } of batch) this.#streamsUnderWay.delete(request.stream);
    if (pauseMs > 0) await pause(pauseMs);
    lane.isBusy = false;
    this.#begin();
  }

  /** The answer comes when the transaction is committed. */
  async #send(lane: Lane, batch: readonly Pending[]): Promise<BatchRow> {
    lane.client ??= await connect(this.#options.server, lane.name, (lost) => {
      // News of a former one is none of the present one.
      if (lane.client === lost) this.#drop(lane);
    });
    const values = [...pack(batch.map(({ request }) => request))];
    const query = { ...this.#statement, values, rowMode: 'array' as const };
    const { rows } = await lane.client.query<[...BatchRow]>(query);
    if (rows[0] === undefined) throw new Error('the log gave no answer to a batch');
    return rows[0];
  }

  #drop(lane: Lane): void {
    if (lane.client !== undefined) letGo(lane.client);
    lane.client = undefined;
  }

  /**
   * Decides who tries again, and hands back how long the lane waits before that. Whether a batch whose
   * answer was lost is in the log is settled by sending it again: the log knows its commands, and as
   * long as the first attempt is still at work its streams are locked.
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

  /** Puts back what has time left; the rest is told that its fate is not known. */
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
