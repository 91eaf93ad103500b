/** The rows of the transactions search: its growth, and a comparison with a scan and PostgreSQL. */
import { createReadStream, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  MitigationView,
  openSqliteReadModelStore,
  type ReadModelStore,
  ReferenceView,
  type SearchFilter,
  type SearchPage,
  SearchView,
} from '@counterfoil/projections';
import { type Random, randomOf } from '../data/random.ts';
import { once } from '../harness/once.ts';
import type { Row, Sides } from '../harness/stage.ts';
import type { NaiveReader } from '../peers/naive-sqlite.ts';
import type { PostgresQuery, PostgresSearch } from '../peers/postgres-search.ts';
import type { Payments } from './read-models-data.ts';
import {
  broadFilters,
  Drawing,
  descriptorsOf,
  FILTERS,
  type FilterName,
  MITIGATION_FILTERS,
} from './search-filters.ts';

/** The tenant of all synthetic payments. */
const TENANT_ID = 1;
const PARTITION = '1/live';
/** After the year of the payments. */
const NOW = '2026-06-01T00:00:00.000Z';
const PAGE = 10;
/** What the search for mitigation answers at most. */
const MITIGATION_LIMIT = 100;
const DEEP_PAGE = 1_000;
const DAY_MS = 86_400_000;
/** Searches per filter whose results are compared before the measurement. */
const COMPARED = 20;
const SEEDS_APART = 7_919;
const READ_BYTES = 2 ** 20;

const NOTHING_WRITTEN = 'nothing is written';

export const SEARCH_ROWS: readonly Row[] = [
  {
    id: 'search-growth',
    what: 'worst p99 of all filters of the transactions search, at ten times the transactions',
    unit: 'ms',
    better: 'lower',
    reach: { 'own-100k': 1.3 },
    durability: NOTHING_WRITTEN,
  },
  {
    id: 'search-contains',
    what: 'p99 of descriptorContains over 30 days',
    unit: 'ms',
    better: 'lower',
    reach: { scan: 0.05 },
    durability: NOTHING_WRITTEN,
  },
  {
    id: 'search-deep',
    what: 'p50 of page 1,000 of broad searches, jumped to',
    unit: 'ms',
    better: 'lower',
    reach: { 'own-page-1': 4 },
    durability: NOTHING_WRITTEN,
  },
  {
    id: 'search-peer',
    what: 'median of the p99 of all filters',
    unit: 'ms',
    better: 'lower',
    reach: { postgres: 0.6 },
    durability: NOTHING_WRITTEN,
  },
  {
    id: 'mitigation-search',
    what: 'worst p99 of the filters of the mitigation search',
    unit: 'ms',
    better: 'lower',
    reach: { 'transactions-search': 1.5 },
    durability: NOTHING_WRITTEN,
  },
];

/** Read models of one size, read as requests of the host read them. */
export interface Searched {
  readonly payments: Payments;
  readonly modelsPath: string;
}

export interface SearchOptions {
  readonly seed: number;
  /** Of each filter in a round. */
  readonly queries: number;
  readonly large: () => Promise<Searched>;
  readonly small: () => Promise<Searched>;
  readonly scan: () => Promise<NaiveReader>;
  readonly postgres: () => Promise<PostgresSearch>;
}

export interface Searches {
  readonly sides: Readonly<Record<string, Sides>>;
  close(): Promise<void>;
}

