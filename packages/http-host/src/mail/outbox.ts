/** The mails that are to be sent: which event asked for each, and what became of it. No person is in it. */
import { DatabaseSync } from 'node:sqlite';
import type { StreamName, TenantId } from '@counterfoil/core';
import { type Places, placesIn } from '../reactors/checkpoints.ts';

export const MAIL_KINDS = [
  'refunded',
  'unsubscribed',
  'rebill-failed',
  'frozen',
  'renewed',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail by the event that asks for it; what it says is made up when it is sent. */
export interface AskedMail {
  readonly eventId: string;
  readonly kind: MailKind;
  readonly tenantId: TenantId;
  readonly stream: StreamName;
  readonly revision: number;
  /** When the event was recorded. */
  readonly recordedAt: string;
}

export interface QueuedMail extends AskedMail {
  /** How often it was handed over in vain. */
  readonly tries: number;
}

/** `dropped`: there is nobody to write to any more, or nothing to say. */
export type MailEnd = 'sent' | 'failed' | 'dropped';

/** What has ended is remembered for so long: far longer than any event could be read again. */
const REMEMBERED_MS = 90 * 86_400_000;
const MAX_FORGOTTEN_AT_ONCE = 1_000;

export class Outbox {
  readonly #database: DatabaseSync;
  readonly #queue;
  readonly #due;
  readonly #nextDue;
  readonly #count;
  readonly #putOff;
  readonly #end;
  readonly #forget;
  readonly #forgetPlace;
  /** How far the log has been read for mails: kept with them, so that neither outlives the other. */
  readonly places: Places;

  /**
   * Opens an SQLite file (or `:memory:`). Commits do not wait for the disk: a loss of power may take
   * the last ones away, mails and place in the log together, and a mail is then sent again.
   */
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

  /** Takes them in, all or none; one that was taken in before stays as it is. */
  queue(mails: readonly AskedMail[], now: string): void {
    const before = new Date(Date.parse(now) - REMEMBERED_MS).toISOString();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { eventId, kind, tenantId, stream, revision, recordedAt } of mails) {
        this.#queue.run(eventId, kind, tenantId, stream, revision, recordedAt, now, now);
      }
      this.#forget.run(before, MAX_FORGOTTEN_AT_ONCE);
      this.#database.exec('COMMIT');
    } catch (error) {
      // A commit that failed may have ended the transaction itself.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** What waits and may be sent now, what is due longest first. */
  due(now: string, limit: number): readonly QueuedMail[] {
    return this.#due.all(now, limit).map((row) => ({
      eventId: row['event_id'] as string,
      kind: row['kind'] as MailKind,
      tenantId: row['tenant_id'] as TenantId,
      stream: row['stream'] as StreamName,
      revision: row['revision'] as number,
      recordedAt: row['recorded_at'] as string,
      tries: row['tries'] as number,
    }));
  }

  /** When the first of what waits is due; undefined when nothing waits. */
  nextDueAt(): string | undefined {
    return (this.#nextDue.get()?.['due_at'] as string | null) ?? undefined;
  }

  queuedCount(): number {
    return this.#count.get()?.['count'] as number;
  }

  /** After a try in vain it waits until `dueAt`. */
  putOff(
    eventId: string,
    { tries, dueAt, reason, at }: { tries: number; dueAt: string; reason: string; at: string },
  ): void {
    this.#putOff.run(tries, dueAt, reason, at, eventId);
  }

  /** It came to its end. */
  end(
    eventId: string,
    { end, tries, reason, at }: { end: MailEnd; tries: number; reason: string; at: string },
  ): void {
    this.#end.run(end, tries, reason, at, eventId);
  }

  /** Whoever reads the log for mails next begins where it then ends. */
  forgetPlace(): void {
    this.#forgetPlace.run();
  }

  close(): void {
    this.#database.close();
  }
}
