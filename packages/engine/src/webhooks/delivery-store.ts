/** The deliveries of messages to endpoints, and every try of each. What a message says is not in it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '@counterfoil/core';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { PLACES_SCHEMA, type Places, placesIn } from '../storage/checkpoints.ts';
import { RoundTrips } from '../storage/round-trips.ts';
import {
  migration,
  openFile,
  PostgresTables,
  SqliteTables,
  type SqlTables,
  type SqlValue,
} from '../storage/sql-tables.ts';
import { DELIVERY_COLUMNS, END_CLAIMS, statementsOf, tablesOf } from './delivery-sql.ts';

/** The name of the checkpoint of the reactor that adds deliveries. */
export const WEBHOOK_READER = 'webhooks';

/** `held`: of an endpoint that is paused. `dead`: given up, and kept to be replayed by hand. */
export const DELIVERY_STATUS = ['pending', 'held', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUS)[number];

export interface NewDelivery {
  readonly id: string;
  /** The same to every endpoint. */
  readonly messageId: string;
  readonly tenantId: TenantId;
  readonly endpointId: string;
  readonly type: string;
  /** What it is about: deliveries of one subject keep their order. */
  readonly subject: string;
  /** The order in its subject. */
  readonly place: string;
  /** Where in the stream of that name the event is; null for a message with data of its own. */
  readonly revision: number | null;
  /** JSON without personal data; null for that of an event. */
  readonly data: string | null;
  readonly sandbox: boolean;
  /** Whom it is about; null for nobody. */
  readonly customerId: number | null;
  /** The time of the event. */
  readonly createdAt: string;
}

export interface AddedDelivery extends NewDelivery {
  /** Whether its endpoint wants the order of each subject. Default: true. */
  readonly ordered?: boolean;
}

export interface Delivery extends NewDelivery {
  readonly status: DeliveryStatus;
  /** Failed since it was added, or last replayed. */
  readonly tries: number;
  /** Made altogether. */
  readonly attempts: number;
  readonly dueAt: string;
  readonly changedAt: string;
  /** Of the last failure; empty for none. */
  readonly reason: string;
}

export interface Attempt {
  /** Counts from 1. */
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  /** Of HTTP; null where none was received. */
  readonly status: number | null;
  /** Why there was no status; null where there was one. */
  readonly error: string | null;
  /** The first bytes of the answer. Empty once the person is erased. */
  readonly answer: string;
}

/** What becomes of a delivery after a try. */
export interface Outcome {
  readonly status: 'pending' | 'delivered' | 'dead';
  /** The next try of `pending`. */
  readonly dueAt: string;
  readonly reason: string;
}

/** A try, and what becomes of its delivery. */
export interface Tried {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly outcome: Outcome;
  /** Whether what is later of the subject waits for it. */
  readonly ordered: boolean;
}

/** An endpoint with deliveries of one status. */
export interface Waiting {
  readonly endpointId: string;
  readonly tenantId: TenantId;
  /** The first that is due. */
  readonly dueAt: string;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly types?: readonly string[] | undefined;
  /** Of the event; inclusive. */
  readonly since?: string | undefined;
  /** Exclusive. */
  readonly until?: string | undefined;
}

export interface DeliveryPlace {
  readonly createdAt: string;
  readonly id: string;
}

const [DELIVERIES, ATTEMPTS] = tablesOf({
  prefix: 'counterfoil_host.',
  text: 'text COLLATE "C"',
  integer: 'bigint',
});

export const webhookMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-26-webhooks': migration(...DELIVERIES, ...ATTEMPTS),
};

/**
 * In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. A loss
 * of power may take the last commits of a file away, deliveries and place in the log together.
 */
export function openDeliveries(
  place: string | Pool,
  { gatherMs = GATHER_MS }: { readonly gatherMs?: number } = {},
): DeliveryStore {
  if (typeof place !== 'string') return new DeliveryStore(new PostgresTables(place), gatherMs);
  const [deliveries, attempts] = tablesOf({ prefix: '', text: 'TEXT', integer: 'INTEGER' });
  const schema = [PLACES_SCHEMA, ...deliveries, ...attempts].join(';');
  const database = openFile(place, { schema, synchronous: 'NORMAL', secureDelete: true });
  database.exec(END_CLAIMS);
  database.exec(TUNING);
  return new DeliveryStore(new SqliteTables(database), gatherMs);
}

