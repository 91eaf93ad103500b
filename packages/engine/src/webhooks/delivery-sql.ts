/** The tables of deliveries and their tries, and the statements on them. */
import type { Insert, SqlTables } from '../storage/sql-tables.ts';

/**
 * Longer than what is claimed at once may take, four tries one after the other: then its host is taken
 * for dead, and another may send.
 */
const CLAIM_SECONDS = 120;

const COLUMNS = {
  id: 'text',
  message_id: 'text',
  tenant_id: 'bigint',
  endpoint_id: 'text',
  type: 'text',
  subject: 'text',
  place: 'text',
  revision: 'bigint',
  data: 'text',
  sandbox: 'bigint',
  customer_id: 'bigint',
  created_at: 'text',
  status: 'text',
  tries: 'bigint',
  attempts: 'bigint',
  due_at: 'text',
  changed_at: 'text',
  reason: 'text',
} as const;
const NULLABLE: ReadonlySet<string> = new Set(['revision', 'data', 'customer_id']);

export const DELIVERY_COLUMNS = Object.keys(COLUMNS).join();

interface Kind {
  /** Before the names of tables. */
  readonly prefix: string;
  /** Text that is compared by its characters. */
  readonly text: string;
  readonly integer: string;
}

/** What makes the table of deliveries, and that of tries. */
export function tablesOf({ prefix, text, integer }: Kind): readonly [string[], string[]] {
  const deliveries = `${prefix}webhook_deliveries`;
  const isFile = prefix === '';
  const columns = Object.entries(COLUMNS).map(([name, type]) => {
    const isKey = name === 'id' ? 'PRIMARY KEY' : '';
    const isNeeded = NULLABLE.has(name) ? '' : 'NOT NULL';
    return `${name} ${type === 'text' ? text : integer} ${isNeeded} ${isKey}`;
  });
  const claims = isFile
    ? ['claimed_by TEXT', 'claimed_until TEXT']
    : ['claimed_by uuid', 'claimed_until timestamptz'];
  const index = (name: string, on: string, where: string) =>
    `CREATE INDEX IF NOT EXISTS webhook_deliveries_${name} ON ${deliveries} (${on}) ${where}`;
  const strict = isFile ? 'STRICT' : '';
  return [
    [
      `CREATE TABLE IF NOT EXISTS ${deliveries} (
        ${[...columns, ...claims, `forgotten ${integer} NOT NULL DEFAULT 0`].join()}
      ) ${strict}`,
      index('due', 'endpoint_id, due_at', `WHERE status = 'pending'`),
      index('order', 'endpoint_id, subject, place', `WHERE status = 'pending'`),
      index('held', 'endpoint_id', `WHERE status = 'held'`),
      index('dead', 'endpoint_id, created_at, id', `WHERE status = 'dead'`),
      index('log', 'endpoint_id, created_at, id', ''),
      index('ended', 'changed_at', `WHERE status IN ('delivered', 'dead')`),
      index('person', 'tenant_id, sandbox, customer_id', 'WHERE customer_id IS NOT NULL'),
    ],
    [
      `CREATE TABLE IF NOT EXISTS ${prefix}webhook_attempts (
        delivery_id ${text} NOT NULL,
        number ${integer} NOT NULL,
        at ${text} NOT NULL,
        duration_ms ${integer} NOT NULL,
        status ${integer},
        error ${text},
        answer ${text} NOT NULL,
        PRIMARY KEY (delivery_id, number)
      ) ${isFile ? 'STRICT, WITHOUT ROWID' : ''}`,
    ],
  ];
}

/** One process has the file: claims that stand in it when it is opened are those of a dead one. */
export const END_CLAIMS = `
  UPDATE webhook_deliveries SET claimed_by = NULL, claimed_until = NULL
  WHERE status = 'pending' AND claimed_by IS NOT NULL`;

const UNCLAIMED = 'claimed_by = NULL, claimed_until = NULL';

