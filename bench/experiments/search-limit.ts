/**
 * What of a search is SQLite: `node bench/experiments/search-limit.ts [payments] [rounds]`. Every filter of the
 * transactions search, by our search, beside the time that it spends in statements of SQLite alone, and beside
 * PostgreSQL, whose bodies are parsed and whose bodies are not. Prints the medians of the filters' medians
 * and p99s, and the ratio to PostgreSQL of the same round.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  openSqliteReadModelStore,
  ReferenceView,
  type SearchFilter,
  SearchView,
} from '@counterfoil/projections';
import { randomOf } from '../data/random.ts';
import { RunPostgres } from '../harness/postgres.ts';
import { timeStatements } from '../harness/statement-time.ts';
import { NaiveSqlite } from '../peers/naive-sqlite.ts';
import { openPostgresSearch } from '../peers/postgres-search.ts';
import { spread } from '../report/numbers.ts';
import { makeReadSide, streamsOf } from '../stages/read-models-data.ts';
import { percentile, queryOf } from '../stages/search.ts';
import { Drawing, descriptorsOf, FILTERS } from '../stages/search-filters.ts';

const [SIZE = 100_000, ROUNDS = 5] = process.argv.slice(2).map(Number);
const QUERIES = 500;
const SEED = 20260101;
const PAGE = 10;
/** After the year of the payments. */
const NOW = '2026-06-01T00:00:00.000Z';
const US = 1_000;

/** Milliseconds of each filter's searches. */
type Times = Map<string, number[]>;

/** The medians of the filters' medians and p99s. */
function summaryOf(times: Times): { readonly p50: number; readonly p99: number } {
  const of = (part: number) =>
    percentile(
      [...times.values()].map((each) => percentile(each, part)),
      0.5,
    );
  return { p50: of(0.5), p99: of(0.99) };
}

async function timed(drawing: Drawing, ask: (filter: SearchFilter) => Promise<number>) {
  const times: Times = new Map();
  for (const name of FILTERS) {
    const taken: number[] = [];
    for (const filter of drawing.filters(name, QUERIES)) taken.push(await ask(filter));
    times.set(name, taken);
  }
  return summaryOf(times);
}

async function lasting(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

const folder = mkdtempSync(join(fileURLToPath(new URL('../results', import.meta.url)), 'search-'));
const payments = { size: SIZE, seed: SEED };
const servers = new RunPostgres();
try {
  const side = await makeReadSide(folder, payments, console.error);
  await side.close();
  console.error(`PostgreSQL: loading ${SIZE} payments`);
  const naive = new NaiveSqlite(join(folder, 'naive.db'));
  naive.load(streamsOf(payments));
  const reader = naive.reader();
  const peer = await openPostgresSearch(
    await servers.newDatabase(),
    reader.records(),
    () => undefined,
  );
  reader.close();
  naive.close();
  const inStatements = timeStatements();
  const store = openSqliteReadModelStore({ path: side.modelsPath, readOnly: true });
  const view = new SearchView(store, new ReferenceView(store));
  const own = (filter: SearchFilter) => view.search({ tenantId: 1, filter, limit: PAGE, now: NOW });
  const sides: Record<string, (filter: SearchFilter) => Promise<number>> = {
    'our search': (filter) => lasting(() => own(filter)),
    'its statements alone': async (filter) => {
      inStatements();
      await own(filter);
      return inStatements();
    },
    PostgreSQL: (filter) => lasting(() => peer.search(queryOf(filter))),
    'PostgreSQL, bodies parsed': (filter) =>
      lasting(async () => {
        for (const { body } of await peer.search(queryOf(filter))) JSON.parse(body);
      }),
  };
  const descriptors = descriptorsOf(payments);
  const found = new Map<string, { p50: number; p99: number }[]>();
  // The first round warms all sides up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, ask] of Object.entries(sides)) {
      const drawing = new Drawing(payments, randomOf(SEED + round), descriptors);
      const summary = await timed(drawing, ask);
      if (round > 0) found.set(name, [...(found.get(name) ?? []), summary]);
    }
  }
  const beside = found.get('PostgreSQL') ?? [];
  for (const [name, rounds] of found) {
    for (const part of ['p50', 'p99'] as const) {
      const us = rounds.map((each) => each[part] * US);
      const ratios = rounds.map((each, index) => each[part] / (beside[index]?.[part] ?? 0));
      console.log(
        `${name.padEnd(26)} ${part} ${spread(us, 0)} µs, ${spread(ratios, 2)} of PostgreSQL`,
      );
    }
  }
  await peer.close();
  await store.close();
} finally {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}
