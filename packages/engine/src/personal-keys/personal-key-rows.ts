/**
 * The table of the customers' keys in the database that hosts share: one row a customer, emptied for
 * good when the person is erased. Its failures are those of a store of events: without keys nothing
 * can be stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EventStoreError,
  type EventStoreErrorCode,
  type Position,
  type Subject,
  type TenantId,
} from '@counterfoil/core';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { isBrokenOff } from '../storage/database-failures.ts';
import type { KeyMark } from './customer-keys.ts';
import type { CustomerKey } from './personal-key-file.ts';

/** Where the keys stand, for people. */
export const KEY_TABLE = 'counterfoil_host.personal_keys';

export const personalKeyMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-personal-keys': {
    async up(database: Kysely<unknown>) {
      // A page keeps room for the tombstones of its rows, and is tidied as soon as it has one.
      await sql`
        CREATE TABLE counterfoil_host.personal_keys (
          tenant bigint NOT NULL,
          customer bigint NOT NULL,
          sandbox boolean NOT NULL,
          wrapped bytea, -- NULL once the person is erased
          filler bytea, -- as long as the key was, in its place
          PRIMARY KEY (tenant, sandbox, customer)
        ) WITH (
          fillfactor = 90,
          autovacuum_vacuum_threshold = 0,
          autovacuum_vacuum_scale_factor = 0
        )
      `.execute(database);
      await sql`
        CREATE TABLE counterfoil_host.personal_keys_of_log (
          one integer PRIMARY KEY CHECK (one = 1),
          first_event text NOT NULL
        )
      `.execute(database);
    },
  },
  '2026-11-22-personal-keys-mark': {
    async up(database: Kysely<unknown>) {
      // In the row of the log: whoever restores it restores the mark with it.
      await sql`
        ALTER TABLE counterfoil_host.personal_keys_of_log
          ADD COLUMN whole_after text, -- NULL before anybody looked
          ADD COLUMN whole_event_id text,
          ADD COLUMN whole_keys bigint
      `.execute(database);
    },
  },
};

const PAGE_SIZE = 1_000;
/** A connection that broke is no failure yet: whatever is asked here may be asked again. */
const RETRY_AFTER_MS = [20, 100, 500] as const;

/** Whatever the session's default is: what was sealed under a key that a power cut takes is lost. */
const DURABLE = `durable AS (SELECT set_config('synchronous_commit', 'on', true))`;

interface KeyRow extends QueryResultRow {
  readonly tenant: string;
  readonly sandbox: boolean;
  readonly customer: string;
  readonly wrapped: Buffer | null;
}

interface MarkRow extends QueryResultRow {
  readonly whole_after: Position;
  readonly whole_event_id: string;
  readonly whole_keys: string;
}

