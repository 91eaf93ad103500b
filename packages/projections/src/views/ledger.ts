/** The ledger read model: journal entries, balances, and the trial balance that they add up to. */
import {
  type JournalEntry,
  type JournalLine,
  journal,
  MONEY_EVENTS,
  never,
  type RawNumber,
  toExactMajor,
} from '@counterfoil/core';
import type { Projection, Recorded, States } from '../projection.ts';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import { ENTRY_COLLECTIONS, entryDocuments } from './ledger-entries.ts';
import { BALANCES, LEDGER, liveModel } from './live-model.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '6';
/** Balances read at a time while they are added up. */
const LIST_PAGE = 1_000;
const MERCHANT_ACCOUNT_DIGITS = 10;

export interface Balance {
  readonly debitMinor: bigint;
  readonly creditMinor: bigint;
}

/** What is counted in an hour and a month, in the order in which it is stored. */
const COUNTED = ['captures', 'chargebacks', 'alerts', 'fraudWarnings', 'declines'] as const;
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

const NOTHING_COUNTED: Counts = {
  captures: 0,
  chargebacks: 0,
  alerts: 0,
  fraudWarnings: 0,
  declines: 0,
};

/** How the payments with cards of one network ended. */
export type BrandCounts = Pick<Counts, 'captures' | 'declines'>;

/** What one hour or month (GMT) posted to each account of a merchant account, in one currency, and of how many. */
export interface PeriodTotals {
  readonly accounts: Map<string, Balance>;
  readonly counts: Counts;
  /** By `cardBrandId`; they add up to the captures and declines of `counts`. */
  readonly brands: ReadonlyMap<number, BrandCounts>;
}

const NO_BRANDS: PeriodTotals['brands'] = new Map();

type State = Balance | PeriodTotals;

export const NOTHING_POSTED: Balance = { debitMinor: 0n, creditMinor: 0n };

export const ledger: Projection<State> = {
  name: LEDGER,
  version: VERSION,
  categories: new Set(['transaction']),
  types: MONEY_EVENTS,
  stateCollection: BALANCES,
  collections: [{ name: BALANCES, kind: 'keyed' }, ...ENTRY_COLLECTIONS],

  needs(record) {
    const counting = countingOf(record);
    const inPeriods = counting?.keys ?? [];
    const entry = journal(record.event);
    if (entry === undefined) return inPeriods;
    const books = booksOf(record, entry);
    const of = booksKey(books);
    const posted = entry.lines.map((line) => balanceKey(of, line));
    return [...inPeriods, ...posted, ...[...periodsOf(books, entry).values()].flat()];
  },

  apply(record, states: States<State>) {
    const changed = new Map<string, State>();
    const counting = countingOf(record);
    if (counting !== undefined) {
      for (const key of counting.keys) {
        changed.set(key, counted(copyOf(states.get(key)), counting));
      }
    }
    const entry = journal(record.event);
    if (entry === undefined) return { states: [...changed] };
    const books = booksOf(record, entry);
    const of = booksKey(books);
    const periods = periodsOf(books, entry);
    for (const line of entry.lines) {
      const key = balanceKey(of, line);
      const balance = (changed.get(key) ?? states.get(key) ?? NOTHING_POSTED) as Balance;
      changed.set(key, added(balance, line));
      for (const period of periods.get(line.currency) ?? []) {
        const totals = (changed.get(period) ?? copyOf(states.get(period))) as PeriodTotals;
        const before = totals.accounts.get(line.account) ?? NOTHING_POSTED;
        totals.accounts.set(line.account, added(before, line));
        changed.set(period, totals);
      }
    }
    return { states: [...changed], documents: entryDocuments(record, entry) };
  },

  encode(state) {
    if (!('accounts' in state)) return JSON.stringify(texts(state));
    const accounts = [...state.accounts].sort(byName).map(([name, each]) => [name, texts(each)]);
    const counts = COUNTED.map((name) => state.counts[name]);
    const brands = [...state.brands]
      .sort(([one], [other]) => one - other)
      .map(([id, { captures, declines }]) => [id, captures, declines]);
    return JSON.stringify({ accounts: Object.fromEntries(accounts), counts, brands });
  },

  decode(body) {
    const stored = JSON.parse(body) as StoredBalance | StoredPeriod;
    if (isBalance(stored)) return balanceIn(stored);
    const accounts = Object.entries(stored.accounts).map(
      ([name, each]) => [name, balanceIn(each)] as const,
    );
    const counts = COUNTED.map((name, index) => [name, stored.counts[index] ?? 0] as const);
    const brands = stored.brands.map(
      ([id, captures, declines]) => [id, { captures, declines }] as const,
    );
    return {
      accounts: new Map(accounts),
      counts: Object.fromEntries(counts) as Counts,
      brands: new Map(brands),
    };
  },
};

