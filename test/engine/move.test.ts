/** Moves of a ledger between files and servers: what is moved, what is refused, and moves that were stopped. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { type StoredEvent, TenantId } from '@counterfoil/core';
import { openLedger, silentLogger } from '@counterfoil/engine';
import { LEFT_BEHIND, MOVED_TABLES, moveLedger, type Stores } from '@counterfoil/engine/move';
import { openEventStore, openHostDatabase, setMarkOnce } from '@counterfoil/engine/storage';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { startProtocolServer } from '../eventstoredb-server/server.ts';
import { CHILD_ENV } from '../setup/child-env.ts';
import { newDatabase } from '../setup/databases.ts';
import { queried } from '../setup/empty-database.ts';
import { order, withShop } from './shop.ts';
import { TENANT } from './webhook-sink.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
/** More than nine: numbers are not in the order of their texts. */
const PAYMENTS = 11;
const OTHER_TENANT = TenantId.parse(10);
const MASTER_KEY = Buffer.alloc(32, 7);
/** Nothing is held by a process that was killed. */
const AT_ONCE = { patienceMs: 0 };

vi.setConfig({ testTimeout: 60_000 });

function newFolder(): Stores {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-move-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return storesIn(dataDir);
}

function storesIn(dataDir: string): Stores {
  return {
    dataDir,
    eventStoreUrl: `sqlite:${join(dataDir, 'events.db')}`,
    readModelUrl: `sqlite:${join(dataDir, 'read-models.db')}`,
  };
}

async function newServer({ dataDir }: Stores): Promise<Stores> {
  const url = await newDatabase();
  return { dataDir, eventStoreUrl: url, readModelUrl: url };
}

function storageOf(stores: Stores) {
  if (stores.eventStoreUrl.startsWith('sqlite:')) return stores.dataDir;
  const { eventStoreUrl: log, readModelUrl: readModels, eventStorePrefix } = stores;
  return { log, readModels, ...(eventStorePrefix && { logPrefix: eventStorePrefix }) };
}

function opened(stores: Stores) {
  return openLedger({ storage: storageOf(stores), masterKey: MASTER_KEY, logger: silentLogger });
}

/**
 * A folder with some payments of two tenants, a refund and a person who is erased: a copy of the one that is made
 * first.
 */
async function smallLedger(): Promise<Stores> {
  const stores = newFolder();
  made ??= makeLedger();
  cpSync(await made, stores.dataDir, { recursive: true });
  return stores;
}

let made: Promise<string> | undefined;
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-move-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function makeLedger(): Promise<string> {
  const ledger = await opened(storesIn(folder));
  await withShop(ledger, TENANT);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  for (let number = 1; number <= PAYMENTS; number += 1) {
    const paid = await shop.payments.submit(order({ idempotencyKey: `order-${number}` }));
    if (number === 1) await shop.payments.refund(paid.id, { amount: '5.00' });
  }
  const { customerId } = await shop.customers.register({ email: 'bo@shop.example' });
  await shop.customers.erase(customerId);
  await withShop(ledger, OTHER_TENANT);
  await ledger.as({ tenantId: OTHER_TENANT, actor: 'shop' }).payments.submit(order());
  await ledger.close();
  return folder;
}

type Placeless = Omit<StoredEvent, 'position'>;

async function eventsOf(stores: Stores): Promise<readonly Placeless[]> {
  const log = await openEventStore(stores, { follow: true });
  const events: Placeless[] = [];
  try {
    for await (const batch of log.subscribe({ untilHead: true })) {
      events.push(...batch.map(({ position: _, ...event }) => event));
    }
    return events;
  } finally {
    await log.close();
  }
}

/** Moves in one attempt after the other, each of which is stopped later; answers how many there were. */
async function movedInParts(from: Stores, to: Stores, stride: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    let left = (attempt - 1) * stride;
    const onProgress = () => {
      if (left === 0) throw new Error('stopped here');
      left -= 1;
    };
    const moved = await moveLedger({ from, to, onProgress, ...AT_ONCE }).catch((error: Error) => {
      expect(error.message).toBe('stopped here');
      return undefined;
    });
    if (moved !== undefined) return attempt;
  }
}

it('stopped at any of its steps, goes on and ends with the same', async () => {
  const from = await smallLedger();
  const servers = await newServer(from);
  expect(await movedInParts(from, servers, 17)).toBeGreaterThan(MOVED_TABLES.length / 8);
  expect(await eventsOf(servers)).toEqual(await eventsOf(from));
  const back = newFolder();
  expect(await movedInParts(servers, back, 7)).toBeGreaterThan(MOVED_TABLES.length / 4);
  expect(await eventsOf(back)).toEqual(await eventsOf(from));
  const ledger = await opened(back);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  const again = await shop.payments.submit(order({ idempotencyKey: 'order-2' }));
  const { transactions } = await shop.transactions.search({
    emails: ['ann@shop.example'],
    limit: 50,
  });
  expect(transactions.map(({ transactionId }) => transactionId)).toContain(again.id);
  expect(transactions).toHaveLength(PAYMENTS + 1);
  await ledger.close();
});