/** The sides of the rows; their data is prepared on first use. */
export function searches(options: SearchOptions): Searches {
  const { queries, seed } = options;
  const large = once(async () => OwnSearch.open(await options.large()));
  const small = once(async () => OwnSearch.open(await options.small()));
  const scan = once(async () => {
    const reader = await options.scan();
    const own = await large();
    await compare(own, ['descriptorContains'], async (filter) => scanned(reader, filter));
    return reader;
  });
  const postgres = once(async () => {
    const peer = await options.postgres();
    const own = await large();
    // Loading the peer may have taken the memory that they were in.
    await own.readFiles();
    await compare(own, FILTERS, async (filter) => peer.search(queryOf(filter)));
    return peer;
  });
  const rounds = new Rounds(seed);
  const ownP99s = async (row: string, own: OwnSearch) => {
    const drawing = own.drawing(rounds.next(row));
    return p99s(drawing, queries, (filter) => own.search(filter));
  };
  const deep = async (row: string, page: number) => {
    const own = await large();
    const filters = broadFilters(queries, rounds.next(row));
    return percentile(await own.pages(filters, page), 0.5);
  };
  const containsOf = (own: OwnSearch, row: string) =>
    own.drawing(rounds.next(row)).filters('descriptorContains', queries);
  const sides: Record<string, Sides> = {
    'search-growth': {
      own: async () => Math.max(...(await ownP99s('growth', await large()))),
      peers: { 'own-100k': async () => Math.max(...(await ownP99s('own-100k', await small()))) },
    },
    'search-contains': {
      own: async () => {
        const own = await large();
        const filters = containsOf(own, 'contains');
        return percentile(await timed(filters, (filter) => own.search(filter)), 0.99);
      },
      peers: {
        scan: async () => {
          const reader = await scan();
          const filters = containsOf(await large(), 'scan');
          return percentile(await timed(filters, async (filter) => scanned(reader, filter)), 0.99);
        },
      },
    },
    'search-deep': {
      own: () => deep('deep', DEEP_PAGE),
      peers: { 'own-page-1': () => deep('page-1', 1) },
    },
    'search-peer': {
      own: async () => percentile(await ownP99s('peer', await large()), 0.5),
      peers: {
        postgres: async () => {
          const peer = await postgres();
          const drawing = (await large()).drawing(rounds.next('postgres'));
          return percentile(
            await p99s(drawing, queries, (each) => peer.search(queryOf(each))),
            0.5,
          );
        },
      },
    },
  };
  const worstMitigation = async (
    side: string,
    ask: (own: OwnSearch, filter: SearchFilter) => Promise<unknown>,
  ) => {
    const own = await large();
    const drawing = own.drawing(rounds.next(side));
    const found: number[] = [];
    for (const name of MITIGATION_FILTERS) {
      const times = await timed(drawing.mitigationFilters(name, queries), (filter) =>
        ask(own, filter),
      );
      found.push(percentile(times, 0.99));
    }
    return Math.max(...found);
  };
  sides['mitigation-search'] = {
    own: () => worstMitigation('mitigation', (own, filter) => own.mitigation(filter)),
    peers: {
      'transactions-search': () =>
        worstMitigation('transactions', (own, filter) => own.search(filter, MITIGATION_LIMIT)),
    },
  };
  return {
    sides,
    async close() {
      for (const own of [large, small]) if (own.made()) await (await own()).close();
    },
  };
}

/** The project's own search, over a read-only connection. */
class OwnSearch {
  readonly payments: Payments;
  readonly #modelsPath: string;
  readonly #store: ReadModelStore;
  readonly #reference: ReferenceView;
  readonly #view: SearchView;
  readonly #mitigation: MitigationView;
  readonly #descriptors: readonly string[];

  private constructor({ payments, modelsPath }: Searched) {
    this.payments = payments;
    this.#modelsPath = modelsPath;
    this.#store = openSqliteReadModelStore({ path: modelsPath, readOnly: true });
    this.#reference = new ReferenceView(this.#store);
    this.#view = new SearchView(this.#store, this.#reference);
    this.#mitigation = new MitigationView(this.#store, this.#reference);
    this.#descriptors = descriptorsOf(payments);
  }

  static async open(searched: Searched): Promise<OwnSearch> {
    const own = new OwnSearch(searched);
    await own.readFiles();
    return own;
  }