export function statementsOf({ dialect }: SqlTables) {
  const deliveries = dialect.table('webhook_deliveries', 'webhook_deliveries');
  const attempts = dialect.table('webhook_attempts', 'webhook_attempts');
  const isFree = `(claimed_until IS NULL OR claimed_until <= ${dialect.timeIn(0)})`;
  const add: Insert = {
    table: deliveries,
    columns: COLUMNS,
    suffix: 'ON CONFLICT (id) DO NOTHING',
  };
  const isDue = `endpoint_id = $1 AND status = 'pending' AND due_at <= $2 AND ${isFree}`;
  /** Each endpoint is looked for behind the one before: its deliveries are not read. */
  const waiting = (status: 'pending' | 'held') => `
    WITH RECURSIVE endpoint (id) AS (
      SELECT min(endpoint_id) FROM ${deliveries} WHERE status = '${status}'
      UNION ALL
      SELECT (
        SELECT min(endpoint_id) FROM ${deliveries}
        WHERE status = '${status}' AND endpoint_id > endpoint.id
      ) FROM endpoint WHERE endpoint.id IS NOT NULL
    )
    SELECT id AS endpoint_id,
      (SELECT tenant_id FROM ${deliveries}
        WHERE status = '${status}' AND endpoint_id = endpoint.id LIMIT 1) AS tenant_id,
      (SELECT min(due_at) FROM ${deliveries}
        WHERE status = '${status}' AND endpoint_id = endpoint.id) AS due_at
    FROM endpoint WHERE id IS NOT NULL`;
  /** Claims what is due. */
  const taken = (isFirst: string) => `
    UPDATE ${deliveries} SET claimed_by = $4, claimed_until = ${dialect.timeIn(CLAIM_SECONDS)}
    WHERE id IN (
      SELECT id FROM ${deliveries} AS each WHERE ${isDue} ${isFirst}
      ORDER BY due_at LIMIT $3 ${dialect.skipLocked}
    ) RETURNING ${DELIVERY_COLUMNS}`;
  const replayed = (now: string) =>
    `status = 'pending', tries = 0, due_at = ${now}, changed_at = ${now}, ${UNCLAIMED}`;
  const isLater = `endpoint_id = $1 AND subject = $2 AND place > $3 AND status = 'pending'`;
  return {
    deliveries,
    attemptTable: attempts,
    replayed,
    add,
    defer: `
      UPDATE ${deliveries} SET due_at = coalesce((
        SELECT max(earlier.due_at) FROM ${deliveries} AS earlier
        WHERE earlier.endpoint_id = ${deliveries}.endpoint_id
          AND earlier.subject = ${deliveries}.subject
          AND earlier.place < ${deliveries}.place
          AND earlier.status = 'pending' AND earlier.due_at > $2
      ), due_at)
      WHERE id = $1 AND status = 'pending' AND attempts = 0`,
    waiting: { pending: waiting('pending'), held: waiting('held') },
    take: taken(''),
    takeInOrder: taken(`
      AND NOT EXISTS (
        SELECT 1 FROM ${deliveries} AS earlier
        WHERE earlier.endpoint_id = each.endpoint_id
          AND earlier.subject = each.subject
          AND earlier.place < each.place
          AND earlier.status = 'pending'
      )`),
    unclaim: `UPDATE ${deliveries} SET ${UNCLAIMED} WHERE id = $1 AND claimed_by = $2`,
    // An answer may say what the message said.
    addAttempt: `
      INSERT INTO ${attempts} (delivery_id, number, at, duration_ms, status, error, answer)
      SELECT id, CAST($2 AS bigint), $3, CAST($4 AS bigint), CAST($5 AS bigint), CAST($6 AS text),
        CASE WHEN forgotten = 1 THEN '' ELSE $7 END
      FROM ${deliveries} WHERE id = $1
      ON CONFLICT (delivery_id, number) DO UPDATE
      SET at = excluded.at, duration_ms = excluded.duration_ms, status = excluded.status,
        error = excluded.error, answer = excluded.answer`,
    // Not of one that is claimed by another: it may be on its way.
    settle: `
      UPDATE ${deliveries}
      SET status = $2, tries = $3, attempts = $4, due_at = $5, reason = $6, changed_at = $7,
        ${UNCLAIMED}
      WHERE id = $1 AND status = 'pending' AND (claimed_by = $8 OR ${isFree})`,
    release: `UPDATE ${deliveries} SET due_at = $4 WHERE ${isLater} AND tries = 0 AND due_at > $4`,
    putOff: `UPDATE ${deliveries} SET due_at = $4 WHERE ${isLater} AND due_at < $4`,
    hold: `
      UPDATE ${deliveries} SET status = 'held'
      WHERE endpoint_id = $1 AND status = 'pending' AND ${isFree}`,
    resume: `UPDATE ${deliveries} SET status = 'pending' WHERE endpoint_id = $1 AND status = 'held'`,
    abandon: `
      UPDATE ${deliveries} SET status = 'dead', reason = $2, changed_at = $3, ${UNCLAIMED}
      WHERE endpoint_id = $1 AND status IN ('pending', 'held') AND ${isFree}`,
    counts: `
      SELECT (SELECT count(*) FROM ${deliveries} WHERE status = 'pending') AS pending,
        (SELECT count(*) FROM ${deliveries} WHERE status = 'dead') AS dead`,
    get: `SELECT ${DELIVERY_COLUMNS} FROM ${deliveries} WHERE endpoint_id = $1 AND id = $2`,
    byId: {
      table: deliveries,
      key: { id: 'text', tenant_id: 'bigint' },
      select: DELIVERY_COLUMNS,
    },
    attempts: `
      SELECT number, at, duration_ms, status, error, answer FROM ${attempts}
      WHERE delivery_id = $1 ORDER BY number`,
    replay: `
      UPDATE ${deliveries} SET ${replayed('$2')} WHERE id = $1 AND ${isFree} RETURNING id`,
    markForgotten: `
      UPDATE ${deliveries} SET forgotten = 1
      WHERE tenant_id = $1 AND sandbox = $2 AND customer_id = $3`,
    forget: `
      UPDATE ${attempts} SET answer = '' WHERE answer <> '' AND delivery_id IN (
        SELECT id FROM ${deliveries} WHERE tenant_id = $1 AND sandbox = $2 AND customer_id = $3
      )`,
    ended: `
      SELECT id FROM ${deliveries}
      WHERE status IN ('delivered', 'dead') AND changed_at < $1
      ORDER BY changed_at LIMIT $2`,
    removeAttempts: `DELETE FROM ${attempts} WHERE delivery_id = $1`,
    remove: `DELETE FROM ${deliveries} WHERE id = $1 AND status IN ('delivered', 'dead')`,
  };
}
