/** Passwords, second factors, links and sessions of users, in tables of the engine's own: never in events. */
import type { TenantId } from '@counterfoil/core';
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { FileVersion } from '../storage/file-version.ts';
import { migration, openTables, SqliteTables, type SqlTables } from '../storage/sql-tables.ts';

export interface Whose {
  readonly tenantId: TenantId;
  readonly userId: string;
}

export interface Credential {
  /** As `hashPassword` writes it; null before one is chosen. */
  readonly password: string | null;
  /** Sealed; null without a second factor. */
  readonly totp: string | null;
  /** The step of the last code: a code is good once. */
  readonly usedStep: number;
  /** Digests of the recovery codes that are left. */
  readonly recovery: readonly string[];
}

export interface Session extends Whose {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly address: string;
  readonly agent: string;
}

export interface Failures {
  readonly count: number;
  readonly lastAt: string;
}

export type LinkPurpose = 'invitation' | 'reset';

const NOBODY: Credential = { password: null, totp: null, usedStep: 0, recovery: [] };

const COLUMNS = {
  credentials: `tenant_id bigint NOT NULL, user_id text NOT NULL, password text, totp text,
    used_step bigint NOT NULL, recovery text NOT NULL, PRIMARY KEY (tenant_id, user_id)`,
  links: `digest text PRIMARY KEY, tenant_id bigint NOT NULL, user_id text NOT NULL,
    purpose text NOT NULL, expires_at text NOT NULL`,
  sessions: `digest text PRIMARY KEY, session_id text NOT NULL, tenant_id bigint NOT NULL,
    user_id text NOT NULL, created_at text NOT NULL, used_at text NOT NULL, address text NOT NULL,
    agent text NOT NULL`,
  failures: 'who text PRIMARY KEY, count integer NOT NULL, last_at text NOT NULL',
} as const;
type TableName = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as TableName[];

export const credentialMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-23-users': migration(
    ...NAMES.map((name) => `CREATE TABLE counterfoil_host.user_${name} (${COLUMNS[name]})`),
  ),
};

const SCHEMA = NAMES.map(
  (name) =>
    `CREATE TABLE IF NOT EXISTS ${name} (${COLUMNS[name].replaceAll('bigint', 'integer')}) STRICT;`,
).join('\n');

interface SessionRow {
  readonly session_id: string;
  readonly tenant_id: string | number;
  readonly user_id: string;
  readonly created_at: string;
  readonly used_at: string;
  readonly address: string;
  readonly agent: string;
}

/** In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. */
export class Credentials {
  readonly #tables: SqlTables;
  readonly #name: Readonly<Record<TableName, string>>;
  /** Undefined in a database: it is asked each time. */
  readonly #known: KnownSessions | undefined;
  readonly #sessionText: string;

  constructor(place: string | Pool) {
    this.#tables = openTables(place, { schema: SCHEMA, synchronous: 'FULL', secureDelete: true });
    const { table } = this.#tables.dialect;
    const names = NAMES.map((name) => [name, table(name, `user_${name}`)] as const);
    this.#name = Object.fromEntries(names) as Record<TableName, string>;
    this.#sessionText = `SELECT * FROM ${this.#name.sessions} WHERE digest = $1`;
    this.#known =
      this.#tables instanceof SqliteTables
        ? new KnownSessions(this.#tables, this.#sessionText)
        : undefined;
  }

  async get({ tenantId, userId }: Whose): Promise<Credential> {
    const [row] = await this.#tables.all<{
      password: string | null;
      totp: string | null;
      used_step: string | number;
      recovery: string;
    }>(`SELECT * FROM ${this.#name.credentials} WHERE tenant_id = $1 AND user_id = $2`, [
      tenantId,
      userId,
    ]);
    if (row === undefined) return NOBODY;
    const { password, totp, used_step, recovery } = row;
    return { password, totp, usedStep: Number(used_step), recovery: JSON.parse(recovery) };
  }

