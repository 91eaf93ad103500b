/** The mails of tenants as they are submitted, found and forgotten; `Outbox` has them while they are sent. */
import type { StreamName, TenantId } from '@counterfoil/core';
import { type Insert, SqliteTables, type SqlTables } from '../storage/sql-tables.ts';
import type { MailOwner } from './mail-seal.ts';
import { KEPT, type MailEnd, type MailKind } from './outbox.ts';

/** A row for a mail that a caller has submitted, or sends again. */
export interface Submitted {
  readonly id: string;
  readonly kind: MailKind;
  readonly owner: MailOwner;
  readonly keyDigest: string;
  readonly contentDigest: string;
  /** Until when the key names this mail. */
  readonly keyUntil: string;
  /** Sealed. */
  readonly content: string;
  /** It is handed to no server, whatever is set later. */
  readonly kept: boolean;
  /** Digests of the recipients. */
  readonly recipients: readonly string[];
}

/** What a key names. */
export interface NamedMail {
  readonly id: string;
  readonly contentDigest: string;
  readonly status: MailStatus;
}

export const MAIL_STATUS = ['accepted', 'deferred', 'sent', 'failed'] as const;
export type MailStatus = (typeof MAIL_STATUS)[number];

/** Why a mail had nobody to go to or nothing to say any more: there is nothing to do about it. */
export const NEEDLESS_REASONS: readonly string[] = ['erased', 'outdated'];

export interface MailRecord {
  readonly id: string;
  readonly kind: MailKind;
  readonly status: MailStatus;
  /** A code; empty for none. */
  readonly reason: string;
  readonly tries: number;
  readonly createdAt: string;
  readonly changedAt: string;
  /** When it is tried next; null once it has ended. */
  readonly dueAt: string | null;
  /** Sealed; undefined where nothing is kept. */
  readonly content: string | undefined;
}

export interface OwnedMail extends MailRecord {
  readonly owner: MailOwner;
  /** The event that asked for it; empty and 0 where it has its own content. */
  readonly stream: StreamName;
  readonly revision: number;
}

export interface MailPlace {
  readonly createdAt: string;
  readonly id: string;
}

export interface MailFilter {
  readonly status?: MailStatus | undefined;
  readonly kind?: MailKind | undefined;
  /** Whether there is nothing to do about it: see `NEEDLESS_REASONS`. */
  readonly needless?: boolean | undefined;
  /** Instants, the first included and the last not. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** The digest of a recipient. */
  readonly recipient?: string | undefined;
}

interface Row {
  readonly event_id: string;
  readonly kind: MailKind;
  readonly status: 'queued' | MailEnd;
  readonly tries: number;
  readonly reason: string;
  readonly recorded_at: string;
  readonly changed_at: string;
  readonly due_at: string;
  readonly content: string | null;
}

interface KeyRow extends Pick<Row, 'event_id' | 'status' | 'tries'> {
  readonly key_digest: string;
  readonly content_digest: string;
  readonly key_until: string;
}

/** Another host may add a mail under the same key between the look and the insert. */
const MAX_ROUNDS = 5;
const END_OF_TIME = '9999-12-31T23:59:59.999Z';

interface Waiting {
  readonly mails: readonly Submitted[];
  readonly now: string;
  resolve(named: ReadonlyMap<string, NamedMail>): void;
  reject(error: unknown): void;
}

export class KeptMails {
  readonly #tables: SqlTables;
  readonly #sql: ReturnType<typeof statementsOf>;
  /** Submissions of this moment share one commit. */
  #waiting: Waiting[] = [];

  constructor(tables: SqlTables) {
    this.#tables = tables;
    this.#sql = statementsOf(tables);
  }

