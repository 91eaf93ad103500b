/** The mails to send: what asked for each, and its outcome. Personal data is in it sealed only. */
import { randomUUID } from 'node:crypto';
import { MailProfile, type StreamName, type TenantId } from '@counterfoil/core';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { PLACES_SCHEMA, type Places, placesIn } from '../storage/checkpoints.ts';
import {
  type Insert,
  migration,
  openFile,
  PostgresTables,
  SqliteTables,
  type SqlTables,
} from '../storage/sql-tables.ts';

/** `submitted`: by a caller. The others are what the ledger mails about by itself. */
export const MAIL_KINDS = ['submitted', ...MailProfile.KINDS] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail by the event that asks for it; its text is made when it is sent. */
export interface AskedMail {
  readonly eventId: string;
  readonly kind: MailKind;
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  /** It is handed to no server, whatever is set later. Default: false. */
  readonly kept?: boolean;
  /** Of a submitted mail, and of one that is sent again, empty and 0. */
  readonly stream: StreamName;
  readonly revision: number;
  /** When the event was recorded, or the mail was submitted. */
  readonly recordedAt: string;
}

/** A mail of the ledger is written from its event at each try; the others have their own content. */
export function hasOwnContent({ stream }: Pick<AskedMail, 'stream'>): boolean {
  return stream === '';
}

export interface QueuedMail extends AskedMail {
  /** Failed deliveries so far. */
  readonly tries: number;
}

/** `dropped`: the customer is erased, or there is nothing to say. */
export type MailEnd = 'sent' | 'failed' | 'dropped';

/** The name of the checkpoint of the reactor that queues mails. */
export const MAIL_READER = 'mails';
/** Where the host has no mail server: what happens then is not mailed once it has one. */
export const SERVERLESS_READER = 'mails without a server';

/** The reason of a mail that is handed to no server. */
export const KEPT = 'kept';

interface Attempted {
  /** What is kept of the mail from now on, sealed. Absent: as before. */
  readonly content?: string;
  readonly tries: number;
  readonly reason: string;
  readonly at: string;
}

export interface PutOff extends Attempted {
  readonly dueAt: string;
}

export interface Ended extends Attempted {
  readonly end: MailEnd;
}

/** Far longer than any event could be read again. */
const ENDED_KEPT_MS = 90 * 86_400_000;
const MAX_FORGOTTEN_AT_ONCE = 1_000;
/**
 * How long a host may take to hand a mail over: twice what a mail server is given. Then it is taken for
 * dead, and another may send.
 */
const CLAIM_SECONDS = 120;

/** A key names one mail; the mails of a tenant are listed by time. */
function indicesOf(schema: string): readonly string[] {
  return [
    `CREATE UNIQUE INDEX mails_by_key ON ${schema}mails (key_digest)`,
    `CREATE INDEX mails_of_tenant ON ${schema}mails (tenant_id, sandbox, recorded_at, event_id)`,
  ];
}

/** Times of hosts are text, as hosts compare them; a claim is measured by the database's own clock. */
export const outboxMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-mails': migration(
    `CREATE TABLE counterfoil_host.mails (
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
    )`,
    `CREATE INDEX mails_queued ON counterfoil_host.mails (due_at) WHERE status = 'queued'`,
    `CREATE INDEX mails_ended ON counterfoil_host.mails (changed_at) WHERE status <> 'queued'`,
  ),
  '2026-11-25-mails-of-callers': migration(
    `ALTER TABLE counterfoil_host.mails
      ADD COLUMN sandbox integer NOT NULL DEFAULT 0,
      ADD COLUMN key_digest text,
      ADD COLUMN content_digest text,
      ADD COLUMN key_until text,
      ADD COLUMN content text`,
    ...indicesOf('counterfoil_host.'),
    `CREATE TABLE counterfoil_host.mail_recipients (
      digest text NOT NULL,
      mail_id text NOT NULL,
      PRIMARY KEY (digest, mail_id)
    )`,
    `CREATE INDEX mail_recipients_of_mail ON counterfoil_host.mail_recipients (mail_id)`,
    `CREATE TABLE counterfoil_host.mail_suppressions (
      id text PRIMARY KEY,
      tenant_id bigint NOT NULL,
      sandbox integer NOT NULL,
      address text NOT NULL,
      reason text NOT NULL,
      note text NOT NULL,
      created_at text NOT NULL
    )`,
    `CREATE INDEX mail_suppressions_of_tenant
     ON counterfoil_host.mail_suppressions (tenant_id, sandbox, id)`,
  ),
};

