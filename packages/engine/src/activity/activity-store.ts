/** Where activity is kept: a table of the engine's own, with an index for each filter. */
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { type Insert, migration, openTables, type SqlTables } from '../storage/sql-tables.ts';
import type { ActivityFilter, ActivityRecord, Owner } from './activity.ts';
import { ActivityWriter } from './activity-writer.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Sorts after every id. */
const LAST_ID = 'g';

const COLUMNS = {
  id: 'text',
  tenant_id: 'bigint',
  environment: 'text',
  at: 'text',
  actor: 'text',
  key_id: 'text',
  request_id: 'text',
  action: 'text',
  subject: 'text',
  outcome: 'text',
  code: 'text',
  remote_address: 'text',
} as const;
const NULLABLE: ReadonlySet<string> = new Set([
  'key_id',
  'request_id',
  'subject',
  'code',
  'remote_address',
]);

/** Those of the filters that select by a column. */
const FILTERS = {
  subject: 'subject',
  keyId: 'key_id',
  actor: 'actor',
  action: 'action',
  outcome: 'outcome',
} as const;

/** All but the usual outcome. */
const IS_UNUSUAL = `outcome <> 'done'`;

/** For each name of an index, its last columns and its condition. */
const INDICES = {
  time: ['id', ''],
  subject: ['subject, id', 'WHERE subject IS NOT NULL'],
  key: ['key_id, id', 'WHERE key_id IS NOT NULL'],
  actor: ['actor, id', ''],
  action: ['action, id', ''],
  outcome: ['outcome, id', `WHERE ${IS_UNUSUAL}`],
} as const;

function definitions(table: string, prefix: string, idType: string): string[] {
  const columns = Object.entries(COLUMNS).map(([name, type]) => {
    if (name === 'id') return `id ${idType} PRIMARY KEY`;
    return `${name} ${type} ${NULLABLE.has(name) ? '' : 'NOT NULL'}`;
  });
  const indices = Object.entries(INDICES).map(
    ([name, [last, where]]) =>
      `CREATE INDEX IF NOT EXISTS ${prefix}_by_${name} ON ${table} (tenant_id, environment, ${last}) ${where}`,
  );
  return [`CREATE TABLE IF NOT EXISTS ${table} (${columns.join()})`, ...indices];
}

export const activityMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-24-activity': migration(
    ...definitions('counterfoil_host.activity', 'activity', 'text COLLATE "C"'),
  ),
};

const [FILE_TABLE = '', ...FILE_INDICES] = definitions('activity', 'activity', 'text NOT NULL');
// Kept in the order of the ids, which is that of time: what is added stands together.
const SCHEMA = [
  `${FILE_TABLE.replaceAll('bigint', 'integer')} WITHOUT ROWID, STRICT`,
  ...FILE_INDICES,
];

/**
 * Of the thread that writes a file. Subjects come in any order, so each record changes another page of their
 * index: checkpoints that are rarer (32 MiB of write-ahead log) and a cache of 8 MiB take a third of the cost
 * of a record.
 */
const SETTINGS = `
  PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;
  PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -8000`;

const IN_MEMORY = ':memory:';
const NAMES = Object.keys(COLUMNS);

function insertInto(table: string): Insert {
  // A batch whose answer was lost is written again.
  const suffix = 'ON CONFLICT (id) DO NOTHING';
  return { table, columns: COLUMNS, suffix, durable: false };
}

/** Removes those from before an id, at most so many. */
function removalFrom(table: string, skipLocked: string): string {
  return `DELETE FROM ${table} WHERE id IN (
    SELECT id FROM ${table} WHERE id < $1 ORDER BY id LIMIT $2 ${skipLocked}
  )`;
}

type Value = string | number | null;

interface Row {
  readonly id: string;
  readonly at: string;
  readonly environment: Owner['environment'];
  readonly actor: string;
  readonly key_id: string | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly outcome: ActivityRecord['outcome'];
  readonly code: string | null;
  readonly remote_address: string | null;
}

export type OwnedRecord = ActivityRecord & Pick<Owner, 'tenantId'>;

export interface ActivityQuery extends Owner, ActivityFilter {
  /** The id that the page comes after. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. */
export class ActivityStore {
  readonly #tables: SqlTables;
  readonly #table: string;
  readonly #insert: Insert;
  /** Of a file, which the connection of `#tables` only reads. */
  readonly #writer: ActivityWriter | undefined;

  /** Throws where a bundle lacks the thread that writes a file. */
  constructor(place: string | Pool) {
    this.#writer = typeof place === 'string' ? writerOf(place) : undefined;
    this.#tables = openTables(place, { schema: SCHEMA.join(';'), synchronous: 'NORMAL' });
    this.#table = this.#tables.dialect.table('activity', 'activity');
    this.#insert = insertInto(this.#table);
  }

