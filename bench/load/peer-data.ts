/** The records that the peers serve: the host's responses for the same data, from its read models. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DetailView,
  openSqliteReadModelStore,
  ReferenceView,
  type SearchRecord,
  SearchView,
} from '../../packages/projections/src/index.ts';
import { TENANT_ID } from './host-data.ts';

const PAGE = 100;
const ROWS_A_COMMIT = 10_000;
const SAY_EVERY = 50_000;

interface Views {
  readonly search: SearchView;
  readonly details: DetailView;
}

async function withViews<Result>(
  folder: string,
  work: (views: Views) => Promise<Result>,
): Promise<Result> {
  const store = openSqliteReadModelStore({ path: join(folder, 'read-models.db'), readOnly: true });
  const reference = new ReferenceView(store);
  try {
    return await work({
      search: new SearchView(store, reference),
      details: new DetailView(store, reference),
    });
  } finally {
    await store.close();
  }
}

/** Every live record of the tenant, the newest first. */
async function* recordsOf({ search }: Views): AsyncGenerator<SearchRecord> {
  const now = new Date().toISOString();
  // Without dates the search would cover the last month only; the payments span a year.
  const query = { tenantId: TENANT_ID, filter: { dateFrom: '2000-01-01' }, limit: PAGE, now };
  let page = await search.search(query);
  while (page.end !== undefined) {
    yield* page.transactions;
    page = await search.search({ ...query, after: page.end });
  }
}

/** The ids of live payments, and the emails of their customers. */
export function liveRecords(
  folder: string,
): Promise<{ readonly ids: readonly string[]; readonly emails: readonly string[] }> {
  return withViews(folder, async (views) => {
    const ids: string[] = [];
    const emails = new Set<string>();
    for await (const { transactionId, originalTransactionId, email } of recordsOf(views)) {
      if (originalTransactionId === '') ids.push(transactionId);
      emails.add(email);
    }
    return { ids, emails: [...emails] };
  });
}

/** One table of documents by id, with all that the host's detail can show of a payment. */
export function writeDetails(folder: string, path: string, ids: readonly string[]): Promise<void> {
  return withViews(folder, async ({ details }) => {
    const database = openTable(path, 'CREATE TABLE details (id TEXT PRIMARY KEY, body TEXT)');
    const insert = database.prepare('INSERT INTO details VALUES (?, ?)');
    const now = new Date().toISOString();
    database.exec('BEGIN');
    for (const id of ids) {
      const found = await details.detail({ tenantId: TENANT_ID, id, now });
      if (found === undefined) throw new Error(`no detail of ${id}`);
      const { transaction, routing, addressData, addresses, subscriptions, sessionData } = found;
      const { cart, storefrontProducts } = found;
      const order = {
        addressData,
        addresses,
        subscriptions,
        sessionData,
        cart,
        storefrontProducts,
      };
      insert.run(id, JSON.stringify({ transaction, routing, ...order }));
    }
    database.exec('COMMIT');
    database.close();
  });
}

/**
 * One table of search records, a column per field, with an index on the email. Returns row count
 * and emails.
 */
export function writeRecords(
  folder: string,
  path: string,
  say: (what: string) => void,
): Promise<{ readonly rows: number; readonly emails: readonly string[] }> {
  return withViews(folder, async (views) => {
    let rows = 0;
    let database: DatabaseSync | undefined;
    let insert = (_: SearchRecord): void => {};
    const emails = new Set<string>();
    for await (const record of recordsOf(views)) {
      if (database === undefined) {
        database = openTable(path, `CREATE TABLE records (${columnsOf(record).join(', ')})`);
        const marks = Object.keys(record).map(() => '?');
        const statement = database.prepare(`INSERT INTO records VALUES (${marks.join(', ')})`);
        insert = (each) => statement.run(...Object.values(each).map(storable));
        database.exec('BEGIN');
      }
      insert(record);
      emails.add(record.email);
      rows += 1;
      if (rows % ROWS_A_COMMIT === 0) database.exec('COMMIT; BEGIN');
      if (rows % SAY_EVERY === 0) say(`writing the peer's rows: ${rows}`);
    }
    database?.exec('COMMIT; CREATE INDEX records_by_email ON records (email, sent DESC)');
    database?.close();
    return { rows, emails: [...emails] };
  });
}

function openTable(path: string, table: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${table}`);
  return database;
}

function columnsOf(record: SearchRecord): string[] {
  return Object.entries(record).map(([name, value]) => {
    if (typeof value === 'number') return `"${name}" REAL`;
    return typeof value === 'boolean' ? `"${name}" BOOLEAN` : `"${name}" TEXT`;
  });
}

function storable(value: string | number | boolean | null): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}