it('goes on after a death', async () => {
  const [from, to] = [await smallLedger(), newFolder()];
  const env = { ...CHILD_ENV, DATA_DIR: from.dataDir, MASTER_KEY: MASTER_KEY.toString('base64') };
  const child = spawn(process.execPath, [CLI, 'move', '--to', to.dataDir], { env });
  const ended = once(child, 'close');
  child.stdout.on('data', (text) => {
    if (/Counting events/.test(text)) child.kill('SIGKILL');
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  await moveLedger({ from, to, ...AT_ONCE });
  expect(await eventsOf(to)).toEqual(await eventsOf(from));
});

it('makes the places of reactors those of the same events', async () => {
  const from = await smallLedger();
  const to = await newServer(from);
  const checkpoints = new DatabaseSync(join(from.dataDir, 'reactors.db'));
  const place = '0000000000000005';
  const { changes } = checkpoints.prepare('UPDATE checkpoints SET position = ?').run(place);
  checkpoints.close();
  await moveLedger({ from, to, ...AT_ONCE });
  const { rows } = await queried(
    to.eventStoreUrl,
    `SELECT id FROM counterfoil_host.places JOIN counterfoil_log.events
       ON position = lpad(transaction::text, 19, '0') || lpad(ordinal::text, 10, '0')
     WHERE reactor NOT IN ('mails', 'mails without a server', 'webhooks')`,
  );
  const fifth = (await eventsOf(from))[4];
  expect(rows).toEqual(Array.from({ length: Number(changes) }, () => ({ id: fifth?.id })));
});

it('moves to EventStoreDB and back', async () => {
  const server = await startProtocolServer();
  onTestFinished(() => server.close());
  const from = await smallLedger();
  const to = { ...(await newServer(from)), eventStoreUrl: server.url, eventStorePrefix: 'moved.' };
  await moveLedger({ from, to, ...AT_ONCE });
  const ledger = await opened(to);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  expect((await shop.books.trialBalance()).balanced).toBe(true);
  await ledger.close();
  const back = newFolder();
  await moveLedger({ from: to, to: back, ...AT_ONCE });
  expect(await eventsOf(back)).toEqual(await eventsOf(from));
});

it('moves no ledger that is in use, and fills nothing that is', async () => {
  const from = await smallLedger();
  const servers = await newServer(from);
  const writer = await openEventStore(from);
  await expect(moveLedger({ from, to: servers, ...AT_ONCE })).rejects.toMatchObject({
    code: 'in-use',
  });
  await writer.close();
  await moveLedger({ from, to: servers, ...AT_ONCE });
  const other = await opened(servers);
  const to = newFolder();
  await vi.waitUntil(() => isLed(servers));
  await expect(moveLedger({ from: servers, to, ...AT_ONCE })).rejects.toMatchObject({
    code: 'in-use',
    message: expect.stringContaining('a host or a worker runs on'),
  });
  await other.close();
});

async function isLed({ readModelUrl }: Stores): Promise<boolean> {
  const { rowCount } = await queried(
    readModelUrl,
    `SELECT FROM counterfoil_read_models.leases WHERE name = 'reactors' AND expires_ms > 0`,
  );
  return rowCount === 1;
}

it('notices what is written to a server while it is moved', async () => {
  const from = await smallLedger();
  const servers = await newServer(from);
  await moveLedger({ from, to: servers, ...AT_ONCE });
  const log = await openEventStore(servers);
  const [first] = await eventsOf(from);
  let hasWritten = false;
  const onProgress = async (step: string) => {
    if (step !== 'tables' || hasWritten || first === undefined) return;
    hasWritten = true;
    const event = { ...first, id: randomUUID() };
    const command = { id: randomUUID() as StoredEvent['commandId'], fingerprint: '' };
    writing = log.append({
      stream: first.stream,
      events: [event],
      expected: { kind: 'any' },
      command,
    });
  };
  let writing: Promise<unknown> = Promise.resolve();
  const to = newFolder();
  await expect(moveLedger({ from: servers, to, onProgress, ...AT_ONCE })).rejects.toMatchObject({
    code: 'in-use',
  });
  await writing;
  await log.close();
  // What was moved so far is of before.
  await expect(moveLedger({ from: servers, to, ...AT_ONCE })).rejects.toThrow(/was used since/);
});

it('fills only empty stores, and those that it has begun to fill itself', async () => {
  const [from, other] = [await smallLedger(), await smallLedger()];
  await expect(moveLedger({ from, to: other, ...AT_ONCE })).rejects.toThrow(/is not empty/);
  const servers = await newServer(from);
  const database = await openHostDatabase(servers.readModelUrl);
  await setMarkOnce(database.pool, 'master-key', 'of the first host');
  await database.close();
  await expect(moveLedger({ from, to: servers, ...AT_ONCE })).rejects.toThrow(/is not empty/);
  const to = newFolder();
  const stopAfterLog = (step: string) => {
    if (step === 'tables') throw new Error('stopped here');
  };
  const stopped = moveLedger({ from, to, onProgress: stopAfterLog, ...AT_ONCE });
  await expect(stopped).rejects.toThrow('stopped here');
  await expect(opened(to)).rejects.toThrow(/the move to it has not ended/);
  const mark = join(to.dataDir, 'move.json');
  const { firstEvent, ...kept } = JSON.parse(readFileSync(mark, 'utf8'));
  expect(firstEvent).toBe((await eventsOf(from))[0]?.id);
  writeFileSync(mark, JSON.stringify({ ...kept, firstEvent: 'of another log' }));
  await expect(moveLedger({ from, to, ...AT_ONCE })).rejects.toThrow(/part of the ledger of/);
  // Until the end the source is what it was.
  await (await opened(from)).close();
});

it('leaves no ledger to start on twice', async () => {
  const from = await smallLedger();
  const [to, third] = [newFolder(), newFolder()];
  await moveLedger({ from, to, ...AT_ONCE });
  await expect(opened(from)).rejects.toThrow(/was moved to .*remove .*move\.json/);
  await expect(moveLedger({ from, to: third, ...AT_ONCE })).rejects.toThrow(/was moved to/);
  await expect(moveLedger({ from, to, ...AT_ONCE })).rejects.toThrow(/was moved to/);
  await (await opened(to)).close();
});

it('compares what it has moved, and names the place of a difference', async () => {
  const from = await smallLedger();
  const to = newFolder();
  const change = (text: string) => {
    const database = new DatabaseSync(join(to.dataDir, 'sandbox-gateway.db'));
    database.exec(text);
    database.close();
  };
  const onProgress = (step: string) => {
    if (step === 'compare-tables') change(`UPDATE request SET currency = 'USD'`);
  };
  await expect(moveLedger({ from, to, onProgress, ...AT_ONCE })).rejects.toMatchObject({
    code: 'different',
    message: expect.stringMatching(/gateway_requests .* sequence 1/),
  });
  const events = new DatabaseSync(join(to.dataDir, 'events.db'));
  events.exec('DELETE FROM events WHERE position = 3');
  events.close();
  await expect(moveLedger({ from, to, ...AT_ONCE })).rejects.toThrow(/position 3 is missing/);
});

it('names a difference in a server too, and lets it go', async () => {
  const from = await smallLedger();
  const servers = await newServer(from);
  const database = await openHostDatabase(servers.readModelUrl);
  await database.pool.query(`
    CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.sequence = 2 THEN NEW.currency = 'USD'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER spoil BEFORE INSERT ON counterfoil_host.gateway_requests
      FOR EACH ROW EXECUTE FUNCTION spoil()`);
  await database.close();
  await expect(moveLedger({ from, to: servers, ...AT_ONCE })).rejects.toMatchObject({
    code: 'different',
    message: expect.stringMatching(/gateway_requests .* sequence 2/),
  });
});

it('knows every table and column of the engine, in files and in PostgreSQL', async () => {
  const { dataDir, readModelUrl } = await newServer(await smallLedger());
  await (await openHostDatabase(readModelUrl)).close();
  const { rows } = await queried(
    readModelUrl,
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'counterfoil_host'`,
  );
  const inSchema = (column: Column) =>
    LEFT_BEHIND.inSchema.some((each) => each === column.table) ||
    NOT_MOVED.test(column.column) ||
    MOVED_TABLES.some(
      (each) =>
        each.inSchema === column.table &&
        (column.column in each.columns || each.ownedBy?.column === column.column),
    );
  expect(rows.filter((each) => !inSchema(each))).toEqual([]);
  const inFiles = (column: Column) =>
    LEFT_BEHIND.inFiles.some((each) => each === column.table) ||
    NOT_MOVED.test(column.column) ||
    MOVED_TABLES.some((each) => each.inFile === column.table && column.column in each.columns);
  const own = /^(?!events|read-models).*\.db$/;
  const files = readdirSync(dataDir).filter((name) => own.test(name));
  expect(files).toHaveLength(9);
  const columns = files.flatMap((name) => columnsOf(join(dataDir, name)));
  expect(columns.filter((each) => !inFiles(each))).toEqual([]);
});

interface Column {
  readonly table: string;
  readonly column: string;
}

/** Claims end with their process; checksums, fillers and the mark of the keys are made again. */
const NOT_MOVED = /^(claimed_by|claimed_until|checksum|filler|whole_(after|event_id|keys))$/;

function columnsOf(path: string): readonly Column[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const columns = database
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list AS t
       JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all();
  database.close();
  return columns as unknown as readonly Column[];
}