const SCHEMA = `
  ${PLACES_SCHEMA}
  CREATE TABLE IF NOT EXISTS mails (
    event_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    tenant_id INTEGER NOT NULL,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    recorded_at TEXT NOT NULL,
    status TEXT NOT NULL,
    tries INTEGER NOT NULL,
    due_at TEXT NOT NULL,
    reason TEXT NOT NULL,
    changed_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS mail_recipients (
    digest TEXT NOT NULL,
    mail_id TEXT NOT NULL,
    PRIMARY KEY (digest, mail_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS mail_recipients_of_mail ON mail_recipients (mail_id);
  CREATE TABLE IF NOT EXISTS mail_suppressions (
    id TEXT PRIMARY KEY,
    tenant_id INTEGER NOT NULL,
    sandbox INTEGER NOT NULL,
    address TEXT NOT NULL,
    reason TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS mail_suppressions_of_tenant
    ON mail_suppressions (tenant_id, sandbox, id);
  CREATE INDEX IF NOT EXISTS mails_queued ON mails (due_at) WHERE status = 'queued';
  CREATE INDEX IF NOT EXISTS mails_ended ON mails (changed_at) WHERE status <> 'queued';
`;

const ADDED_COLUMNS = {
  claimed_by: 'TEXT',
  claimed_until: 'TEXT',
  sandbox: 'INTEGER NOT NULL DEFAULT 0',
  key_digest: 'TEXT',
  content_digest: 'TEXT',
  key_until: 'TEXT',
  content: 'TEXT',
};

/** One process has the file: claims that stand in it when it is opened are those of a dead one. */
const END_CLAIMS = `
  UPDATE mails SET claimed_by = NULL, claimed_until = NULL
  WHERE status = 'queued' AND claimed_by IS NOT NULL`;

/**
 * In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. Commits
 * to a file do not wait for the disk, but for those of submitted mails: a loss of power may take the last
 * ones away, mails and place in the log together, and a mail is then sent again.
 */
export function openMailTables(place: string | Pool): SqlTables {
  if (typeof place !== 'string') return new PostgresTables(place);
  const database = openFile(place, {
    schema: SCHEMA,
    addedColumns: { mails: ADDED_COLUMNS },
    synchronous: 'NORMAL',
    secureDelete: true,
  });
  for (const index of indicesOf('')) {
    database.exec(index.replace(' INDEX ', ' INDEX IF NOT EXISTS '));
  }
  database.exec(END_CLAIMS);
  return new SqliteTables(database);
}

export function openOutbox(place: string | Pool): Outbox {
  return new Outbox(openMailTables(place));
}

interface Row {
  readonly event_id: string;
  readonly kind: MailKind;
  readonly tenant_id: string | number;
  readonly sandbox: number;
  readonly stream: StreamName;
  readonly revision: number;
  readonly recorded_at: string;
  readonly tries: number;
  readonly reason: string;
}

/**
 * An event asks for a mail once. The reactor queues first and then stores its checkpoint: after a crash
 * in between it queues again, which changes nothing. Delivery is at least once: a crash between the
 * server's acceptance and `end` causes a resend, under the same id.
 */
export class Outbox {
  /** How far the log has been read for mails: kept with them, so that neither outlives the other. */
  readonly places: Places;
  readonly #tables: SqlTables;
  readonly #sql: ReturnType<typeof statementsOf>;
  /** Distinguishes claims. */
  readonly #claimant = randomUUID();

  constructor(tables: SqlTables) {
    this.#tables = tables;
    this.#sql = statementsOf(tables);
    this.places = placesIn(tables);
  }

  /** Adds them, all or none; one that was added before stays as it is. */
  async queue(mails: readonly AskedMail[], now: string): Promise<void> {
    const rows = mails.map(({ eventId, kind, tenantId, sandbox, kept = false, ...mail }) => [
      ...[eventId, kind, tenantId, Number(sandbox), mail.stream, mail.revision, mail.recordedAt],
      ...['queued', 0, now, kept ? KEPT : '', now],
    ]);
    await this.#tables.insert(this.#sql.queue, rows);
    await this.forgetOld(now);
  }