  /** Has its files in memory, as those of PostgreSQL are once they were loaded. */
  async readFiles(): Promise<void> {
    const folder = dirname(this.#modelsPath);
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(basename(this.#modelsPath))) continue;
      for await (const _ of createReadStream(join(folder, name), { highWaterMark: READ_BYTES }));
    }
  }

  drawing(random: Random): Drawing {
    return new Drawing(this.payments, random, this.#descriptors);
  }

  search(filter: SearchFilter, limit = PAGE): Promise<SearchPage> {
    return this.#view.search({ tenantId: TENANT_ID, filter, limit, now: NOW });
  }

  mitigation(filter: SearchFilter): Promise<readonly unknown[]> {
    const query = { tenantId: TENANT_ID, filter, limit: MITIGATION_LIMIT, now: NOW };
    return this.#mitigation.search(query);
  }

  /** The duration of one page of each search, none of which ran before. */
  async pages(filters: readonly SearchFilter[], pageNumber: number): Promise<readonly number[]> {
    const view = new SearchView(this.#store, this.#reference);
    return timed(filters, async (filter) => {
      const query = { tenantId: TENANT_ID, filter, pageNumber, limit: PAGE, now: NOW };
      const { count } = await view.search(query);
      if (count !== PAGE) throw new Error(`page ${pageNumber} has ${count} records`);
    });
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** In round n all sides of a row get the same searches. */
class Rounds {
  readonly #seed: number;
  readonly #rounds = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(side: string): Random {
    const round = (this.#rounds.get(side) ?? 0) + 1;
    this.#rounds.set(side, round);
    return randomOf(this.#seed + round * SEEDS_APART);
  }
}

/** Milliseconds of each, measured sequentially. */
async function timed(
  filters: readonly SearchFilter[],
  search: (filter: SearchFilter) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const filter of filters) {
    const begin = performance.now();
    await search(filter);
    times.push(performance.now() - begin);
  }
  return times;
}

async function p99s(
  drawing: Drawing,
  queries: number,
  search: (filter: SearchFilter) => Promise<unknown>,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of FILTERS) {
    found.push(percentile(await timed(drawing.filters(name, queries), search), 0.99));
  }
  return found;
}

/** The smallest value that this fraction of all does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}

/** Throws unless a peer returns the project's results: otherwise the comparison is invalid. */
async function compare(
  own: OwnSearch,
  names: readonly FilterName[],
  ask: (filter: SearchFilter) => Promise<readonly { readonly key: string }[]>,
): Promise<void> {
  const drawing = own.drawing(randomOf(own.payments.seed));
  for (const name of names) {
    for (const filter of drawing.filters(name, COMPARED)) {
      const { transactions, moreResults } = await own.search(filter);
      const wanted = transactions.map(({ transactionId }) => `${TENANT_ID}/${transactionId}`);
      const rows = await ask(filter);
      const found = rows.slice(0, PAGE).map(({ key }) => key);
      if (found.join() !== wanted.join() || moreResults !== rows.length > PAGE) {
        throw new Error(`the peer answers ${JSON.stringify(filter)} otherwise: ${found.join()}`);
      }
    }
  }
}

function scanned(reader: NaiveReader, filter: SearchFilter) {
  const { contains = '', from = 0, to = 0, partition, limit } = queryOf(filter);
  return reader.scan({ partition, contains, from, to, limit });
}

/** A search in fields of the records; one record beyond the page tells whether there is more. */
export function queryOf(filter: SearchFilter): PostgresQuery {
  const { bin, last4, firstName, lastName, currency, dateFrom, dateTo } = filter;
  const lower = (value: string) => value.toLowerCase();
  const only = <Value>(value: Value | undefined) => (value === undefined ? [] : [value]);
  const fields: Record<string, readonly (string | number)[] | undefined> = {
    key: filter.transactionIds?.map((id) => `${TENANT_ID}/${id}`),
    email: filter.emails?.map(lower),
    orderId: filter.orderIds,
    gatewayTransactionId: filter.gatewayTransactionIds,
    bin6: only(bin).map(Number),
    last4: only(last4).map(Number),
    firstName: only(firstName).map(lower),
    lastName: only(lastName).map(lower),
    authCode: filter.authCodes,
    currency: only(currency),
    applicationId: filter.applicationIds,
    productId: filter.productIds,
    campaignId: filter.campaignIds,
    merchantAccountId: filter.merchantAccountIds,
    companyId: filter.companyIds,
    subscriptionId: filter.subscriptionIds,
    affiliateId: filter.affiliateIds,
    amount: filter.amounts?.map(String),
  };
  const where = Object.entries(fields).flatMap(([field, anyOf = []]) =>
    anyOf.length === 0 ? [] : [{ field, anyOf: [...new Set(anyOf)] }],
  );
  const contains = filter.descriptorContains;
  return {
    partition: PARTITION,
    where,
    ...(contains === undefined ? {} : { contains: lower(contains) }),
    ...(dateFrom === undefined ? {} : { from: Date.parse(dateFrom) }),
    ...(dateTo === undefined ? {} : { to: Date.parse(dateTo) + DAY_MS - 1 }),
    limit: PAGE + 1,
  };
}
