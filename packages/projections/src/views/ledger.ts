/** The ledger read model: journal entries, balances, and the trial balance that they add up to. */
import {
  type JournalLine,
  journal,
  MONEY_EVENTS,
  type RawNumber,
  toExactMajor,
  toMajor,
} from '@counterfoil/core';
import type { Projection, Recorded, States } from '../projection.ts';
import type { Build, ReadModelStore } from '../read-model-store.ts';
import { BALANCES, ENTRIES, LEDGER, liveModel } from './live-model.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents change their shape or meaning. */
const VERSION = '4';
/** Balances read at a time while they are added up. */
const LIST_PAGE = 1_000;
const MERCHANT_ACCOUNT_DIGITS = 10;
const REVISION_DIGITS = 10;

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

/** What one hour or month (GMT) posted to each account of a merchant account, in one currency, and of how many. */
export interface PeriodTotals {
  readonly accounts: Map<string, Balance>;
  readonly counts: Counts;
}

type State = Balance | PeriodTotals;

export const NOTHING_POSTED: Balance = { debitMinor: 0n, creditMinor: 0n };

export const ledger: Projection<State> = {
  name: LEDGER,
  version: VERSION,
  categories: new Set(['transaction']),
  types: MONEY_EVENTS,
  stateCollection: BALANCES,
  collections: [
    { name: BALANCES, kind: 'keyed' },
    { name: ENTRIES, kind: 'keyed' },
  ],

  needs(record) {
    const counting = countingOf(record);
    const inPeriods = counting?.keys ?? [];
    const entry = journal(record.event);
    if (entry === undefined) return inPeriods;
    const books = booksOf(record, entry);
    const posted = entry.lines.flatMap((line) => [
      balanceKey(books, line),
      ...periodKeys(books, line.currency, entry.at),
    ]);
    return [...inPeriods, ...posted];
  },

  apply(record, states: States<State>) {
    const changed = new Map<string, State>();
    const counting = countingOf(record);
    const { keys = [], counted = [] } = counting ?? {};
    for (const key of keys) {
      const { accounts, counts } = copyOf(states.get(key));
      const more = counted.map((name) => [name, counts[name] + 1] as const);
      changed.set(key, { accounts, counts: { ...counts, ...Object.fromEntries(more) } });
    }
    const entry = journal(record.event);
    if (entry === undefined) return { states: [...changed] };
    const books = booksOf(record, entry);
    for (const line of entry.lines) {
      const key = balanceKey(books, line);
      const balance = (changed.get(key) ?? states.get(key) ?? NOTHING_POSTED) as Balance;
      changed.set(key, added(balance, line));
      for (const period of periodKeys(books, line.currency, entry.at)) {
        const totals = (changed.get(period) ?? copyOf(states.get(period))) as PeriodTotals;
        const before = totals.accounts.get(line.account) ?? NOTHING_POSTED;
        totals.accounts.set(line.account, added(before, line));
        changed.set(period, totals);
      }
    }
    const { stream, revision } = record;
    const key = `${stream}@${String(revision).padStart(REVISION_DIGITS, '0')}`;
    const stored: StoredEntry = [
      entry.description,
      entry.at,
      entry.merchantAccountId,
      entry.sandbox,
      entry.lines.map(({ account, currency, debitMinor, creditMinor }) => [
        account,
        currency,
        debitMinor.toString(),
        creditMinor.toString(),
      ]),
    ];
    const document = { collection: ENTRIES, key, body: JSON.stringify(stored) };
    return { states: [...changed], documents: [document] };
  },

  encode(state) {
    if (!('accounts' in state)) return JSON.stringify(texts(state));
    const accounts = [...state.accounts].sort(byName).map(([name, each]) => [name, texts(each)]);
    const counts = COUNTED.map((name) => state.counts[name]);
    return JSON.stringify({ accounts: Object.fromEntries(accounts), counts });
  },

  decode(body) {
    const stored = JSON.parse(body) as StoredBalance | StoredPeriod;
    if (isBalance(stored)) return balanceIn(stored);
    const accounts = Object.entries(stored.accounts).map(
      ([name, each]) => [name, balanceIn(each)] as const,
    );
    const counts = COUNTED.map((name, index) => [name, stored.counts[index] ?? 0] as const);
    return { accounts: new Map(accounts), counts: Object.fromEntries(counts) as Counts };
  },
};

type StoredBalance = readonly [debit: string, credit: string];
interface StoredPeriod {
  readonly accounts: Readonly<Record<string, StoredBalance>>;
  readonly counts: readonly number[];
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
  return { accounts: new Map(totals?.accounts), counts: totals?.counts ?? NOTHING_COUNTED };
}

/** What an event counts as, and the periods in which; undefined for most. A free trial captures nothing. */
function countingOf(record: Recorded) {
  const { event } = record;
  switch (event.type) {
    case 'PaymentCaptured':
    case 'PaymentDeclined':
    case 'ChargebackOpened':
    case 'AlertReceived': {
      const counted = countedIn(event);
      const keys = periodKeys(booksOf(record, event), event.currency, event.at);
      return counted.length === 0 ? undefined : { counted, keys };
    }
    default:
      return undefined;
  }
}

function countedIn(
  event: Extract<
    Recorded['event'],
    { type: 'PaymentCaptured' | 'PaymentDeclined' | 'ChargebackOpened' | 'AlertReceived' }
  >,
): readonly (keyof Counts)[] {
  if (event.type === 'ChargebackOpened') return ['chargebacks'];
  if (event.type === 'PaymentDeclined') return ['declines'];
  if (event.type === 'PaymentCaptured') return event.amountMinor > 0n ? ['captures'] : [];
  return WARNINGS.has(event.alertType) ? ['alerts', 'fraudWarnings'] : ['alerts'];
}

const WARNINGS: ReadonlySet<string> = new Set(['ConfirmedFraud', 'EarlyFraudWarning']);

type StoredEntry = readonly [
  description: string,
  at: string,
  merchantAccountId: number,
  sandbox: boolean,
  lines: readonly (readonly [account: string, currency: string, debit: string, credit: string])[],
];

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

function balanceKey(books: Books, { currency, account }: JournalLine): string {
  return `${booksKey(books)}/${currency}/${account}`;
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

/** What one event posted, with the place of the event in the log. Amounts in major units. */
export interface LedgerEntry {
  readonly stream: string;
  readonly revision: number;
  readonly description: string;
  readonly at: string;
  readonly merchantAccountId: number;
  readonly sandbox: boolean;
  readonly lines: readonly {
    readonly account: string;
    readonly currency: string;
    readonly debit: number;
    readonly credit: number;
  }[];
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

  /** The journal entries of one event stream, in the order of its events. */
  async entriesOf(stream: string, limit: number): Promise<readonly LedgerEntry[]> {
    const model = await liveModel(this.#store, LEDGER);
    const found = await model.list(ENTRIES, { prefix: `${stream}@`, limit });
    return found.map(({ key, body }) => {
      const [description, at, merchantAccountId, sandbox, lines] = JSON.parse(body) as StoredEntry;
      return {
        stream,
        revision: Number(key.slice(stream.length + 1)),
        description,
        at,
        merchantAccountId,
        sandbox,
        lines: lines.map(([account, currency, debit, credit]) => ({
          account,
          currency,
          debit: toMajor(BigInt(debit), currency),
          credit: toMajor(BigInt(credit), currency),
        })),
      };
    });
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