  get isShared(): boolean {
    return this.#tables.dialect.isShared;
  }

  /**
   * In one transaction. They survive the end of any process of the ledger; a crash of the machine, or of
   * the database server, may lose those of its last moment.
   */
  async add(records: readonly OwnedRecord[]): Promise<void> {
    if (this.#writer === undefined) {
      await this.#tables.insert(this.#insert, records.map(valuesOf));
    } else {
      await this.#writer.ask({ type: 'add', values: records.flatMap(valuesOf) });
    }
  }

  /** Newest first. */
  async page(query: ActivityQuery): Promise<readonly ActivityRecord[]> {
    const { where, values } = conditionsOf(query);
    values.push(query.limit);
    const rows = await this.#tables.all<Row>(
      `SELECT * FROM ${this.#table} WHERE ${where} ORDER BY id DESC LIMIT $${values.length}`,
      values,
    );
    return rows.map(recordOf);
  }

  /** Removes at most `limit` records from before an instant; returns how many. */
  async removeBefore(ms: number, limit: number): Promise<number> {
    const before = firstIdAt(ms);
    if (this.#writer !== undefined) {
      // Mostly there is nothing to remove, and no need of the thread.
      const old = `SELECT 1 AS found FROM ${this.#table} WHERE id < $1 LIMIT 1`;
      const [found] = await this.#tables.all(old, [before]);
      return found === undefined ? 0 : this.#writer.ask({ type: 'remove', before, limit });
    }
    const removal = removalFrom(this.#table, this.#tables.dialect.skipLocked);
    const removed = await this.#tables.all(`${removal} RETURNING 1 AS removed`, [before, limit]);
    return removed.length;
  }

  /** The thread goes last: it removes the write-ahead log. */
  async close(): Promise<void> {
    this.#tables.close();
    await this.#writer?.close();
  }
}

function writerOf(path: string): ActivityWriter | undefined {
  if (path === IN_MEMORY) return undefined;
  const { table, suffix } = insertInto('activity');
  const values = NAMES.map(() => '?').join();
  return new ActivityWriter({
    path,
    settings: SETTINGS,
    fields: NAMES.length,
    add: `INSERT INTO ${table} (${NAMES.join()}) VALUES (${values}) ${suffix}`,
    remove: removalFrom(table, '').replaceAll('$', '?'),
  });
}

function conditionsOf(query: ActivityQuery) {
  const { tenantId, environment, after = LAST_ID, dateFrom, dateTo } = query;
  const from = dateFrom === undefined ? '' : firstIdAt(Date.parse(dateFrom));
  const end = dateTo === undefined ? LAST_ID : firstIdAt(Date.parse(dateTo) + DAY_MS);
  const [before = LAST_ID] = [after, end].toSorted();
  const values: Value[] = [tenantId, environment, from, before];
  const where = ['tenant_id = $1', 'environment = $2', 'id >= $3', 'id < $4'];
  let hasIndex = false;
  for (const name of filtersIn(query)) {
    const value = query[name];
    if (value === undefined) continue;
    values.push(value);
    const column = FILTERS[name];
    const isIndexed = !hasIndex && !(name === 'outcome' && value === 'done');
    // As an expression the column cannot make a database use the index of another filter.
    where.push(`${isIndexed ? column : `(${column} || '')`} = $${values.length}`);
    if (isIndexed && name === 'outcome') where.push(IS_UNUSUAL);
    hasIndex = true;
  }
  return { where: where.join(' AND '), values };
}

/** The one that selects the fewest records first: its index is used. */
function filtersIn({ outcome }: ActivityFilter): readonly (keyof typeof FILTERS)[] {
  const last = ['outcome', 'action'] as const;
  return ['subject', 'keyId', 'actor', ...(outcome === 'done' ? last.toReversed() : last)];
}

/** Sorts before every id of the instant, and after those before it. */
function firstIdAt(ms: number): string {
  const hex = Math.max(ms, 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function valuesOf(record: OwnedRecord): readonly Value[] {
  const { id, tenantId, environment, at, actor, keyId, requestId } = record;
  const { action, subject, outcome, code, remoteAddress } = record;
  return [
    ...[id, tenantId, environment, at, actor, keyId, requestId],
    ...[action, subject, outcome, code, remoteAddress],
  ];
}

function recordOf(row: Row): ActivityRecord {
  const { id, at, environment, actor, action, subject, outcome, code } = row;
  return {
    id,
    at,
    environment,
    actor,
    keyId: row.key_id,
    requestId: row.request_id,
    action,
    subject,
    outcome,
    code,
    remoteAddress: row.remote_address,
  };
}