  /**
   * Changes what is kept, if it is still what was read; else false. So a code or a recovery code that two
   * requests use at the same time lets one of them in.
   */
  async change(whose: Whose, seen: Credential, change: Partial<Credential>): Promise<boolean> {
    const { tenantId, userId } = whose;
    const { password, totp, usedStep, recovery } = { ...seen, ...change };
    const rows = await this.#tables.all(
      `INSERT INTO ${this.#name.credentials} AS kept
         (tenant_id, user_id, password, totp, used_step, recovery) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (tenant_id, user_id) DO UPDATE SET
         password = excluded.password, totp = excluded.totp,
         used_step = excluded.used_step, recovery = excluded.recovery
       WHERE kept.used_step = $7 AND kept.recovery = $8
         AND kept.password IS NOT DISTINCT FROM $9 AND kept.totp IS NOT DISTINCT FROM $10
       RETURNING user_id`,
      [
        tenantId,
        userId,
        password,
        totp,
        usedStep,
        JSON.stringify(recovery),
        seen.usedStep,
        JSON.stringify(seen.recovery),
        seen.password,
        seen.totp,
      ],
    );
    return rows.length > 0;
  }

  async addLink(
    digest: string,
    { tenantId, userId }: Whose,
    purpose: LinkPurpose,
    expiresAt: string,
  ) {
    await this.#tables.all(`INSERT INTO ${this.#name.links} VALUES ($1, $2, $3, $4, $5)`, [
      digest,
      tenantId,
      userId,
      purpose,
      expiresAt,
    ]);
  }

  /** Removes the link: it is good once. Undefined for one that is not there or has expired. */
  async takeLink(
    digest: string,
    nowAt: string,
  ): Promise<(Whose & { purpose: LinkPurpose }) | undefined> {
    const [row] = await this.#tables.all<{
      tenant_id: string | number;
      user_id: string;
      purpose: LinkPurpose;
      expires_at: string;
    }>(`DELETE FROM ${this.#name.links} WHERE digest = $1 RETURNING *`, [digest]);
    if (row === undefined || row.expires_at <= nowAt) return undefined;
    const { tenant_id, user_id: userId, purpose } = row;
    return { tenantId: Number(tenant_id) as TenantId, userId, purpose };
  }

  /** Of a user, and all that have expired. */
  async dropLinks({ tenantId, userId }: Whose, nowAt: string): Promise<void> {
    await this.#tables.all(
      `DELETE FROM ${this.#name.links} WHERE (tenant_id = $1 AND user_id = $2) OR expires_at <= $3`,
      [tenantId, userId, nowAt],
    );
  }

  async addSession(digest: string, session: Session): Promise<void> {
    const { sessionId, tenantId, userId, createdAt, usedAt, address, agent } = session;
    await this.#tables.all(
      `INSERT INTO ${this.#name.sessions} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [digest, sessionId, tenantId, userId, createdAt, usedAt, address, agent],
    );
  }

  /** From a file, the same object until a session changes. */
  async session(digest: string): Promise<Session | undefined> {
    if (this.#known !== undefined) return this.#known.get(digest);
    const [row] = await this.#tables.all<SessionRow>(this.#sessionText, [digest]);
    return row && sessionOf(row);
  }

  async sessionsOf({ tenantId, userId }: Whose): Promise<readonly Session[]> {
    const rows = await this.#tables.all<SessionRow>(
      `SELECT * FROM ${this.#name.sessions} WHERE tenant_id = $1 AND user_id = $2 ORDER BY session_id`,
      [tenantId, userId],
    );
    return rows.map(sessionOf);
  }

  async useSession(digest: string, usedAt: string): Promise<void> {
    this.#known?.forget();
    await this.#tables.all(`UPDATE ${this.#name.sessions} SET used_at = $2 WHERE digest = $1`, [
      digest,
      usedAt,
    ]);
  }

  /** All of the user without a `sessionId`. */
  async endSessions({ tenantId, userId }: Whose, sessionId?: string): Promise<void> {
    this.#known?.forget();
    const one = sessionId === undefined ? '' : 'AND session_id = $3';
    const values = sessionId === undefined ? [] : [sessionId];
    await this.#tables.all(
      `DELETE FROM ${this.#name.sessions} WHERE tenant_id = $1 AND user_id = $2 ${one}`,
      [tenantId, userId, ...values],
    );
  }

  /** Ends those that began or were used before these instants. */
  async endSessionsBefore(created: string, used: string): Promise<void> {
    this.#known?.forget();
    await this.#tables.all(
      `DELETE FROM ${this.#name.sessions} WHERE created_at <= $1 OR used_at <= $2`,
      [created, used],
    );
  }

  async failures(who: string): Promise<Failures | undefined> {
    const [row] = await this.#tables.all<{ count: number; last_at: string }>(
      `SELECT count, last_at FROM ${this.#name.failures} WHERE who = $1`,
      [who],
    );
    return row && { count: row.count, lastAt: row.last_at };
  }

  async addFailure(who: string, at: string): Promise<void> {
    await this.#tables.all(
      `INSERT INTO ${this.#name.failures} AS kept (who, count, last_at) VALUES ($1, 1, $2)
       ON CONFLICT (who) DO UPDATE SET count = kept.count + 1, last_at = excluded.last_at`,
      [who, at],
    );
  }

  async dropFailures(who: string, before: string): Promise<void> {
    await this.#tables.all(`DELETE FROM ${this.#name.failures} WHERE who = $1 OR last_at <= $2`, [
      who,
      before,
    ]);
  }

  close(): void {
    this.#tables.close();
  }
}

/** More are not remembered at once. */
const MAX_KNOWN = 1_000;

/**
 * Sessions as a file has them: what changes it, here or through another connection, forgets them all. Reads
 * and remembers in one step, so that none is remembered that has ended meanwhile. Looks at the file once a
 * turn of the event loop: a session that another process ends is known for the rest of a turn at most.
 */
class KnownSessions {
  readonly #tables: SqliteTables;
  readonly #text: string;
  readonly #sessions = new Map<string, Session>();
  readonly #version: FileVersion;

  constructor(tables: SqliteTables, text: string) {
    this.#tables = tables;
    this.#text = text;
    const version = tables.database.prepare('PRAGMA data_version');
    version.setReturnArrays(true);
    this.#version = new FileVersion(() => (version.get() as unknown as readonly unknown[])[0]);
  }

  get(digest: string): Session | undefined {
    if (this.#version.hasChanged()) this.forget();
    const known = this.#sessions.get(digest);
    if (known !== undefined) return known;
    const [row] = this.#tables.all<SessionRow>(this.#text, [digest]);
    if (row === undefined) return undefined;
    const session = sessionOf(row);
    if (this.#sessions.size >= MAX_KNOWN) this.forget();
    this.#sessions.set(digest, session);
    return session;
  }

  /** In the same step as a change. */
  forget(): void {
    this.#sessions.clear();
  }
}

function sessionOf(row: SessionRow): Session {
  return {
    sessionId: row.session_id,
    tenantId: Number(row.tenant_id) as TenantId,
    userId: row.user_id,
    createdAt: row.created_at,
    usedAt: row.used_at,
    address: row.address,
    agent: row.agent,
  };
}
