/**
 * What a rebuild could gain at most: `node bench/experiments/rebuild-limit.ts [payments]`. Beside the live
 * worker and the rebuild in one thread and in two stands a floor: the stored texts read and parsed
 * from the log, and the rows of the finished files inserted into new ones and indexed, without checks,
 * folds, documents or checksums. Measured is processor time for an event, of the busiest thread and of all
 * threads with V8's: on two cores a rebuild takes at least half of the latter.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { openSqliteReadModelStore, PROJECTIONS } from '@counterfoil/projections';
import { fill } from '../../packages/engine/src/runtime/projecting/filling.ts';
import { besideInThread } from '../../packages/engine/src/runtime/projecting/rebuild-thread.ts';
import { once } from '../harness/once.ts';
import { spreadOf } from '../harness/rounds.ts';
import { follow, Growth, makeReadSide, type ReadSide } from '../stages/read-models-data.ts';

const ROUNDS = 3;
const DEFAULT_PAYMENTS = 30_000;
const LIVE_PAYMENTS = 3_000;
const SAMPLE_MS = 50;
const TICK_US = 10_000;

interface Cost {
  /** Microseconds of a processor for an event. */
  readonly busiest: number;
  readonly all: number;
}

/** Processor time of each thread of this process so far, in microseconds. */
function threads(): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const id of readdirSync('/proc/self/task')) {
    try {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11);
      times.set(id, (Number(user) + Number(system)) * TICK_US);
    } catch {
      // It has just ended.
    }
  }
  return times;
}

async function costOf(events: number, work: () => Promise<void> | void): Promise<Cost> {
  const before = threads();
  const last = new Map(before);
  const look = () => {
    for (const [id, time] of threads()) last.set(id, time);
  };
  const sampling = setInterval(look, SAMPLE_MS);
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  clearInterval(sampling);
  look();
  const spent = [...last].map(([id, time]) => time - (before.get(id) ?? 0));
  return { busiest: Math.max(...spent) / events, all: (user + system) / events };
}

/** Fills new files; answers what is there then. */
async function filled(side: ReadSide, path: string, inTwo: boolean): Promise<void> {
  const store = openSqliteReadModelStore({ path });
  const data = {
    log: { eventStoreUrl: `sqlite:${side.logPath}` },
    readModelUrl: `sqlite:${path}`,
    holder: 'bench',
    keys: undefined,
  };
  await fill({
    ...data,
    events: side.follower,
    store,
    signal: new AbortController().signal,
    projections: PROJECTIONS,
    beside: inTwo ? besideInThread(data, () => undefined) : undefined,
  });
  await store.close();
}

interface Table {
  readonly name: string;
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly SQLInputValue[][];
}

interface Rows {
  readonly tables: readonly Table[];
  readonly indices: readonly string[];
}

/** All rows of a file, but for the trigrams of its few texts. */
function rowsOf(file: string): Rows {
  const database = new DatabaseSync(file, { readOnly: true });
  const schema = database
    .prepare(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB '*_grep*'",
    )
    .all() as unknown as readonly { type: string; name: string; sql: string }[];
  const tables = schema
    .filter(({ type }) => type === 'table')
    .map(({ name, sql }) => {
      const columns = database
        .prepare(`SELECT name FROM pragma_table_xinfo('${name}') WHERE hidden = 0`)
        .all()
        .map((row) => String(row['name']));
      const select = database.prepare(`SELECT ${columns.join(', ')} FROM ${name}`);
      select.setReadBigInts(true);
      select.setReturnArrays(true);
      const rows = (select.all() as unknown as SQLInputValue[][]).map((row) => row.map(plain));
      return { name, sql, columns, rows };
    });
  const indices = schema.filter(({ type }) => type === 'index').map(({ sql }) => sql);
  database.close();
  return { tables, indices };
}

