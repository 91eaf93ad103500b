/** Writes the activity of callers before they are answered, and reads it. */
import { setTimeout } from 'node:timers/promises';
import { uuidV7 } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../runtime/clock.ts';
import { RoundTrips } from '../storage/round-trips.ts';
import type { Activity, ActivityFilter, ActivityRecord, Owner } from './activity.ts';
import type { ActivityQuery, ActivityStore, OwnedRecord } from './activity-store.ts';

/** Records that wait for a store which cannot be written; more are lost. */
const MAX_UNWRITTEN = 10_000;
/** An answer waits so long for a database that does not answer. */
const PATIENCE_MS = 2_000;
const EXPORT_PAGE = 500;

interface ActivityServices {
  readonly store: ActivityStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class ActivityLog {
  readonly #store: ActivityStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #unwritten: readonly OwnedRecord[] = [];
  #lost = 0;
  #lastMs = 0;
  /** Records of the last millisecond. */
  #seq = 0;
  /** The records of requests that are answered at the same time share a transaction. */
  readonly #writes = new RoundTrips<readonly OwnedRecord[], undefined>((added) =>
    this.#write(added.flat()).then(() => added.map(() => undefined)),
  );

  constructor({ store, clock, logger }: ActivityServices) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Records that could not be written yet. */
  get unwritten(): number {
    return this.#unwritten.length;
  }

  /** Records that will never be written. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Resolves when it is written; what it is about has happened, and so it never rejects. What cannot be
   * written is tried again with the next record.
   */
  async record({ tenantId, environment }: Owner, activity: Activity): Promise<void> {
    const at = this.#clock.now();
    const id = this.#idAt(Date.parse(at));
    const writing = this.#writes.ask([{ ...activity, id, at, tenantId, environment }]);
    if (!this.#store.isShared) return writing;
    const waiting = new AbortController();
    const tooLong = setTimeout(PATIENCE_MS, undefined, { ref: false, signal: waiting.signal });
    await Promise.race([writing, tooLong]);
    waiting.abort();
    await tooLong.catch(() => undefined);
  }

  async page(query: ActivityQuery): Promise<readonly ActivityRecord[]> {
    return this.#store.page(query);
  }

  /** All records of before, newest first, in pages. */
  async *pages(owner: Owner, filter: ActivityFilter): AsyncGenerator<readonly ActivityRecord[]> {
    let after: string | undefined;
    do {
      const query = { ...owner, ...filter, after, limit: EXPORT_PAGE };
      const page = await this.#store.page(query);
      if (page.length > 0) yield page;
      after = page.length < EXPORT_PAGE ? undefined : page.at(-1)?.id;
    } while (after !== undefined);
  }

  /** Removes at most `limit` records that are older than so many days; returns how many. */
  async removeOlder(days: number, limit: number): Promise<number> {
    const nowMs = Date.parse(this.#clock.now());
    return this.#store.removeBefore(nowMs - days * 24 * 60 * 60_000, limit);
  }

  /** Tries again to write what could not be written. */
  async writeAgain(): Promise<void> {
    if (this.#unwritten.length > 0) await this.#writes.ask([]);
  }

  async close(): Promise<void> {
    await this.writeAgain();
    await this.#writes.rest();
    if (this.unwritten > 0) {
      this.#logger.error({ records: this.unwritten }, 'records of activity are lost');
    }
    await this.#store.close();
  }

  /** Sorts after those before it. */
  #idAt(msecs: number): string {
    this.#seq = msecs === this.#lastMs ? this.#seq + 1 : 0;
    this.#lastMs = msecs;
    return uuidV7({ msecs, seq: this.#seq });
  }

  async #write(added: readonly OwnedRecord[]): Promise<void> {
    const records = [...this.#unwritten, ...added];
    try {
      await this.#store.add(records);
      this.#unwritten = [];
    } catch (error) {
      if (this.unwritten === 0) {
        this.#logger.error({ err: error }, 'activity cannot be written for now');
      }
      this.#unwritten = records.slice(0, MAX_UNWRITTEN);
      this.#lost += records.length - this.unwritten;
    }
  }
}