  /**
   * Adds those whose keys name no mail yet. Answers, by the digest of its key, the mail that each key
   * names from now on. Durable when it resolves.
   */
  submit(mails: readonly Submitted[], now: string): Promise<ReadonlyMap<string, NamedMail>> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, NamedMail>>();
    this.#waiting.push({ mails, now, resolve, reject });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    return promise;
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const now = waiting[0]?.now ?? '';
    try {
      const named = await this.#addAll(
        waiting.flatMap(({ mails }) => mails),
        now,
      );
      for (const { resolve } of waiting) resolve(named);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  async #addAll(mails: readonly Submitted[], now: string) {
    const named = new Map<string, NamedMail>();
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const open = mails.filter(({ keyDigest }) => !named.has(keyDigest));
      if (open.length === 0) return named;
      await this.#findNamed(open, now, named);
      const wanted = open.filter(({ keyDigest }) => !named.has(keyDigest));
      const first = [
        ...new Map(wanted.toReversed().map((mail) => [mail.keyDigest, mail])).values(),
      ];
      const added = await this.#insert(first, now);
      for (const { id, keyDigest, contentDigest } of first) {
        if (added.has(id)) named.set(keyDigest, { id, contentDigest, status: 'accepted' });
      }
    }
    throw new Error('the keys of mails kept changing');
  }

  /** The mail that a key names, if it names one. */
  async named(keyDigest: string, now: string): Promise<NamedMail | undefined> {
    const named = new Map<string, NamedMail>();
    await this.#findNamed([{ keyDigest }], now, named);
    return named.get(keyDigest);
  }

  /** A key that has expired names nothing any more. */
  async #findNamed(
    mails: readonly Pick<Submitted, 'keyDigest'>[],
    now: string,
    named: Map<string, NamedMail>,
  ) {
    const keys = mails.map(({ keyDigest }) => [keyDigest]);
    for (const row of await this.#tables.find<KeyRow>(this.#sql.byKey, keys)) {
      if (row.key_until <= now) {
        await this.#tables.all(this.#sql.release, [row.key_digest, now]);
        continue;
      }
      const { event_id: id, content_digest: contentDigest, key_digest } = row;
      named.set(key_digest, { id, contentDigest, status: statusOf(row) });
    }
  }

  /** The ids of those that were added. */
  async #insert(mails: readonly Submitted[], now: string): Promise<ReadonlySet<string>> {
    if (mails.length === 0) return new Set();
    const recipients = mails.flatMap(({ id, recipients }) => recipients.map((each) => [each, id]));
    const rows = mails.map(({ id, kind, owner: { tenantId, sandbox }, ...mail }) => [
      ...[
        id,
        kind,
        tenantId,
        Number(sandbox),
        '',
        0,
        now,
        'queued',
        0,
        now,
        mail.kept ? KEPT : '',
        now,
      ],
      ...[mail.keyDigest, mail.contentDigest, mail.keyUntil, mail.content],
    ]);
    // Before the mails: recipients without a mail do no harm.
    await this.#tables.insert(this.#sql.address, recipients);
    return durably(this.#tables, async () => {
      const added = await this.#tables.insert<{ event_id: string }>(this.#sql.submit, rows);
      return new Set(added.map(({ event_id }) => event_id));
    });
  }

  /** Of whichever tenant. */
  async find(id: string): Promise<OwnedMail | undefined> {
    const [row] = await this.#tables.all<OwnedRow>(this.#sql.find, [id]);
    return row && ownedOf(row);
  }

  /** Those that events have asked for, of one owner, in the order of the events. */
  async ofEvents(
    { tenantId, sandbox }: MailOwner,
    eventIds: readonly string[],
  ): Promise<readonly MailRecord[]> {
    const keys = eventIds.map((id) => [id, tenantId, Number(sandbox)]);
    return (await this.#tables.find<Row>(this.#sql.ofEvents, keys)).map(recordOf);
  }

  /** The newest first. */
  async list(
    { tenantId, sandbox }: MailOwner,
    filter: MailFilter,
    { after, limit }: { readonly after: MailPlace | undefined; readonly limit: number },
  ): Promise<readonly MailRecord[]> {
    const rows = await this.#tables.all<Row>(this.#sql.list, [
      ...[tenantId, Number(sandbox), limit],
      ...[after?.createdAt ?? END_OF_TIME, after?.id ?? ''],
      ...[filter.status ?? '', filter.kind ?? '', filter.recipient ?? ''],
      ...[filter.from ?? '', filter.until ?? END_OF_TIME],
      filter.needless === undefined ? '' : String(filter.needless),
    ]);
    return rows.map(recordOf);
  }

  /** The newest of all tenants, for the one who develops with the host. */
  async newest(limit: number): Promise<readonly OwnedMail[]> {
    const rows = await this.#tables.all<OwnedRow>(this.#sql.newest, [limit]);
    return rows.map(ownedOf);
  }

  /** False where it is another one by now, or nothing is kept any more. */
  async replaceContent(
    id: string,
    { before, after }: { readonly before: string; readonly after: string },
  ): Promise<boolean> {
    const changed = await this.#tables.all(this.#sql.replace, [id, before, after]);
    return changed.length === 1;
  }

  /** Nothing is kept of the mails to a recipient any more, and those that wait are not sent. */
  async forget(recipient: string, now: string): Promise<void> {
    await this.#tables.all(this.#sql.erase, [recipient, now]);
    await this.#tables.all(this.#sql.forgetRecipient, [recipient]);
  }
}

interface OwnedRow extends Row {
  readonly tenant_id: string | number;
  readonly sandbox: number;
  readonly stream: StreamName;
  readonly revision: number;
}

