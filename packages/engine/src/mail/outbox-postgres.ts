/** The outbox in the database of the hosts: whichever of them sends, each mail is sent by one. */
import { randomUUID } from 'node:crypto';
import type { StreamName, TenantId } from '@counterfoil/core';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import type { Places } from '../storage/checkpoints.ts';
import { openSharedCheckpoints } from '../storage/checkpoints-postgres.ts';
import {
  type AskedMail,
  type Ended,
  forgottenBefore,
  MAIL_READER,
  MAX_FORGOTTEN_AT_ONCE,
  type MailKind,
  type Outbox,
  type PutOff,
  type QueuedMail,
} from './outbox.ts';

/**
 * A host that claims a mail has so long to hand it over, twice what a mail server is given. Then it is
 * taken for dead, and another may send.
 */
const CLAIM_SECONDS = 120;

const TABLE = 'counterfoil_host.mails';

/** Times of hosts are text, as hosts compare them; a claim is measured by the database's own clock. */
export const outboxMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-mails': {
    async up(database: Kysely<unknown>) {
      await sql`
        CREATE TABLE counterfoil_host.mails (
          event_id text PRIMARY KEY,
          kind text NOT NULL,
          tenant_id bigint NOT NULL,
          stream text NOT NULL,
          revision integer NOT NULL,
          recorded_at text NOT NULL,
          status text NOT NULL,
          tries integer NOT NULL,
          due_at text COLLATE "C" NOT NULL,
          reason text NOT NULL,
          changed_at text COLLATE "C" NOT NULL,
          claimed_by uuid,
          claimed_until timestamptz
        )
      `.execute(database);
      await sql`
        CREATE INDEX mails_queued ON counterfoil_host.mails (due_at) WHERE status = 'queued'
      `.execute(database);
      await sql`
        CREATE INDEX mails_ended ON counterfoil_host.mails (changed_at) WHERE status <> 'queued'
      `.execute(database);
    },
  },
};

const QUEUE = `
  INSERT INTO ${TABLE}
    (event_id, kind, tenant_id, stream, revision, recorded_at, status, tries, due_at, reason,
     changed_at)
  SELECT event_id, kind, tenant_id, stream, revision, recorded_at, 'queued', 0, $7, '', $7
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::integer[], $6::text[])
    AS asked (event_id, kind, tenant_id, stream, revision, recorded_at)
  ON CONFLICT (event_id) DO NOTHING`;

const FORGET = `
  DELETE FROM ${TABLE} WHERE event_id IN (
    SELECT event_id FROM ${TABLE} WHERE status <> 'queued' AND changed_at < $1
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )`;

const IS_FREE = '(claimed_until IS NULL OR claimed_until <= clock_timestamp())';

const DUE = `
  SELECT event_id, kind, tenant_id, stream, revision, recorded_at, tries FROM ${TABLE}
  WHERE status = 'queued' AND due_at <= $1 AND ${IS_FREE}
  ORDER BY due_at LIMIT $2`;

const CLAIM = `
  UPDATE ${TABLE}
  SET claimed_by = $3, claimed_until = clock_timestamp() + interval '${CLAIM_SECONDS} seconds'
  WHERE event_id = $1 AND tries = $2 AND status = 'queued' AND ${IS_FREE}
  RETURNING event_id`;

const NEXT_DUE = `SELECT min(due_at) AS due_at FROM ${TABLE} WHERE status = 'queued'`;
const COUNT = `SELECT count(*)::integer AS count FROM ${TABLE} WHERE status = 'queued'`;

/** Not of a mail that is another's meanwhile: it may be on its way. */
const PUT_OFF = `
  UPDATE ${TABLE}
  SET tries = $2, due_at = $3, reason = $4, changed_at = $5, claimed_by = NULL, claimed_until = NULL
  WHERE event_id = $1 AND status = 'queued' AND (claimed_by = $6 OR ${IS_FREE})`;

const END = `
  UPDATE ${TABLE}
  SET status = $2, tries = $3, reason = $4, changed_at = $5, claimed_by = NULL, claimed_until = NULL
  WHERE event_id = $1 AND status = 'queued'`;

interface Row {
  readonly event_id: string;
  readonly kind: MailKind;
  readonly tenant_id: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly recorded_at: string;
  readonly tries: number;
}

/** Of a database that has the tables of `openHostDatabase`, which stays open. */
export function openPostgresOutbox(pool: Pool): Outbox {
  return new PostgresOutbox(pool);
}

class PostgresOutbox implements Outbox {
  readonly #pool: Pool;
  /** Claims are told apart by it. */
  readonly #claimant = randomUUID();
  readonly places: Places;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.places = openSharedCheckpoints(pool);
  }

  async queue(mails: readonly AskedMail[], now: string): Promise<void> {
    const each = <Value>(read: (mail: AskedMail) => Value) => mails.map(read);
    await this.#pool.query({
      name: 'mails-queue',
      text: QUEUE,
      values: [
        each(({ eventId }) => eventId),
        each(({ kind }) => kind),
        each(({ tenantId }) => tenantId),
        each(({ stream }) => stream),
        each(({ revision }) => revision),
        each(({ recordedAt }) => recordedAt),
        now,
      ],
    });
    const values = [forgottenBefore(now), MAX_FORGOTTEN_AT_ONCE];
    await this.#pool.query({ name: 'mails-forget', text: FORGET, values });
  }

  async due(now: string, limit: number): Promise<readonly QueuedMail[]> {
    const query = { name: 'mails-due', text: DUE, values: [now, limit] };
    const { rows } = await this.#pool.query<Row>(query);
    return rows.map((row) => ({
      eventId: row.event_id,
      kind: row.kind,
      tenantId: Number(row.tenant_id) as TenantId,
      stream: row.stream,
      revision: row.revision,
      recordedAt: row.recorded_at,
      tries: row.tries,
    }));
  }

  async claim({ eventId, tries }: QueuedMail): Promise<boolean> {
    const values = [eventId, tries, this.#claimant];
    const { rows } = await this.#pool.query({ name: 'mails-claim', text: CLAIM, values });
    return rows.length === 1;
  }

  async nextDueAt(): Promise<string | undefined> {
    const query = { name: 'mails-next-due', text: NEXT_DUE };
    const { rows } = await this.#pool.query<{ due_at: string | null }>(query);
    return rows[0]?.due_at ?? undefined;
  }

  async queuedCount(): Promise<number> {
    const query = { name: 'mails-count', text: COUNT };
    const { rows } = await this.#pool.query<{ count: number }>(query);
    return rows[0]?.count ?? 0;
  }

  async putOff(eventId: string, { tries, dueAt, reason, at }: PutOff): Promise<void> {
    const values = [eventId, tries, dueAt, reason, at, this.#claimant];
    await this.#pool.query({ name: 'mails-put-off', text: PUT_OFF, values });
  }

  async end(eventId: string, { end, tries, reason, at }: Ended): Promise<void> {
    const values = [eventId, end, tries, reason, at];
    await this.#pool.query({ name: 'mails-end', text: END, values });
  }

  async forgetPlace(): Promise<void> {
    const text = `DELETE FROM counterfoil_host.places WHERE reactor = $1`;
    await this.#pool.query({ name: 'mails-forget-place', text, values: [MAIL_READER] });
  }

  /** The pool is another's. */
  close(): void {}
}
