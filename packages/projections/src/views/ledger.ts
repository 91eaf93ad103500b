/** The ledger read model: journal entries, balances, and the trial balance that they add up to. */
import {
  type JournalEntry,
  journal,
  MONEY_EVENTS,
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
    const keys: string[] = [];
    for (const { accounts, periods, sums } of bookingsOf(record, journal(record.event))) {
      keys.push(...periods);
      for (const { account } of sums) keys.push(accounts + account);
    }
    return keys;
  },

  apply(record, states: States<State>) {
    const entry = journal(record.event);
    const documents = entry === undefined ? [] : entryDocuments(record, entry);
    const changed: [key: string, state: State][] = [];
    for (const { accounts, periods, sums, counted } of bookingsOf(record, entry)) {
      for (const key of periods) {
        const totals = copyOf(states.get(key));
        if (counted !== undefined) count(totals, counted);
        for (const sum of sums) {
          const before = totals.accounts.get(sum.account) ?? NOTHING_POSTED;
          totals.accounts.set(sum.account, added(before, sum));
        }
        changed.push([key, totals]);
      }
      for (const sum of sums) {
        const key = accounts + sum.account;
        const before = (states.get(key) ?? NOTHING_POSTED) as Balance;
        changed.push([key, added(before, sum)]);
      }
    }
    return { states: changed, documents };
  },

  encode(state) {
    if (!('accounts' in state)) return JSON.stringify(texts(state));
    const accounts: Record<string, StoredBalance> = {};
    for (const name of [...state.accounts.keys()].sort()) {
      accounts[name] = texts(state.accounts.get(name) ?? NOTHING_POSTED);
    }
    const counts = COUNTED.map((name) => state.counts[name]);
    const brands = [...state.brands]
      .sort(([one], [other]) => one - other)
      .map(([id, { captures, declines }]) => [id, captures, declines]);
    return JSON.stringify({ accounts, counts, brands });
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

/** A copy, to be added to. */
interface NewTotals {
  readonly accounts: Map<string, Balance>;
  readonly counts: Record<keyof Counts, number>;
  readonly brands: Map<number, BrandCounts>;
}

function copyOf(state: State | undefined): NewTotals {
  const totals = state as PeriodTotals | undefined;
  return {
    accounts: new Map(totals?.accounts),
    counts: { ...(totals?.counts ?? NOTHING_COUNTED) },
    brands: new Map(totals?.brands),
  };
}

function count({ counts, brands }: NewTotals, { names, cardBrandId }: Counted): void {
  for (const name of names) counts[name] += 1;
  if (cardBrandId === undefined) return;
  const brand = brands.get(cardBrandId) ?? NOTHING_COUNTED;
  const one = (name: keyof Counts) => (names.includes(name) ? 1 : 0);
  const captures = brand.captures + one('captures');
  brands.set(cardBrandId, { captures, declines: brand.declines + one('declines') });
}

/** What an event is to the books of its merchant account in one currency. */
interface Booking {
  readonly currency: string;
  /** What the keys of its balances begin with. */
  readonly accounts: string;
  /** The keys of its month and its hour. */
  readonly periods: readonly string[];
  /** What is posted, each account once. */
  readonly sums: Sum[];
  readonly counted: Counted | undefined;
}

interface Sum extends Balance {
  readonly account: string;
}

/** Most events are of one currency. */
function bookingsOf(record: Recorded, entry: JournalEntry | undefined): readonly Booking[] {
  const { tenantId, event } = record;
  const bookings: Booking[] = [];
  const counted = countedOf(event);
  if (counted !== undefined) {
    const { sandbox, merchantAccountId, at, currency } = counted.event;
    const books = { tenantId, sandbox, merchantAccountId, at, currency };
    bookings.push(bookingOf(books, counted));
  }
  if (entry === undefined) return bookings;
  const { sandbox, merchantAccountId, at } = entry;
  for (const line of entry.lines) {
    const { currency } = line;
    let booking = bookings.find((each) => each.currency === currency);
    if (booking === undefined) {
      booking = bookingOf({ tenantId, sandbox, merchantAccountId, at, currency });
      bookings.push(booking);
    }
    post(booking.sums, line);
  }
  return bookings;
}

function bookingOf(
  books: Books & { readonly at: string; readonly currency: string },
  counted?: Counted,
): Booking {
  const { currency, at } = books;
  const accounts = `${booksKey(books)}/${currency}/`;
  return { currency, accounts, periods: periodKeys(books, currency, at), sums: [], counted };
}

function post(sums: Sum[], line: Sum): void {
  const { account } = line;
  const at = sums.findIndex((each) => each.account === account);
  const before = sums[at];
  if (before === undefined) sums.push(line);
  else sums[at] = { account, ...added(before, line) };
}

/** An event that is counted in an hour and a month. */
interface Counted {
  readonly event: Extract<Recorded['event'], { type: CountedType }>;
  readonly names: readonly (keyof Counts)[];
  /** Of a capture or a decline. */
  readonly cardBrandId?: number;
}

type CountedType = 'PaymentCaptured' | 'PaymentDeclined' | 'ChargebackOpened' | 'AlertReceived';

/** Undefined for most. A free trial captures nothing. */
function countedOf(event: Recorded['event']): Counted | undefined {
  switch (event.type) {
    case 'ChargebackOpened':
      return { event, names: ['chargebacks'] };
    case 'AlertReceived': {
      const isWarning = WARNINGS.has(event.alertType);
      return { event, names: isWarning ? ['alerts', 'fraudWarnings'] : ['alerts'] };
    }
    case 'PaymentDeclined':
      return { event, names: ['declines'], cardBrandId: event.cardBrandId };
    case 'PaymentCaptured':
      if (event.amountMinor === 0n) return undefined;
      return { event, names: ['captures'], cardBrandId: event.cardBrandId };
    default:
      return undefined;
  }
}

const WARNINGS: ReadonlySet<string> = new Set(['ConfirmedFraud', 'EarlyFraudWarning']);

export interface Books {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly merchantAccountId: number;
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