function ownedOf(row: OwnedRow): OwnedMail {
  const { stream, revision } = row;
  return { ...recordOf(row), owner: ownerOf(row), stream, revision };
}

function ownerOf({ tenant_id: tenantId, sandbox }: OwnedRow): MailOwner {
  return { tenantId: Number(tenantId) as TenantId, sandbox: sandbox === 1 };
}

/** A loss of power takes none of these. */
async function durably<Answer>(tables: SqlTables, write: () => Promise<Answer>): Promise<Answer> {
  if (!(tables instanceof SqliteTables)) return write();
  tables.database.exec('PRAGMA synchronous = FULL');
  try {
    // A file answers at once: nothing else is written meanwhile.
    return await write();
  } finally {
    tables.database.exec('PRAGMA synchronous = NORMAL');
  }
}

function statusOf({ status, tries }: Pick<Row, 'status' | 'tries'>): MailStatus {
  if (status === 'queued') return tries === 0 ? 'accepted' : 'deferred';
  return status === 'sent' ? 'sent' : 'failed';
}

function recordOf(row: Row): MailRecord {
  return {
    id: row.event_id,
    kind: row.kind,
    status: statusOf(row),
    reason: row.reason,
    tries: row.tries,
    createdAt: row.recorded_at,
    changedAt: row.changed_at,
    dueAt: row.status === 'queued' ? row.due_at : null,
    content: row.content ?? undefined,
  };
}

function statementsOf({ dialect }: SqlTables) {
  const mails = dialect.table('mails', 'mails');
  const recipients = dialect.table('mail_recipients', 'mail_recipients');
  const columns = 'event_id, kind, status, tries, reason, recorded_at, changed_at, due_at, content';
  const ofOwner = 'tenant_id, sandbox, stream, revision';
  const isOf: Readonly<Record<MailStatus, string>> = {
    accepted: `status = 'queued' AND tries = 0`,
    deferred: `status = 'queued' AND tries > 0`,
    sent: `status = 'sent'`,
    failed: `status IN ('failed', 'dropped')`,
  };
  const isNeedless = `reason IN (${NEEDLESS_REASONS.map((each) => `'${each}'`).join(', ')})`;
  const isStatus = MAIL_STATUS.map((each) => `($6 = '${each}' AND ${isOf[each]})`).join(' OR ');
  return {
    byKey: {
      table: mails,
      key: { key_digest: 'text' },
      select: 'key_digest, content_digest, key_until, event_id, status, tries',
    },
    release: `
      UPDATE ${mails} SET key_digest = NULL WHERE key_digest = $1 AND key_until <= $2`,
    submit: {
      table: mails,
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
        key_digest: 'text',
        content_digest: 'text',
        key_until: 'text',
        content: 'text',
      },
      suffix: 'ON CONFLICT (key_digest) DO NOTHING RETURNING event_id',
      durable: true,
    } satisfies Insert,
    address: {
      table: recipients,
      columns: { digest: 'text', mail_id: 'text' },
      suffix: 'ON CONFLICT (digest, mail_id) DO NOTHING',
    } satisfies Insert,
    ofEvents: {
      table: mails,
      key: { event_id: 'text', tenant_id: 'bigint', sandbox: 'integer' },
      select: columns,
    },
    find: `SELECT ${columns}, ${ofOwner} FROM ${mails} WHERE event_id = $1`,
    newest: `
      SELECT ${columns}, ${ofOwner} FROM ${mails}
      ORDER BY recorded_at DESC, event_id DESC LIMIT $1`,
    list: `
      SELECT ${columns} FROM ${mails}
      WHERE tenant_id = $1 AND sandbox = $2
        AND (recorded_at < $4 OR (recorded_at = $4 AND event_id < $5))
        AND recorded_at >= $9 AND recorded_at < $10
        AND ($6 = '' OR ${isStatus})
        AND ($7 = '' OR kind = $7)
        AND ($8 = '' OR event_id IN (SELECT mail_id FROM ${recipients} WHERE digest = $8))
        AND ($11 = '' OR ($11 = 'true') = (${isNeedless}))
      ORDER BY recorded_at DESC, event_id DESC LIMIT $3`,
    replace: `
      UPDATE ${mails} SET content = $3 WHERE event_id = $1 AND content = $2 AND status <> 'queued'
      RETURNING event_id`,
    erase: `
      UPDATE ${mails}
      SET content = NULL, changed_at = $2,
        reason = CASE WHEN status = 'queued' THEN 'erased' ELSE reason END,
        status = CASE WHEN status = 'queued' THEN 'dropped' ELSE status END
      WHERE event_id IN (SELECT mail_id FROM ${recipients} WHERE digest = $1)`,
    forgetRecipient: `DELETE FROM ${recipients} WHERE digest = $1`,
  };
}