type StoredBalance = readonly [debit: string, credit: string];
interface StoredPeriod {
  readonly accounts: Readonly<Record<string, StoredBalance>>;
  readonly counts: readonly number[];
  readonly brands: readonly (readonly [cardBrandId: number, captures: number, declines: number])[];
}

function isBalance(stored: object): stored is StoredBalance {
  return Array.isArray(stored);
}

function texts({ debitMinor, creditMinor }: Balance): StoredBalance {
  return [debitMinor.toString(), creditMinor.toString()];
}

function balanceIn([debit, credit]: StoredBalance): Balance {
  return { debitMinor: BigInt(debit), creditMinor: BigInt(credit) };
}

function copyOf(state: State | undefined): PeriodTotals {
  const totals = state as PeriodTotals | undefined;
  return {
    accounts: new Map(totals?.accounts),
    counts: totals?.counts ?? NOTHING_COUNTED,
    brands: totals?.brands ?? NO_BRANDS,
  };
}

interface Counted {
  readonly names: readonly (keyof Counts)[];
  /** Of a capture or a decline. */
  readonly cardBrandId?: number;
}

function counted({ accounts, counts, brands }: PeriodTotals, more: Counted): PeriodTotals {
  const { names, cardBrandId } = more;
  const totals = { accounts, counts: onceMore(counts, names), brands };
  if (cardBrandId === undefined) return totals;
  const { captures, declines } = brands.get(cardBrandId) ?? NOTHING_COUNTED;
  const brand = onceMore({ captures, declines }, names as readonly (keyof BrandCounts)[]);
  return { ...totals, brands: new Map([...brands, [cardBrandId, brand]]) };
}

function onceMore<Numbers extends Readonly<Record<string, number>>>(
  numbers: Numbers,
  names: readonly (keyof Numbers & string)[],
): Numbers {
  const more = names.map((name) => [name, (numbers[name] ?? 0) + 1] as const);
  return { ...numbers, ...Object.fromEntries(more) };
}

/** What an event counts as, and the periods in which; undefined for most. */
function countingOf(
  record: Recorded,
): (Counted & { readonly keys: readonly string[] }) | undefined {
  const { event } = record;
  switch (event.type) {
    case 'PaymentCaptured':
    case 'PaymentDeclined':
    case 'ChargebackOpened':
    case 'AlertReceived': {
      const what = countedOf(event);
      if (what === undefined) return undefined;
      return { ...what, keys: periodKeys(booksOf(record, event), event.currency, event.at) };
    }
    default:
      return undefined;
  }
}

/** A free trial captures nothing. */
function countedOf(
  event: Extract<
    Recorded['event'],
    { type: 'PaymentCaptured' | 'PaymentDeclined' | 'ChargebackOpened' | 'AlertReceived' }
  >,
): Counted | undefined {
  switch (event.type) {
    case 'ChargebackOpened':
      return { names: ['chargebacks'] };
    case 'AlertReceived':
      return { names: WARNINGS.has(event.alertType) ? ['alerts', 'fraudWarnings'] : ['alerts'] };
    case 'PaymentDeclined':
      return { names: ['declines'], cardBrandId: event.cardBrandId };
    case 'PaymentCaptured':
      if (event.amountMinor === 0n) return undefined;
      return { names: ['captures'], cardBrandId: event.cardBrandId };
    default:
      return never(event);
  }
}

