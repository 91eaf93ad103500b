/** Where the content of evidence is kept: beside the log, by its digest, sealed for its customer. */
import type { Migration } from 'kysely/migration';
import type { Pool } from 'pg';
import { type Insert, migration, openTables } from '../storage/sql-tables.ts';

export interface EvidenceKey {
  readonly tenantId: number;
  readonly disputeId: string;
  /** SHA-256 of the content, in hex; of what is said in fields, `fields`. */
  readonly digest: string;
}

export interface EvidenceStore {
  /** Durable when it resolves. What is there under the digest of a file stays; fields are replaced. */
  put(key: EvidenceKey, sealed: string): Promise<void>;
  /** Undefined where nothing is kept. */
  get(key: EvidenceKey): Promise<string | undefined>;
  close(): void;
}

export const evidenceMigrations: Readonly<Record<string, Migration>> = {
  '2026-11-23-evidence': migration(`
    CREATE TABLE counterfoil_host.evidence (
      tenant_id bigint NOT NULL,
      dispute_id text NOT NULL,
      digest text NOT NULL,
      sealed text NOT NULL,
      PRIMARY KEY (tenant_id, dispute_id, digest)
    )`),
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS evidence (
    tenant_id INTEGER NOT NULL,
    dispute_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (tenant_id, dispute_id, digest)
  ) STRICT`;

/** In an SQLite file (or `:memory:`), or in a database that has the tables of `openHostDatabase`. */
export function openEvidence(place: string | Pool): EvidenceStore {
  const tables = openTables(place, { schema: SCHEMA, synchronous: 'FULL' });
  const table = tables.dialect.table('evidence', 'evidence');
  const insert: Insert = {
    table,
    columns: { tenant_id: 'bigint', dispute_id: 'text', digest: 'text', sealed: 'text' },
    suffix: `ON CONFLICT (tenant_id, dispute_id, digest) DO UPDATE SET sealed = excluded.sealed`,
    durable: true,
  };
  return {
    async put({ tenantId, disputeId, digest }, sealed) {
      await tables.insert(insert, [[tenantId, disputeId, digest, sealed]]);
    },
    async get({ tenantId, disputeId, digest }) {
      const read = `SELECT sealed FROM ${table} WHERE tenant_id = $1 AND dispute_id = $2 AND digest = $3`;
      const [row] = await tables.all<{ sealed: string }>(read, [tenantId, disputeId, digest]);
      return row?.sealed;
    },
    close: () => tables.close(),
  };
}