const RECORDED_AT_ONCE = 200;
/** Records that are written together share pages: a commit writes each page once. */
const GATHER_MS = 20;

/** Ids come in any order, so each change is of another page: checkpoints that are rarer write fewer of them. */
const TUNING = 'PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -8000';

export class DeliveryStore {
  /** How far the log has been read for messages: kept with them, so that neither outlives the other. */
  readonly places: Places;
  readonly #tables: SqlTables;
  readonly #sql: ReturnType<typeof statementsOf>;
  /** Distinguishes claims. */
  readonly #claimant = randomUUID();
  /** Those of some milliseconds are in one transaction of a file. */
  readonly #records: RoundTrips<Tried, undefined>;

  constructor(tables: SqlTables, gatherMs: number) {
    this.#tables = tables;
    this.#sql = statementsOf(tables);
    this.places = placesIn(tables);
    this.#records = new RoundTrips<Tried, undefined>(
      (tried) => this.#recordAll(tried),
      RECORDED_AT_ONCE,
      () => sleep(gatherMs),
    );
  }

  /** Adds them, all or none; one that was added before stays as it is. */
  async add(deliveries: readonly AddedDelivery[], now: string): Promise<void> {
    const rows = deliveries.map((each) => [
      ...[each.id, each.messageId, each.tenantId, each.endpointId, each.type],
      ...[each.subject, each.place, each.revision, each.data],
      ...[Number(each.sandbox), each.customerId, each.createdAt],
      ...['pending', 0, 0, now, now, ''],
    ]);
    await this.#tables.insert(this.#sql.add, rows);
    // Behind one that waits for its next try, they wait too.
    for (const { id, ordered = true } of deliveries) {
      if (ordered) await this.#tables.all(this.#sql.defer, [id, now]);
    }
  }

  /** The endpoints with deliveries of a status. */
  async waiting(status: 'pending' | 'held'): Promise<readonly Waiting[]> {
    const rows = await this.#tables.all<{
      endpoint_id: string;
      tenant_id: string | number;
      due_at: string;
    }>(this.#sql.waiting[status]);
    return rows.map((row) => ({
      endpointId: row.endpoint_id,
      tenantId: Number(row.tenant_id) as TenantId,
      dueAt: row.due_at,
    }));
  }

  /**
   * Claims what may be sent to an endpoint now, in the order in which it became due; of each subject,
   * the first. No other caller may send it until it is recorded, given up, or the claim has expired.
   */
  async take(
    { endpointId, ordered }: { readonly endpointId: string; readonly ordered: boolean },
    now: string,
    limit: number,
  ): Promise<readonly Delivery[]> {
    const text = ordered ? this.#sql.takeInOrder : this.#sql.take;
    const rows = await this.#tables.all<Row>(text, [endpointId, now, limit, this.#claimant]);
    return rows.map(deliveryOf).toSorted(inOrder);
  }

  /** Records a try of a delivery that was taken, and what becomes of it. */
  async record(tried: Tried): Promise<void> {
    await this.#records.ask(tried);
  }

  /** Gives up claims without a try. */
  async giveBack(deliveries: readonly Delivery[]): Promise<void> {
    for (const { id } of deliveries)
      await this.#tables.all(this.#sql.unclaim, [id, this.#claimant]);
  }

  async hold(endpointId: string): Promise<void> {
    await this.#tables.all(this.#sql.hold, [endpointId]);
  }

  async resume(endpointId: string): Promise<void> {
    await this.#tables.all(this.#sql.resume, [endpointId]);
  }

  /** Gives up all that waits for an endpoint. */
  async abandon(endpointId: string, reason: string, now: string): Promise<void> {
    await this.#tables.all(this.#sql.abandon, [endpointId, reason, now]);
  }

  /** When the first pending one is due; undefined when none is. */
  async nextDueAt(): Promise<string | undefined> {
    const waiting = await this.waiting('pending');
    return waiting.map(({ dueAt }) => dueAt).toSorted()[0];
  }

  /** Of all endpoints. */
  async counts(): Promise<{ readonly pending: number; readonly dead: number }> {
    const [row] = await this.#tables.all<{ pending: string | number; dead: string | number }>(
      this.#sql.counts,
    );
    return { pending: Number(row?.pending), dead: Number(row?.dead) };
  }

  async get(endpointId: string, id: string): Promise<Delivery | undefined> {
    const [row] = await this.#tables.all<Row>(this.#sql.get, [endpointId, id]);
    return row && deliveryOf(row);
  }

  /** Those of these ids that are there, of one tenant. */
  async ofIds(tenantId: TenantId, ids: readonly string[]): Promise<readonly Delivery[]> {
    const keys = ids.map((id) => [id, tenantId]);
    return (await this.#tables.find<Row>(this.#sql.byId, keys)).map(deliveryOf);
  }

  async attemptsOf(id: string): Promise<readonly Attempt[]> {
    const rows = await this.#tables.all<AttemptRow>(this.#sql.attempts, [id]);
    return rows.map((row) => ({
      number: Number(row.number),
      at: row.at,
      durationMs: Number(row.duration_ms),
      status: row.status === null ? null : Number(row.status),
      error: row.error,
      answer: row.answer,
    }));
  }

  /** Newest first. */
  async page(
    endpointId: string,
    filter: DeliveryFilter,
    { after, limit }: { readonly after?: DeliveryPlace | undefined; readonly limit: number },
  ): Promise<readonly Delivery[]> {
    const { where, values } = conditionsOf(endpointId, filter);
    if (after !== undefined) {
      values.push(after.createdAt, after.id);
      where.push(`(created_at, id) < ($${values.length - 1}, $${values.length})`);
    }
    values.push(limit);
    const rows = await this.#tables.all<Row>(
      `SELECT ${DELIVERY_COLUMNS} FROM ${this.#sql.deliveries} WHERE ${where.join(' AND ')}
       ORDER BY created_at DESC, id DESC LIMIT $${values.length}`,
      values,
    );
    return rows.map(deliveryOf);
  }

  /** Makes one due now, with all its tries. False while it is being sent. */
  async replay(id: string, now: string): Promise<boolean> {
    return (await this.#tables.all(this.#sql.replay, [id, now])).length === 1;
  }

  /** As `replay`, of those of an endpoint that have ended, the oldest first. Answers the times of their events. */
  async replayAll(
    endpointId: string,
    filter: DeliveryFilter,
    { now, limit }: { readonly now: string; readonly limit: number },
  ): Promise<readonly string[]> {
    const { where, values } = conditionsOf(endpointId, filter);
    values.push(now, limit);
    const { deliveries } = this.#sql;
    const replayed = await this.#tables.all<{ created_at: string }>(
      `UPDATE ${deliveries} SET ${this.#sql.replayed(`$${values.length - 1}`)}
       WHERE id IN (
         SELECT id FROM ${deliveries}
         WHERE ${where.join(' AND ')} AND status IN ('delivered', 'dead')
         ORDER BY created_at, id LIMIT $${values.length}
       ) RETURNING created_at`,
      values,
    );
    return replayed.map((row) => row.created_at);
  }

  /** Empties what receivers answered to messages about a person. */
  async forget(about: {
    readonly tenantId: number;
    readonly sandbox: boolean;
    readonly customerId: number;
  }): Promise<void> {
    const values = [about.tenantId, Number(about.sandbox), about.customerId];
    await this.#tables.all(this.#sql.markForgotten, values);
    await this.#tables.all(this.#sql.forget, values);
  }

  /** Leaves nothing of what was forgotten in the files. */
  async scrub(): Promise<boolean> {
    return this.#tables.scrub(this.#sql.attemptTable);
  }

  /** Removes at most `limit` that ended before an instant, with their tries; answers how many. */
  async removeBefore(instant: string, limit: number): Promise<number> {
    const rows = await this.#tables.all<{ id: string }>(this.#sql.ended, [instant, limit]);
    for (const { id } of rows) {
      await this.#tables.all(this.#sql.removeAttempts, [id]);
      await this.#tables.all(this.#sql.remove, [id]);
    }
    return rows.length;
  }

  close(): void {
    this.#tables.close();
  }

  async #recordAll(tried: readonly Tried[]): Promise<undefined[]> {
    const tables = this.#tables;
    if (tables instanceof PostgresTables) {
      const run = async (statements: readonly Statement[]) => {
        for (const [text, values] of statements) await tables.all(text, values);
        return undefined;
      };
      return Promise.all(tried.map((each) => run(this.#recording(each))));
    }
    tables.transaction(() => {
      for (const [text, values] of tried.flatMap((each) => this.#recording(each))) {
        tables.all(text, values);
      }
    });
    return tried.map(() => undefined);
  }

  #recording({ delivery, attempt, outcome, ordered }: Tried): readonly Statement[] {
    const { id, endpointId, subject, place } = delivery;
    const { number, at, durationMs, status, error, answer } = attempt;
    const { dueAt, reason } = outcome;
    const tries = delivery.tries + 1;
    const ended = [id, outcome.status, tries, number, dueAt, reason, at, this.#claimant];
    const later = [endpointId, subject, place, dueAt];
    const isOver = outcome.status !== 'pending';
    return [
      [this.#sql.addAttempt, [id, number, at, durationMs, status, error, answer]],
      [this.#sql.settle, ended],
      ...(ordered ? [[isOver ? this.#sql.release : this.#sql.putOff, later] as const] : []),
    ];
  }
}

type Statement = readonly [text: string, values: readonly SqlValue[]];

function inOrder(one: Delivery, other: Delivery): number {
  if (one.dueAt !== other.dueAt) return one.dueAt < other.dueAt ? -1 : 1;
  return one.place < other.place ? -1 : 1;
}

function conditionsOf(endpointId: string, { status, types, since, until }: DeliveryFilter) {
  const values: SqlValue[] = [endpointId];
  const where = ['endpoint_id = $1'];
  const add = (condition: (parameter: string) => string, value: SqlValue) => {
    values.push(value);
    where.push(condition(`$${values.length}`));
  };
  if (status !== undefined) add((parameter) => `status = ${parameter}`, status);
  if (since !== undefined) add((parameter) => `created_at >= ${parameter}`, since);
  if (until !== undefined) add((parameter) => `created_at < ${parameter}`, until);
  if (types !== undefined && types.length > 0) {
    values.push(...types);
    const last = types.map((_, index) => `$${values.length - types.length + index + 1}`);
    where.push(`type IN (${last.join()})`);
  }
  return { where, values };
}

interface Row {
  readonly id: string;
  readonly message_id: string;
  readonly tenant_id: string | number;
  readonly endpoint_id: string;
  readonly type: string;
  readonly subject: string;
  readonly place: string;
  readonly revision: string | number | null;
  readonly data: string | null;
  readonly sandbox: string | number;
  readonly customer_id: string | number | null;
  readonly created_at: string;
  readonly status: DeliveryStatus;
  readonly tries: string | number;
  readonly attempts: string | number;
  readonly due_at: string;
  readonly changed_at: string;
  readonly reason: string;
}

interface AttemptRow {
  readonly number: string | number;
  readonly at: string;
  readonly duration_ms: string | number;
  readonly status: string | number | null;
  readonly error: string | null;
  readonly answer: string;
}

function deliveryOf(row: Row): Delivery {
  return {
    id: row.id,
    messageId: row.message_id,
    tenantId: Number(row.tenant_id) as TenantId,
    endpointId: row.endpoint_id,
    type: row.type,
    subject: row.subject,
    place: row.place,
    revision: numberOf(row.revision),
    data: row.data,
    sandbox: Number(row.sandbox) === 1,
    customerId: numberOf(row.customer_id),
    createdAt: row.created_at,
    status: row.status,
    tries: Number(row.tries),
    attempts: Number(row.attempts),
    dueAt: row.due_at,
    changedAt: row.changed_at,
    reason: row.reason,
  };
}

function numberOf(value: string | number | null): number | null {
  return value === null ? null : Number(value);
}
