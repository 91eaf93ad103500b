/** Answers to disputes that the gateway is still to be given. */
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { type Insert, migration, openTables } from '../storage/sql-tables.ts';

export interface PendingAnswer {
  /** Of the event that the answer was recorded by: each is another one. */
  readonly position: string;
  readonly tenantId: number;
  readonly disputeId: string;
  /** Times it could not be given. */
  readonly tries: number;
  /** ISO 8601, GMT. */
  readonly dueAt: string;
}

/** Stands with the checkpoint of the follower that fills it. */
export interface PendingAnswers {
  /** Durable when it resolves; the same position again changes its tries and its time. */
  put(answer: PendingAnswer): Promise<void>;
  /** The first ones that are due, in the order of their times. */
  dueBy(at: string, limit: number): Promise<readonly PendingAnswer[]>;
  nextDueAt(): Promise<string | undefined>;
  remove(position: string): Promise<void>;
  close(): void;
}

export const pendingAnswerMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-27-dispute-answers': migration(
    `CREATE TABLE counterfoil_host.dispute_answers (
      position text PRIMARY KEY,
      tenant_id bigint NOT NULL,
      dispute_id text NOT NULL,
      tries integer NOT NULL,
      due_at text NOT NULL
    )`,
  ),
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS dispute_answers (
    position TEXT PRIMARY KEY,
    tenant_id INTEGER NOT NULL,
    dispute_id TEXT NOT NULL,
    tries INTEGER NOT NULL,
    due_at TEXT NOT NULL
  ) STRICT`;

interface Row {
  readonly position: string;
  readonly tenant_id: number | string;
  readonly dispute_id: string;
  readonly tries: number;
  readonly due_at: string;
}

/** In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. */
export function openPendingAnswers(place: string | Pool): PendingAnswers {
  const tables = openTables(place, { schema: SCHEMA, synchronous: 'NORMAL' });
  const table = tables.dialect.table('dispute_answers', 'dispute_answers');
  const insert: Insert = {
    table,
    columns: {
      position: 'text',
      tenant_id: 'bigint',
      dispute_id: 'text',
      tries: 'integer',
      due_at: 'text',
    },
    suffix: 'ON CONFLICT (position) DO UPDATE SET tries = excluded.tries, due_at = excluded.due_at',
  };
  const due = `SELECT * FROM ${table} WHERE due_at <= $1 ORDER BY due_at, position LIMIT $2`;
  const next = `SELECT min(due_at) AS due_at FROM ${table}`;
  const remove = `DELETE FROM ${table} WHERE position = $1`;
  return {
    async put({ position, tenantId, disputeId, tries, dueAt }) {
      await tables.insert(insert, [[position, tenantId, disputeId, tries, dueAt]]);
    },
    async dueBy(at, limit) {
      const rows = await tables.all<Row>(due, [at, limit]);
      return rows.map(({ tenant_id, dispute_id: disputeId, due_at: dueAt, position, tries }) => ({
        position,
        tenantId: Number(tenant_id),
        disputeId,
        tries,
        dueAt,
      }));
    },
    async nextDueAt() {
      const [row] = await tables.all<{ due_at: string | null }>(next, []);
      return row?.due_at ?? undefined;
    },
    async remove(position) {
      await tables.all(remove, [position]);
    },
    close: () => tables.close(),
  };
}
