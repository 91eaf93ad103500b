/** Addresses that a tenant's mails are no longer sent to. */
import { deterministicUuid } from '../ids.ts';
import type { Insert, SqlTables } from '../storage/sql-tables.ts';
import type { MailOwner, MailSeal } from './mail-seal.ts';
import type { MailKind } from './outbox.ts';

/** `bounce`: a server has refused it for good. `unsubscribe`: by its person. `manual`: by the tenant. */
export const SUPPRESSION_REASONS = ['bounce', 'unsubscribe', 'manual'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface Suppression {
  readonly id: string;
  /** Empty once its person is erased: mails to it stay suppressed. */
  readonly email: string;
  readonly reason: SuppressionReason;
  /** What the tenant wrote, or the code of the server. */
  readonly note: string;
  readonly sandbox: boolean;
  readonly createdAt: string;
}

export interface NewSuppression {
  readonly email: string;
  readonly reason: SuppressionReason;
  readonly note: string;
  readonly at: string;
}

interface Row {
  readonly id: string;
  readonly tenant_id: string | number;
  readonly sandbox: number;
  readonly address: string;
  readonly reason: SuppressionReason;
  readonly note: string;
  readonly created_at: string;
}

export class Suppressions {
  readonly #tables: SqlTables;
  readonly #seal: MailSeal;
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(tables: SqlTables, seal: MailSeal) {
    this.#tables = tables;
    this.#seal = seal;
    this.#sql = statementsOf(tables);
  }

  idOf(owner: MailOwner, email: string): string {
    return deterministicUuid(['suppression', this.#seal.addressDigest(owner, email)]);
  }

  /** One that is there stays as it is, but for one who has only unsubscribed. */
  async add(owner: MailOwner, { email, reason, note, at }: NewSuppression): Promise<Suppression> {
    const id = this.idOf(owner, email);
    const { tenantId, sandbox } = owner;
    const address = this.#seal.seal(id, email);
    await this.#tables.insert(this.#sql.add, [
      [id, tenantId, Number(sandbox), address, reason, note, at],
    ]);
    return (await this.find(owner, id)) ?? { id, email, reason, note, sandbox, createdAt: at };
  }

  /** In either environment. */
  async find(
    { tenantId }: Pick<MailOwner, 'tenantId'>,
    id: string,
  ): Promise<Suppression | undefined> {
    const [row] = await this.#tables.all<Row>(this.#sql.find, [id, tenantId]);
    return row && this.#read(row);
  }

  /** By their ids. */
  async list(
    { tenantId, sandbox }: MailOwner,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<readonly Suppression[]> {
    const values = [tenantId, Number(sandbox), after, limit];
    return (await this.#tables.all<Row>(this.#sql.list, values)).map((row) => this.#read(row));
  }

  async remove({ tenantId }: Pick<MailOwner, 'tenantId'>, id: string): Promise<void> {
    await this.#tables.all(this.#sql.remove, [id, tenantId]);
  }

  /**
   * Those of the addresses that a mail of this kind must not be sent to. What the ledger mails about by
   * itself, such as a refund, is sent to those too who have unsubscribed.
   */
  async among(
    owner: MailOwner,
    addresses: readonly string[],
    kind: MailKind,
  ): Promise<ReadonlySet<string>> {
    const byId = new Map(addresses.map((address) => [this.idOf(owner, address), address]));
    const rows = await this.#tables.find<Row>(
      this.#sql.byId,
      [...byId.keys()].map((id) => [id]),
    );
    const stops = rows.filter(({ reason }) => kind === 'submitted' || reason !== 'unsubscribe');
    const found = new Set(stops.map(({ id }) => byId.get(id)));
    return new Set(addresses.filter((address) => found.has(address)));
  }

  /** It stays suppressed, and the list no longer says who it is. */
  async forget(owner: MailOwner, email: string): Promise<void> {
    await this.#tables.all(this.#sql.forget, [this.idOf(owner, email)]);
  }

  #read({ id, address, reason, note, sandbox, created_at: createdAt }: Row): Suppression {
    const email = address === '' ? '' : (this.#seal.open<string>(id, address) ?? '');
    return { id, email, reason, note, sandbox: sandbox === 1, createdAt };
  }
}

function statementsOf({ dialect }: SqlTables) {
  const table = dialect.table('mail_suppressions', 'mail_suppressions');
  return {
    add: {
      table,
      columns: {
        id: 'text',
        tenant_id: 'bigint',
        sandbox: 'integer',
        address: 'text',
        reason: 'text',
        note: 'text',
        created_at: 'text',
      },
      // One who has unsubscribed may get what the ledger mails by itself; a bounce ends that too.
      suffix: `ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, note = excluded.note
        WHERE mail_suppressions.reason = 'unsubscribe'`,
      durable: true,
    } satisfies Insert,
    byId: { table, key: { id: 'text' }, select: 'id, reason' },
    find: `SELECT * FROM ${table} WHERE id = $1 AND tenant_id = $2`,
    list: `
      SELECT * FROM ${table} WHERE tenant_id = $1 AND sandbox = $2 AND id > $3
      ORDER BY id LIMIT $4`,
    remove: `DELETE FROM ${table} WHERE id = $1 AND tenant_id = $2`,
    forget: `UPDATE ${table} SET address = '', note = '' WHERE id = $1`,
  };
}