  /** Some of those that ended 90 days ago. */
  async forgetOld(now: string): Promise<void> {
    const endedBefore = new Date(Date.parse(now) - ENDED_KEPT_MS).toISOString();
    const forgotten = await this.#tables.all<{ event_id: string }>(this.#sql.forget, [
      endedBefore,
      MAX_FORGOTTEN_AT_ONCE,
    ]);
    for (const { event_id } of forgotten) await this.#tables.all(this.#sql.unaddress, [event_id]);
  }

  /** Queued mails that are due and not claimed, those that are due longest first. */
  async due(now: string, limit: number): Promise<readonly QueuedMail[]> {
    const rows = await this.#tables.all<Row>(this.#sql.due, [now, limit]);
    return rows.map((row) => ({
      eventId: row.event_id,
      kind: row.kind,
      tenantId: Number(row.tenant_id) as TenantId,
      sandbox: row.sandbox === 1,
      kept: row.reason === KEPT,
      stream: row.stream,
      revision: row.revision,
      recordedAt: row.recorded_at,
      tries: row.tries,
    }));
  }

  /**
   * Whether the caller may send this mail: no other caller may until it is put off or the claim has
   * expired. False when it is claimed, or has changed since it was read.
   */
  async claim({ eventId, tries }: QueuedMail): Promise<boolean> {
    const values = [eventId, tries, this.#claimant];
    return (await this.#tables.all(this.#sql.claim, values)).length === 1;
  }

  /** When the first queued mail is due; undefined when none is queued. */
  async nextDueAt(): Promise<string | undefined> {
    const [row] = await this.#tables.all<{ due_at: string | null }>(this.#sql.nextDue);
    return row?.due_at ?? undefined;
  }

  async queuedCount(): Promise<number> {
    const [row] = await this.#tables.all<{ count: string | number }>(this.#sql.count);
    return Number(row?.count);
  }

  /** What is kept of it, sealed; undefined for nothing. */
  async contentOf(eventId: string): Promise<string | undefined> {
    const [row] = await this.#tables.all<{ content: string | null }>(this.#sql.content, [eventId]);
    return row?.content ?? undefined;
  }

  /** Lets it be found by its recipients. */
  async address(eventId: string, digests: readonly string[]): Promise<void> {
    await this.#tables.insert(
      this.#sql.address,
      digests.map((digest) => [digest, eventId]),
    );
  }

  /** After a failed delivery it waits until `dueAt`. */
  async putOff(eventId: string, { tries, dueAt, reason, at, content }: PutOff): Promise<void> {
    const values = [eventId, tries, dueAt, reason, at, content ?? null, this.#claimant];
    await this.#tables.all(this.#sql.putOff, values);
  }

  async end(eventId: string, { end, tries, reason, at, content }: Ended): Promise<void> {
    await this.#tables.all(this.#sql.end, [eventId, end, tries, reason, at, content ?? null]);
  }

  /** Leaves nothing of what was erased beside the rows. False, at once, while a reader is there. */
  async scrub(): Promise<boolean> {
    return this.#tables.scrub(this.#sql.queue.table);
  }

  close(): void {
    this.#tables.close();
  }
}

function statementsOf({ dialect }: SqlTables) {
  const table = dialect.table('mails', 'mails');
  const recipients = dialect.table('mail_recipients', 'mail_recipients');
  const isFree = `(claimed_until IS NULL OR claimed_until <= ${dialect.timeIn(0)})`;
  const queue: Insert = {
    table,
    columns: {
      event_id: 'text',
      kind: 'text',
      tenant_id: 'bigint',
      sandbox: 'integer',
      stream: 'text',
      revision: 'integer',
      recorded_at: 'text',
      status: 'text',
      tries: 'integer',
      due_at: 'text',
      reason: 'text',
      changed_at: 'text',
    },
    suffix: 'ON CONFLICT (event_id) DO NOTHING',
  };
  return {
    queue,
    forget: `
      DELETE FROM ${table} WHERE event_id IN (
        SELECT event_id FROM ${table} WHERE status <> 'queued' AND changed_at < $1
        LIMIT $2 ${dialect.skipLocked}
      ) RETURNING event_id`,
    unaddress: `DELETE FROM ${recipients} WHERE mail_id = $1`,
    address: {
      table: recipients,
      columns: { digest: 'text', mail_id: 'text' },
      suffix: 'ON CONFLICT (digest, mail_id) DO NOTHING',
    } satisfies Insert,
    content: `SELECT content FROM ${table} WHERE event_id = $1`,
    due: `
      SELECT event_id, kind, tenant_id, sandbox, stream, revision, recorded_at, tries, reason FROM ${table}
      WHERE status = 'queued' AND due_at <= $1 AND ${isFree}
      ORDER BY due_at LIMIT $2`,
    claim: `
      UPDATE ${table} SET claimed_by = $3, claimed_until = ${dialect.timeIn(CLAIM_SECONDS)}
      WHERE event_id = $1 AND tries = $2 AND status = 'queued' AND ${isFree}
      RETURNING event_id`,
    nextDue: `SELECT min(due_at) AS due_at FROM ${table} WHERE status = 'queued'`,
    count: `SELECT count(*) AS count FROM ${table} WHERE status = 'queued'`,
    // Not of a mail that is claimed by another: it may be on its way.
    putOff: `
      UPDATE ${table}
      SET tries = $2, due_at = $3, reason = $4, changed_at = $5, content = coalesce($6, content),
        claimed_by = NULL, claimed_until = NULL
      WHERE event_id = $1 AND status = 'queued' AND (claimed_by = $7 OR ${isFree})`,
    end: `
      UPDATE ${table}
      SET status = $2, tries = $3, reason = $4, changed_at = $5, content = coalesce($6, content),
        claimed_by = NULL, claimed_until = NULL
      WHERE event_id = $1 AND status = 'queued'`,
  };
}
