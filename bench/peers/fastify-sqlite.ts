/**
 * The typical design without an event log: Fastify 5, a schema per body, one SQLite file.
 *
 *     node fastify-sqlite.ts <database> <API key> [file with the host's answer to a payment]
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import Fastify, { type FastifyInstance } from 'fastify';

const [, , path = '', apiKey = '', template = ''] = process.argv;

const database = new DatabaseSync(path);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');

const server = Fastify();

server.addHook('onRequest', async ({ headers }, reply) => {
  if (headers.authorization !== apiKey) return reply.code(401).send({ success: false });
  if (headers['clientid'] !== '1') return reply.code(403).send({ success: false });
});

type Row = Record<string, SQLOutputValue>;

function hasTable(name: string): boolean {
  const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name);
  return found !== undefined;
}

interface DetailBody {
  readonly id: string;
  readonly getSearchData: boolean;
  readonly getAddressData: boolean;
  readonly getSubscription: boolean;
  readonly getSessionData: boolean;
}

const flag = { type: 'boolean', default: false };

/** One document by id; the flags select its parts. */
function addDetail(app: FastifyInstance): void {
  const select = database.prepare('SELECT body FROM details WHERE id = ?');
  const body = {
    type: 'object',
    required: ['parentCompanyId', 'userEmail', 'id'],
    properties: {
      parentCompanyId: { type: 'integer' },
      userEmail: { type: 'string', format: 'email' },
      id: { type: 'string', format: 'uuid' },
      getSearchData: flag,
      getAddressData: flag,
      getSubscription: flag,
      getSessionData: flag,
    },
  };
  app.post<{ Body: DetailBody }>('/customerapi/detail', { schema: { body } }, (request, reply) => {
    const wanted = request.body;
    const row = select.get(wanted.id);
    if (row === undefined) return reply.code(404).send({ success: false });
    const kept = JSON.parse(String(row['body']));
    return reply.send({
      success: true,
      message: kept.transaction.data,
      ...(wanted.getSearchData && { transaction: kept.transaction, routing: kept.routing }),
      ...(wanted.getAddressData && { addressData: kept.addressData, addresses: kept.addresses }),
      ...(wanted.getSubscription && { subscriptions: kept.subscriptions }),
      ...(wanted.getSessionData && { sessionData: kept.sessionData }),
      ...(kept.cart.length > 0 && { cart: kept.cart }),
      ...(kept.storefrontProducts !== undefined && { storefrontProducts: kept.storefrontProducts }),
    });
  });
}

interface SearchBody {
  readonly emails: readonly string[];
  readonly pageNumber: number;
  readonly limit: number;
}

/** The newest rows of the emails, by index. */
function addSearch(app: FastifyInstance): void {
  const booleans = database
    .prepare(`SELECT name FROM pragma_table_info('records') WHERE type = 'BOOLEAN'`)
    .all()
    .map(({ name }) => String(name));
  const selects = new Map<number, StatementSync>();
  const selectOf = (count: number): StatementSync => {
    const marks = Array.from({ length: count }, () => '?').join(', ');
    const kept =
      selects.get(count) ??
      database.prepare(
        `SELECT * FROM records WHERE email IN (${marks}) AND sandbox = 0
         ORDER BY sent DESC, transactionId LIMIT ? + 0 OFFSET ?`,
      );
    selects.set(count, kept);
    return kept;
  };
  const recordOf = (row: Row) => {
    const record: Record<string, unknown> = row;
    for (const name of booleans) record[name] = row[name] === 1;
    return record;
  };
  const body = {
    type: 'object',
    required: ['emails'],
    properties: {
      emails: { type: 'array', items: { type: 'string', maxLength: 320 }, minItems: 1 },
      pageNumber: { type: 'integer', minimum: 1, default: 1 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    },
  };
  app.post<{ Body: SearchBody }>(
    '/api/transactions/search',
    { schema: { body } },
    ({ body: { emails, pageNumber, limit } }, reply) => {
      const offset = (pageNumber - 1) * limit;
      const rows = selectOf(emails.length).all(...emails, limit + 1, offset);
      const transactions = rows.slice(0, limit).map(recordOf);
      const count = transactions.length;
      return reply.send({
        success: true,
        message: messageOf(count),
        count,
        pageNumber,
        moreResults: rows.length > limit,
        transactions,
      });
    },
  );
}

interface PaymentBody {
  readonly amount: number;
  readonly currency: string;
  readonly email: string;
  readonly orderId: number;
  readonly card: { readonly number: string; readonly expMonth: number; readonly expYear: number };
}

/** The intent is durable before a gateway would be called, and the outcome before the response. */
function addPayments(app: FastifyInstance): void {
  database.exec(`
    CREATE TABLE payments (
      id TEXT PRIMARY KEY, idempotency_key TEXT NOT NULL UNIQUE, order_id INTEGER NOT NULL,
      email TEXT NOT NULL, amount REAL NOT NULL, currency TEXT NOT NULL, last4 TEXT NOT NULL,
      status TEXT NOT NULL, created_at TEXT NOT NULL, completed_at TEXT, request TEXT NOT NULL
    )`);
  const insert = database.prepare(
    `INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, 'Processing', ?, NULL, ?)`,
  );
  const update = database.prepare('UPDATE payments SET status = ?, completed_at = ? WHERE id = ?');
  // The fields of the host's response, so that response sizes are equal.
  const shape = JSON.parse(readFileSync(template, 'utf8'));
  const card = {
    type: 'object',
    required: ['number', 'expMonth', 'expYear', 'cvv'],
    properties: {
      number: { type: 'string', pattern: '^\\d{12,19}$' },
      expMonth: { type: 'integer', minimum: 1, maximum: 12 },
      expYear: { type: 'integer', minimum: 2000, maximum: 2999 },
      cvv: { type: 'string', pattern: '^\\d{3,4}$' },
    },
  };
  const body = {
    type: 'object',
    required: ['amount', 'currency', 'email', 'orderId', 'card'],
    properties: {
      amount: { type: 'number', exclusiveMinimum: 0 },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
      email: { type: 'string', format: 'email' },
      orderId: { type: 'integer', minimum: 1 },
      card,
    },
  };
  app.post<{ Body: PaymentBody }>('/v1/payments', { schema: { body } }, (request, reply) => {
    const { amount, currency, email, orderId, card: given } = request.body;
    const id = randomUUID();
    const key = String(request.headers['idempotency-key'] ?? id);
    const createdAt = new Date().toISOString();
    const last4 = given.number.slice(-4);
    const kept = JSON.stringify({ ...request.body, card: { ...given, number: last4, cvv: '' } });
    // Each statement is a transaction, durable when it returns.
    insert.run(id, key, orderId, email, amount, currency, last4, createdAt, kept);
    const completedAt = new Date().toISOString();
    update.run('Captured', completedAt, id);
    const sums = { amount, authorizedAmount: amount, capturedAmount: amount };
    return reply.code(201).send({
      ...shape,
      id,
      ...sums,
      currency,
      orderId,
      email,
      createdAt,
      completedAt,
    });
  });
}

if (hasTable('details')) addDetail(server);
if (hasTable('records')) addSearch(server);
if (template !== '') addPayments(server);

await server.listen({ port: 0, host: '127.0.0.1' });
const { port } = server.server.address() as AddressInfo;
console.log(`listens on http://127.0.0.1:${port}`);
process.on('SIGTERM', () => process.exit());

function messageOf(count: number): string {
  if (count === 0) return 'No transaction matches';
  return count === 1 ? '1 transaction' : `${count} transactions`;
}