const WARNINGS: ReadonlySet<string> = new Set(['ConfirmedFraud', 'EarlyFraudWarning']);

export interface Books {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
}

function booksOf(
  { tenantId }: Recorded,
  { sandbox, merchantAccountId }: { sandbox: boolean; merchantAccountId: number },
): Books {
  return { tenantId, sandbox, merchantAccountId };
}

/** Of an account of the books that `booksKey` names. */
function balanceKey(books: string, { currency, account }: JournalLine): string {
  return `${books}/${currency}/${account}`;
}

/** The keys of both periods by currency: most lines of an entry have the same one. */
function periodsOf(books: Books, { lines, at }: JournalEntry): Map<string, readonly string[]> {
  const periods = new Map<string, readonly string[]>();
  for (const { currency } of lines) {
    if (!periods.has(currency)) periods.set(currency, periodKeys(books, currency, at));
  }
  return periods;
}

/** The merchant account is padded, so that key order is the order of its numbers. */
function booksKey({ tenantId, sandbox, merchantAccountId }: Books): string {
  const merchantAccount = String(merchantAccountId).padStart(MERCHANT_ACCOUNT_DIGITS, '0');
  return `${partitionOf(tenantId, sandbox)}/${merchantAccount}`;
}

/** Of one merchant account or of all. Before all keys of balances: no partition begins with a letter. */
export function monthsKey(
  books: Omit<Books, 'merchantAccountId'> & { readonly merchantAccountId?: number },
): string {
  const { tenantId, sandbox, merchantAccountId } = books;
  return merchantAccountId === undefined
    ? `month/${partitionOf(tenantId, sandbox)}/`
    : `month/${booksKey({ tenantId, sandbox, merchantAccountId })}/`;
}

/** Hours of all merchant accounts in the order of time. Before all keys of balances as well. */
export function hoursKey({ tenantId, sandbox }: Pick<Books, 'tenantId' | 'sandbox'>): string {
  return `hour/${partitionOf(tenantId, sandbox)}/`;
}

function periodKeys(books: Books, currency: string, at: string): readonly string[] {
  const month = `${monthsKey(books)}${currency}/${at.slice(0, 'yyyy-mm'.length)}`;
  const merchantAccount = String(books.merchantAccountId).padStart(MERCHANT_ACCOUNT_DIGITS, '0');
  const hour = at.slice(0, 'yyyy-mm-ddThh'.length);
  return [month, `${hoursKey(books)}${hour}/${merchantAccount}/${currency}`];
}

/** What `periodKeys` has put into the key of an hour. */
export function hourOfKey(key: string) {
  const [hour = '', merchantAccount, currency = ''] = key.split('/').slice(-3);
  return { hour, merchantAccountId: Number(merchantAccount), currency };
}

/** The same of a month. */
export function monthOfKey(key: string) {
  const [merchantAccount, currency = '', month = ''] = key.split('/').slice(-3);
  return { merchantAccountId: Number(merchantAccount), currency, month };
}

/** One account of the books of one merchant account. Amounts are major units of the currency. */
export interface AccountBalance {
  readonly merchantAccountId: number;
  readonly currency: string;
  readonly account: string;
  readonly debit: number | RawNumber;
  readonly credit: number | RawNumber;
  /** Debit less credit. */
  readonly balance: number | RawNumber;
}

export interface TrialBalanceCurrency {
  readonly currency: string;
  readonly debit: number | RawNumber;
  readonly credit: number | RawNumber;
  /** Debit less credit: 0 in books that balance. */
  readonly difference: number | RawNumber;
  readonly accounts: readonly {
    readonly account: string;
    readonly debit: number | RawNumber;
    readonly credit: number | RawNumber;
    readonly balance: number | RawNumber;
  }[];
}

export interface TrialBalance {
  readonly balanced: boolean;
  readonly currencies: readonly TrialBalanceCurrency[];
}