export class KeyRows {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * The rows of those who have one. Not a named statement: its plan, made while the table was small,
   * would read all of it long after it has grown.
   */
  async find(subjects: readonly Subject[]): Promise<readonly CustomerKey[]> {
    const rows = await this.#ask<KeyRow>({
      text: `
        SELECT kept.tenant, kept.sandbox, kept.customer, kept.wrapped
        FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS wanted (tenant, sandbox, customer)
        JOIN ${KEY_TABLE} AS kept USING (tenant, sandbox, customer)`,
      values: columnsOf(subjects),
    });
    return rows.map(keyOf);
  }

  /** Adds the keys of those who have none, in one commit, durable when it answers who these were. */
  async add(
    keys: readonly { readonly subject: Subject; readonly wrapped: Uint8Array }[],
  ): Promise<readonly Subject[]> {
    // In order: two hosts that add the same ones never wait for each other in a circle.
    const rows = await this.#ask<Omit<KeyRow, 'wrapped'>>({
      name: 'personal-keys-add',
      text: `
        WITH ${DURABLE}
        INSERT INTO ${KEY_TABLE} (tenant, sandbox, customer, wrapped)
        SELECT made.tenant, made.sandbox, made.customer, made.wrapped
        FROM durable, unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bytea[])
          AS made (tenant, sandbox, customer, wrapped)
        ORDER BY 1, 2, 3
        ON CONFLICT DO NOTHING
        RETURNING tenant, sandbox, customer`,
      values: [
        ...columnsOf(keys.map(({ subject }) => subject)),
        keys.map(({ wrapped }) => Buffer.from(wrapped)),
      ],
    });
    return rows.map(subjectOf);
  }

  /**
   * Durable when it answers. The tombstone is as large as the row was: when the database closes the
   * gap in the page, the one comes to lie where the other lay.
   */
  async destroy({ tenantId, sandbox, customerId }: Subject): Promise<void> {
    await this.#ask({
      name: 'personal-keys-destroy',
      text: `
        WITH ${DURABLE}
        INSERT INTO ${KEY_TABLE} AS kept (tenant, sandbox, customer)
        SELECT $1, $2, $3 FROM durable
        ON CONFLICT (tenant, sandbox, customer) DO UPDATE
        SET wrapped = NULL, filler = decode(repeat('00', octet_length(kept.wrapped)), 'hex')
        WHERE kept.wrapped IS NOT NULL`,
      values: [tenantId, sandbox, customerId],
    });
    await this.#tidy();
  }

  /** Closes the gaps that destroyed keys have left. What it may not touch now, autovacuum does. */
  async #tidy(): Promise<void> {
    try {
      await this.#pool.query(`VACUUM (SKIP_LOCKED, TRUNCATE FALSE) ${KEY_TABLE}`);
    } catch {
      // The key is destroyed; the table is set to be vacuumed for every single row in any case.
    }
  }

  /** All rows, in pages. */
  async *pages(): AsyncGenerator<readonly CustomerKey[]> {
    let after: readonly (string | boolean)[] = ['-1', false, '-1'];
    for (;;) {
      const rows: readonly KeyRow[] = await this.#ask<KeyRow>({
        text: `
          SELECT tenant, sandbox, customer, wrapped FROM ${KEY_TABLE}
          WHERE (tenant, sandbox, customer) > ($1::bigint, $2::boolean, $3::bigint)
          ORDER BY tenant, sandbox, customer LIMIT ${PAGE_SIZE}`,
        values: [...after],
      });
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(keyOf);
      after = [last.tenant, last.sandbox, last.customer];
    }
  }

  async count(): Promise<number> {
    const [row] = await this.#ask<{ count: string }>({
      text: `SELECT count(*) AS count FROM ${KEY_TABLE}`,
    });
    return Number(row?.count);
  }

  async mark(): Promise<KeyMark | undefined> {
    const [row] = await this.#ask<MarkRow>({
      text: `
        SELECT whole_after, whole_event_id, whole_keys
        FROM ${KEY_TABLE}_of_log WHERE whole_after IS NOT NULL`,
    });
    if (row === undefined) return undefined;
    const { whole_after: after, whole_event_id: eventId, whole_keys: keys } = row;
    return { after, eventId, keys: Number(keys) };
  }

  async setMark({ after, eventId, keys }: KeyMark): Promise<void> {
    await this.#ask({
      text: `
        UPDATE ${KEY_TABLE}_of_log
        SET whole_after = $1, whole_event_id = $2, whole_keys = $3`,
      values: [after, eventId, keys],
    });
  }

  async firstEvent(): Promise<string | undefined> {
    const [row] = await this.#ask<{ first_event: string }>({
      name: 'personal-keys-log',
      text: `SELECT first_event FROM ${KEY_TABLE}_of_log`,
    });
    return row?.first_event;
  }

  /** Another host may have said it meanwhile; what stands is for the caller to compare. */
  async belongTo(firstEvent: string): Promise<void> {
    await this.#ask({
      name: 'personal-keys-belong',
      text: `
        WITH ${DURABLE}
        INSERT INTO ${KEY_TABLE}_of_log SELECT 1, $1 FROM durable ON CONFLICT DO NOTHING`,
      values: [firstEvent],
    });
  }

  /** Whatever is asked may be asked twice, so a connection that broke is replaced by another. */
  async #ask<Row extends QueryResultRow>(query: QueryConfig): Promise<readonly Row[]> {
    for (const pauseMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        return (await this.#pool.query<Row>(query)).rows;
      } catch (error) {
        if (pauseMs === undefined || !isBrokenOff(error)) throw failureOf(error);
        await sleep(pauseMs);
      }
    }
    throw new Error('a question was neither answered nor refused');
  }
}

function columnsOf(subjects: readonly Subject[]): [number[], boolean[], number[]] {
  return [
    subjects.map(({ tenantId }) => tenantId),
    subjects.map(({ sandbox }) => sandbox),
    subjects.map(({ customerId }) => customerId),
  ];
}

function subjectOf({ tenant, sandbox, customer }: Omit<KeyRow, 'wrapped'>): Subject {
  return { tenantId: Number(tenant) as TenantId, sandbox, customerId: Number(customer) };
}

function keyOf(row: KeyRow): CustomerKey {
  return { subject: subjectOf(row), wrapped: row.wrapped };
}

/** SQLSTATE, or the system's word; undefined for what the driver says of a connection itself. */
function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

const CODES: Readonly<Record<string, EventStoreErrorCode>> = {
  '53100': 'full',
  '25006': 'read-only',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

function failureOf(error: unknown): EventStoreError {
  const code = CODES[codeOf(error) ?? ''] ?? 'unavailable';
  const { message } = error as Error;
  return new EventStoreError(code, `the customers' keys (${KEY_TABLE}): ${message}`, {
    cause: error,
  });
}
