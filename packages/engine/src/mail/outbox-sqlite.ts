/** The outbox in a SQLite file of its own, for the one host that has it open. */
import { DatabaseSync } from 'node:sqlite';
import type { StreamName, TenantId } from '@counterfoil/core';
import { type Places, placesIn } from '../storage/checkpoints.ts';
import {
  type AskedMail,
  type Ended,
  forgottenBefore,
  MAX_FORGOTTEN_AT_ONCE,
  type MailKind,
  type Outbox,
  type PutOff,
  type QueuedMail,
} from './outbox.ts';

/**
 * Opens an SQLite file (or `:memory:`). Commits do not wait for the disk: a loss of power may take
 * the last ones away, mails and place in the log together, and a mail is then sent again.
 */
export function openSqliteOutbox(path: string): Outbox {
  return new SqliteOutbox(path);
}

class SqliteOutbox implements Outbox {
  readonly #database: DatabaseSync;
  readonly #queue;
  readonly #due;
  readonly #isQueued;
  readonly #nextDue;
  readonly #count;
  readonly #putOff;
  readonly #end;
  readonly #forget;
  readonly #forgetPlace;
  /** Whoever dies gives back what it had claimed: nobody else has the file. */
  readonly #claimed = new Set<string>();
  readonly places: Places;

  constructor(path: string) {
    const database = new DatabaseSync(path);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA busy_timeout = 5000;
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
      CREATE INDEX IF NOT EXISTS mails_queued ON mails (due_at) WHERE status = 'queued';
      CREATE INDEX IF NOT EXISTS mails_ended ON mails (changed_at) WHERE status <> 'queued';
    `);
    this.#database = database;
    this.places = placesIn(database);
    this.#queue = database.prepare(`
      INSERT OR IGNORE INTO mails
        (event_id, kind, tenant_id, stream, revision, recorded_at, status, tries, due_at, reason, changed_at)
      VALUES (?, ?, ?, ?, ?, ?, 'queued', 0, ?, '', ?)
    `);
    this.#due = database.prepare(`
      SELECT event_id, kind, tenant_id, stream, revision, recorded_at, tries
      FROM mails WHERE status = 'queued' AND due_at <= ? ORDER BY due_at LIMIT ?
    `);
    this.#isQueued = database.prepare(
      "SELECT 1 FROM mails WHERE event_id = ? AND tries = ? AND status = 'queued'",
    );
    this.#nextDue = database.prepare(
      "SELECT min(due_at) AS due_at FROM mails WHERE status = 'queued'",
    );
    this.#count = database.prepare("SELECT count(*) AS count FROM mails WHERE status = 'queued'");
    this.#putOff = database.prepare(`
      UPDATE mails SET tries = ?, due_at = ?, reason = ?, changed_at = ?
      WHERE event_id = ? AND status = 'queued'
    `);
    this.#end = database.prepare(`
      UPDATE mails SET status = ?, tries = ?, reason = ?, changed_at = ?
      WHERE event_id = ? AND status = 'queued'
    `);
    this.#forget = database.prepare(`
      DELETE FROM mails WHERE event_id IN (
        SELECT event_id FROM mails WHERE status <> 'queued' AND changed_at < ? LIMIT ?
      )
    `);
    this.#forgetPlace = database.prepare('DELETE FROM checkpoints');
  }

  async queue(mails: readonly AskedMail[], now: string): Promise<void> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { eventId, kind, tenantId, stream, revision, recordedAt } of mails) {
        this.#queue.run(eventId, kind, tenantId, stream, revision, recordedAt, now, now);
      }
      this.#forget.run(forgottenBefore(now), MAX_FORGOTTEN_AT_ONCE);
      this.#database.exec('COMMIT');
    } catch (error) {
      // A commit that failed may have ended the transaction itself.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async due(now: string, limit: number): Promise<readonly QueuedMail[]> {
    const rows = this.#due.all(now, limit + this.#claimed.size);
    const free = rows.filter((row) => !this.#claimed.has(row['event_id'] as string));
    return free.slice(0, limit).map((row) => ({
      eventId: row['event_id'] as string,
      kind: row['kind'] as MailKind,
      tenantId: row['tenant_id'] as TenantId,
      stream: row['stream'] as StreamName,
      revision: row['revision'] as number,
      recordedAt: row['recorded_at'] as string,
      tries: row['tries'] as number,
    }));
  }

  async claim({ eventId, tries }: QueuedMail): Promise<boolean> {
    if (this.#claimed.has(eventId) || this.#isQueued.get(eventId, tries) === undefined)
      return false;
    this.#claimed.add(eventId);
    return true;
  }

  async nextDueAt(): Promise<string | undefined> {
    return (this.#nextDue.get()?.['due_at'] as string | null) ?? undefined;
  }

  async queuedCount(): Promise<number> {
    return this.#count.get()?.['count'] as number;
  }

  async putOff(eventId: string, { tries, dueAt, reason, at }: PutOff): Promise<void> {
    this.#putOff.run(tries, dueAt, reason, at, eventId);
    this.#claimed.delete(eventId);
  }

  async end(eventId: string, { end, tries, reason, at }: Ended): Promise<void> {
    this.#end.run(end, tries, reason, at, eventId);
    this.#claimed.delete(eventId);
  }

  async forgetPlace(): Promise<void> {
    this.#forgetPlace.run();
  }

  close(): void {
    this.#database.close();
  }
}