export interface BooksQuery {
  readonly tenantId: number;
  /** Live books when absent. */
  readonly sandbox?: boolean;
  /** All of the tenant's when absent. */
  readonly merchantAccountId?: number;
  /** All when absent. */
  readonly currency?: string;
}

export interface AccountsQuery extends BooksQuery {
  readonly account?: string;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface AccountsPage {
  readonly accounts: readonly AccountBalance[];
  /** Where the next page starts; undefined after the last. */
  readonly next: string | undefined;
}

/** Queries over the ledger read model. */
export class LedgerView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** Balances in the order of merchant account, currency and account. */
  async accounts(query: AccountsQuery): Promise<AccountsPage> {
    const model = await liveModel(this.#store, LEDGER);
    const accounts: AccountBalance[] = [];
    let last: string | undefined;
    for await (const found of balances(model, query, query.after)) {
      if (query.account !== undefined && found.account !== query.account) continue;
      if (accounts.length === query.limit) return { accounts, next: last };
      const { key, merchantAccountId, currency, account, balance } = found;
      accounts.push({ merchantAccountId, currency, account, ...inMajor(balance, currency) });
      last = key;
    }
    return { accounts, next: undefined };
  }

  /** Totals of each account in each currency, over all merchant accounts that are asked for. */
  async trialBalance(query: BooksQuery): Promise<TrialBalance> {
    const model = await liveModel(this.#store, LEDGER);
    const currencies = new Map<string, Map<string, Balance>>();
    for await (const { currency, account, balance } of balances(model, query)) {
      const accounts = currencies.get(currency) ?? new Map<string, Balance>();
      accounts.set(account, added(accounts.get(account) ?? NOTHING_POSTED, balance));
      currencies.set(currency, accounts);
    }
    const sums = [...currencies].sort(byName).map(([currency, accounts]) => {
      const total = [...accounts.values()].reduce(added, NOTHING_POSTED);
      const { debit, credit, balance } = inMajor(total, currency);
      return {
        total,
        shown: {
          currency,
          debit,
          credit,
          difference: balance,
          accounts: [...accounts]
            .sort(byName)
            .map(([account, each]) => ({ account, ...inMajor(each, currency) })),
        },
      };
    });
    return {
      balanced: sums.every(({ total }) => total.debitMinor === total.creditMinor),
      currencies: sums.map(({ shown }) => shown),
    };
  }
}

interface FoundBalance {
  readonly key: string;
  readonly merchantAccountId: number;
  readonly currency: string;
  readonly account: string;
  readonly balance: Balance;
}

async function* balances(
  model: Build,
  { tenantId, sandbox = false, merchantAccountId, currency }: BooksQuery,
  start?: string,
): AsyncGenerator<FoundBalance> {
  const all = `${partitionOf(tenantId, sandbox)}/`;
  const prefix =
    merchantAccountId === undefined
      ? all
      : `${all}${String(merchantAccountId).padStart(MERCHANT_ACCOUNT_DIGITS, '0')}/`;
  let after = start;
  do {
    const options = { prefix, limit: LIST_PAGE, ...(after === undefined ? {} : { after }) };
    const page = await model.list(BALANCES, options);
    for (const { key, body } of page) {
      const [merchantAccount = '', keyCurrency = '', account = ''] = key
        .slice(all.length)
        .split('/');
      if (currency !== undefined && keyCurrency !== currency) continue;
      yield {
        key,
        merchantAccountId: Number(merchantAccount),
        currency: keyCurrency,
        account,
        balance: ledger.decode(body) as Balance,
      };
    }
    after = page.length < LIST_PAGE ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
}

export function added(a: Balance, b: Balance): Balance {
  return {
    debitMinor: a.debitMinor + b.debitMinor,
    creditMinor: a.creditMinor + b.creditMinor,
  };
}

function inMajor(
  { debitMinor, creditMinor }: Balance,
  currency: string,
): Record<'debit' | 'credit' | 'balance', number | RawNumber> {
  return {
    debit: toExactMajor(debitMinor, currency),
    credit: toExactMajor(creditMinor, currency),
    balance: toExactMajor(debitMinor - creditMinor, currency),
  };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
