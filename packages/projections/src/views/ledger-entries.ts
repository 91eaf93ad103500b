/** Journal entries as the ledger read model keeps them: found by their payment, and by account and day. */
import {
  type Event,
  type JournalEntry,
  journal,
  type RawNumber,
  toExactMajor,
  toMajor,
} from '@counterfoil/core';
import type { DerivedDocument, Recorded } from '../projection.ts';
import type { Anchor, CollectionSpec, Condition, ReadModelStore } from '../read-model-store.ts';
import { ENTRIES, LEDGER, liveModel, POSTED } from './live-model.ts';
import { partitionOf } from './search-record.ts';

const REVISION_DIGITS = 10;
const DAY_MS = 86_400_000;

export const ENTRY_COLLECTIONS: readonly CollectionSpec[] = [
  {
    name: ENTRIES,
    kind: 'walked',
    fields: { posted: 'text', merchantAccountId: 'stored' },
    companions: { posted: ['merchantAccountId'] },
  },
  // The values of `posted`: there are few, for the accounts of an entry follow from its event and its fees.
  { name: POSTED, kind: 'dictionary' },
];

type StoredEntry = readonly [
  description: string,
  at: string,
  merchantAccountId: number,
  sandbox: boolean,
  lines: readonly (readonly [account: string, currency: string, debit: string, credit: string])[],
];

/** The entry of an event, and what it is found by. */
export function entryDocuments(
  { stream, revision, tenantId }: Recorded,
  { description, at, merchantAccountId, sandbox, lines }: JournalEntry,
): readonly DerivedDocument[] {
  const stored: StoredEntry = [
    description,
    at,
    merchantAccountId,
    sandbox,
    lines.map(({ account, currency, debitMinor, creditMinor }) => [
      account,
      currency,
      debitMinor.toString(),
      creditMinor.toString(),
    ]),
  ];
  const partition = partitionOf(tenantId, sandbox);
  const posted = postedTo(lines);
  return [
    {
      collection: ENTRIES,
      key: `${stream}@${String(revision).padStart(REVISION_DIGITS, '0')}`,
      body: JSON.stringify(stored),
      place: { partition, sort: Date.parse(at), fields: { posted, merchantAccountId } },
    },
    {
      collection: POSTED,
      key: `${partition}/${posted}`,
      body: posted,
      place: { partition, sort: 0, fields: {} },
      shared: true,
    },
  ];
}

/** All accounts of an entry in one text: `|GBP/acquirer-receivable|GBP/sales|`. */
function postedTo(lines: JournalEntry['lines']): string {
  const accounts = new Set(lines.map(({ currency, account }) => `${currency}/${account}`));
  return `|${[...accounts].sort().join('|')}|`;
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

/** What an event posted, as the read model has it; undefined when it moves no money. */
export function ledgerEntryOf(
  { stream, revision }: Pick<LedgerEntry, 'stream' | 'revision'>,
  event: Event,
): LedgerEntry | undefined {
  const entry = journal(event);
  if (entry === undefined) return undefined;
  const lines = entry.lines.map(({ account, currency, debitMinor, creditMinor }) =>
    lineOf(account, currency, debitMinor, creditMinor),
  );
  return { stream, revision, ...entry, lines };
}

function lineOf(account: string, currency: string, debitMinor: bigint, creditMinor: bigint) {
  const [debit, credit] = [toMajor(debitMinor, currency), toMajor(creditMinor, currency)];
  return { account, currency, debit, credit };
}

/** What one journal entry posted to an account. Amounts in major units of the currency. */
export interface Posting {
  readonly transactionId: string;
  /** The event that posted it, and its place among those of the payment. */
  readonly description: string;
  readonly revision: number;
  readonly at: string;
  readonly merchantAccountId: number;
  readonly debit: number | RawNumber;
  readonly credit: number | RawNumber;
}

export interface PostingsQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly account: string;
  readonly currency: string;
  /** All of the tenant's when absent. */
  readonly merchantAccountId?: number;
  /** Days, `yyyy-mm-dd`, GMT, both included; without end when absent. */
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  /** `end` of the page before. */
  readonly after?: Anchor;
}

export interface PostingsPage {
  /** The newest first. */
  readonly postings: readonly Posting[];
  readonly moreResults: boolean;
  readonly end: Anchor | undefined;
}

/** Queries over the journal entries of the ledger read model. */
export class EntryView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** The journal entries of one event stream, in the order of its events. */
  async entriesOf(stream: string, limit: number): Promise<readonly LedgerEntry[]> {
    const model = await liveModel(this.#store, LEDGER);
    const found = await model.list(ENTRIES, { prefix: `${stream}@`, limit });
    return found.map(({ key, body }) => {
      const [description, at, merchantAccountId, sandbox, lines] = JSON.parse(body) as StoredEntry;
      const revision = Number(key.slice(stream.length + 1));
      return {
        ...{ stream, revision, description, at, merchantAccountId, sandbox },
        lines: lines.map(([account, currency, debit, credit]) =>
          lineOf(account, currency, BigInt(debit), BigInt(credit)),
        ),
      };
    });
  }

  /** What was posted to an account, entry by entry: all pages add up to its balance. */
  async postings(query: PostingsQuery): Promise<PostingsPage> {
    const { tenantId, sandbox, account, currency, merchantAccountId, limit, after } = query;
    const model = await liveModel(this.#store, LEDGER);
    const partition = partitionOf(tenantId, sandbox);
    const own = `${currency}/${account}`;
    const near = await model.grep(POSTED, partition, `|${own}|`);
    // A name with a bar in it would be found across two accounts.
    const posted = near.filter((each) => each.split('|').includes(own));
    if (posted.length === 0) return { postings: [], moreResults: false, end: undefined };
    const where: Condition[] = [{ field: 'posted', anyOf: posted }];
    if (merchantAccountId !== undefined) {
      where.push({ field: 'merchantAccountId', anyOf: [merchantAccountId] });
    }
    const found = await model.walk({
      collection: ENTRIES,
      partition,
      where,
      ...boundsOf(query),
      ...(after !== undefined && { after }),
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      postings: page.map(({ key, body }) => {
        const posting = postingIn(key, JSON.parse(body) as StoredEntry, query);
        if (posting !== undefined) return posting;
        throw model.markDamaged(
          `the entry ${key} was found by ${account}, and posts nothing to it`,
        );
      }),
      moreResults: found.length > limit,
      end: last && { sort: last.sort, key: last.key },
    };
  }
}

function boundsOf({ from, to }: PostingsQuery): { readonly from?: number; readonly to?: number } {
  return {
    ...(from !== undefined && { from: Date.parse(from) }),
    ...(to !== undefined && { to: Date.parse(to) + DAY_MS - 1 }),
  };
}

/** Undefined where the entry posts nothing to the account. */
function postingIn(
  key: string,
  [description, at, merchantAccountId, , lines]: StoredEntry,
  { tenantId, account, currency }: PostingsQuery,
): Posting | undefined {
  const own = lines.filter(([name, unit]) => name === account && unit === currency);
  if (own.length === 0) return undefined;
  const [stream = '', revision = ''] = key.split('@');
  const shown = (amounts: readonly string[]) =>
    toExactMajor(
      amounts.reduce((sum, amount) => sum + BigInt(amount), 0n),
      currency,
    );
  return {
    transactionId: stream.slice(`transaction-${tenantId}-`.length),
    description,
    revision: Number(revision),
    at,
    merchantAccountId,
    debit: shown(own.map(([, , debit]) => debit)),
    credit: shown(own.map(([, , , credit]) => credit)),
  };
}