function plain(value: SQLInputValue): SQLInputValue {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Rows first, indices after, as a load does it. */
function insertAll(path: string, { tables, indices }: Rows): void {
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY',
  );
  database.exec('PRAGMA cache_size = -262144; PRAGMA threads = 2; BEGIN');
  for (const { sql } of tables) database.exec(sql);
  for (const { name, columns, rows } of tables) {
    const marks = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${marks})`,
    );
    for (const row of rows) insert.run(...row);
  }
  for (const sql of indices) database.exec(sql);
  database.exec('COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec('UPDATE meta SET revision = revision + 1; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Every event's text once, parsed. */
function parseAll(logPath: string): void {
  const database = new DatabaseSync(logPath, { readOnly: true });
  const select = database.prepare('SELECT data FROM events ORDER BY position');
  select.setReturnArrays(true);
  for (const row of select.iterate()) JSON.parse((row as unknown as [string])[0]);
  database.close();
}

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-rebuild-limit-'));
const payments = { size: Number(process.argv[2] ?? DEFAULT_PAYMENTS), seed: 1 };
const side = await makeReadSide(folder, payments, (what) => console.log(what));
const growing = await makeReadSide(mkdtempSync(join(folder, 'live-')), payments, () => undefined);
const live = openSqliteReadModelStore({ path: growing.modelsPath });
const growth = new Growth(
  once(async () => growing),
  LIVE_PAYMENTS,
);
const files = readdirSync(folder)
  .filter((name) => /-[a-z_]+-\d+$/.test(name))
  .map((name) => join(folder, name))
  .filter((path) => statSync(path).isFile());
const rows = files.map(rowsOf);

const sides: Readonly<Record<string, (round: number) => Promise<Cost>>> = {
  'live worker': async (round) => {
    const part = await growth.part(round);
    return costOf(part.events, async () => {
      await follow(growing.follower, live, part);
    });
  },
  'rebuild in one thread': (round) =>
    costOf(side.events, () => filled(side, join(folder, `one-${round}.db`), false)),
  'rebuild in two threads': (round) =>
    costOf(side.events, () => filled(side, join(folder, `two-${round}.db`), true)),
  'log parsed': () => costOf(side.events, () => parseAll(side.logPath)),
  'rows inserted and indexed': (round) =>
    costOf(side.events, () => {
      for (const [at, each] of rows.entries()) {
        insertAll(join(folder, `raw-${round}-${at}.db`), each);
      }
    }),
};
const costs = new Map<string, Cost[]>(Object.keys(sides).map((name) => [name, []]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(sides)) {
    const cost = await run(round);
    // Round 0 warms up.
    if (round > 0) costs.get(name)?.push(cost);
  }
}
const of = (name: string, which: keyof Cost) => (costs.get(name) ?? []).map((each) => each[which]);
const shown = (values: readonly number[]) => {
  const { median, smallest, largest } = spreadOf(values);
  return `${median.toFixed(1)} (${smallest.toFixed(1)} to ${largest.toFixed(1)})`;
};
for (const name of Object.keys(sides)) {
  console.log(
    `${name}: ${shown(of(name, 'busiest'))} µs an event of the busiest thread, ${shown(of(name, 'all'))} of all threads`,
  );
}
const liveUs = of('live worker', 'busiest');
const parsed = of('log parsed', 'all');
const floor = of('rows inserted and indexed', 'all').map((each, at) => each + (parsed[at] ?? 0));
const ratio = (what: string, us: readonly number[]) =>
  console.log(
    `${what}: ${spreadOf(us.map((each, at) => (liveUs[at] ?? 0) / each)).median.toFixed(2)}`,
  );
ratio('live to one thread', of('rebuild in one thread', 'busiest'));
ratio('live to the busier of two', of('rebuild in two threads', 'busiest'));
ratio(
  'live to half of all that two threads take',
  of('rebuild in two threads', 'all').map((us) => us / 2),
);
ratio(
  'live to half of the floor',
  floor.map((us) => us / 2),
);
await live.close();
await growing.close();
await side.close();
rmSync(folder, { recursive: true });
