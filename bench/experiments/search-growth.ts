/**
 * What of a search grows: `node bench/experiments/search-growth.ts [payments] [rounds] [folder]`. Every filter of
 * the transactions search at so many payments and at a tenth of them, beside the time in statements of
 * SQLite alone. A round asks the same searches of all filters several times over, and the smallest time of
 * each counts: what else runs on the machine falls away, while the pages of one filter still push those of
 * the others out of the caches. Prints the medians and p99s of each filter, and the growth of the worst p99. What is made in
 * the folder is kept, and used again.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  openSqliteReadModelStore,
  type ReadModelStore,
  ReferenceView,
  type SearchFilter,
  SearchView,
} from '@counterfoil/projections';
import { randomOf } from '../data/random.ts';
import { spreadOf } from '../harness/rounds.ts';
import { timeStatements } from '../harness/statement-time.ts';
import { spread } from '../report/numbers.ts';
import { makeReadSide } from '../stages/read-models-data.ts';
import { percentile } from '../stages/search.ts';
import { Drawing, descriptorsOf, FILTERS } from '../stages/search-filters.ts';

const [SIZE = 1_000_000, ROUNDS = 5] = process.argv.slice(2, 4).map(Number);
const KEPT_IN = process.argv[4];
const QUERIES = 500;
const PASSES = 4;
const SEED = 20260101;
const SEEDS_APART = 7_919;
const PAGE = 10;
/** After the year of the payments. */
const NOW = '2026-06-01T00:00:00.000Z';
const US = 1_000;

/** Microseconds of one search, and those in statements alone. */
interface Taken {
  readonly all: number;
  readonly statements: number;
}
type Part = keyof Taken;

const inStatements = timeStatements();

class Side {
  readonly #payments: { readonly size: number; readonly seed: number };
  readonly #descriptors: readonly string[];
  readonly #store: ReadModelStore;
  readonly #view: SearchView;

  private constructor(size: number, modelsPath: string) {
    this.#payments = { size, seed: SEED };
    this.#descriptors = descriptorsOf(this.#payments);
    this.#store = openSqliteReadModelStore({ path: modelsPath, readOnly: true });
    this.#view = new SearchView(this.#store, new ReferenceView(this.#store));
  }

  static async open(folder: string, size: number): Promise<Side> {
    const modelsPath = join(folder, `read-models-${size}.db`);
    if (!existsSync(modelsPath)) {
      const made = await makeReadSide(folder, { size, seed: SEED }, console.error);
      await made.close();
    }
    return new Side(size, modelsPath);
  }

  /** The searches of a round, a list for each filter. */
  searches(round: number): readonly (readonly SearchFilter[])[] {
    const random = randomOf(SEED + round * SEEDS_APART);
    const drawing = new Drawing(this.#payments, random, this.#descriptors);
    return FILTERS.map((name) => drawing.filters(name, QUERIES));
  }

  async ask(filter: SearchFilter): Promise<Taken> {
    inStatements();
    const begin = performance.now();
    await this.#view.search({ tenantId: 1, filter, limit: PAGE, now: NOW });
    return { all: (performance.now() - begin) * US, statements: inStatements() * US };
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** The smallest of what the same searches took, by filter. */
type Times = readonly Taken[][];

async function pass(side: Side, searches: ReturnType<Side['searches']>, before: Times) {
  const times: Taken[][] = [];
  for (const [of, filters] of searches.entries()) {
    const taken: Taken[] = [];
    for (const [at, filter] of filters.entries()) {
      const now = await side.ask(filter);
      const then = before[of]?.[at] ?? now;
      taken.push({
        all: Math.min(now.all, then.all),
        statements: Math.min(now.statements, then.statements),
      });
    }
    times.push(taken);
  }
  return times;
}

function partOf(taken: readonly Taken[] = [], part: Part, fraction: number): number {
  return percentile(
    taken.map((each) => each[part]),
    fraction,
  );
}

function worst(times: Times, part: Part): number {
  return Math.max(...times.map((taken) => partOf(taken, part, 0.99)));
}

const results = fileURLToPath(new URL('../results', import.meta.url));
mkdirSync(results, { recursive: true });
const folder = KEPT_IN ?? mkdtempSync(join(results, 'search-'));
try {
  const sides = [await Side.open(folder, SIZE / 10), await Side.open(folder, SIZE)] as const;
  const found: (readonly [small: Times, large: Times])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [small, large] = sides.map((side) => side.searches(round));
    let times: [Times, Times] = [[], []];
    // The first pass warms up, and does not count.
    for (let each = 0; each <= PASSES; each += 1) {
      const before: typeof times = each <= 1 ? [[], []] : times;
      times = [
        await pass(sides[0], small ?? [], before[0]),
        await pass(sides[1], large ?? [], before[1]),
      ];
    }
    found.push(times);
  }
  console.log(`µs at ${SIZE / 10} and ${SIZE}: median, p99; of statements alone: median, p99`);
  for (const [of, name] of FILTERS.entries()) {
    const both = [0, 1].map((side) =>
      (['all', 'statements'] as const)
        .flatMap((part) =>
          [0.5, 0.99].map((fraction) =>
            spreadOf(found.map((times) => partOf(times[side]?.[of], part, fraction)))
              .median.toFixed(0)
              .padStart(6),
          ),
        )
        .join(''),
    );
    console.log(`${name.padEnd(22)} ${both.join('  |')}`);
  }
  for (const part of ['all', 'statements'] as const) {
    const p99s = [0, 1].map((side) => found.map((times) => worst(times[side] ?? [], part)));
    const growth = found.map((_, round) => (p99s[1]?.[round] ?? 0) / (p99s[0]?.[round] ?? 0));
    const [small = '', large = ''] = p99s.map((each) => spread(each, 0));
    console.log(`worst p99, ${part}: ${small} and ${large} µs, growth ${spread(growth, 2)}`);
  }
  for (const side of sides) await side.close();
} finally {
  if (KEPT_IN === undefined) rmSync(folder, { recursive: true, force: true });
}
