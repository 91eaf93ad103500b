/** Journal entries of a payment as T-accounts: each account with its two sides, and its balance. */
import { toDecimal, toMinor } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';

type Entries = Awaited<ReturnType<TenantLedger['books']['entries']>>;
type Amount = Entries[number]['lines'][number]['debit'];

interface Posted {
  /** Of the event. */
  readonly type: string;
  readonly at: string;
  readonly amount: string;
}

export interface TAccount {
  readonly account: string;
  readonly currency: string;
  readonly debits: readonly Posted[];
  readonly credits: readonly Posted[];
  /** Without a sign. */
  readonly balance: string;
  readonly side: 'debit' | 'credit' | 'none';
}

/** In the order in which they were posted to first. */
export function tAccountsOf(entries: Entries): readonly TAccount[] {
  const lines = entries.flatMap(({ description: type, at, lines: all }) =>
    all.map((line) => ({ ...line, type, at })),
  );
  const accounts = Map.groupBy(lines, ({ account, currency }) => `${account} ${currency}`);
  return [...accounts.values()].flatMap((posted) => {
    const [first] = posted;
    if (first === undefined) return [];
    const { account, currency } = first;
    const side = (name: 'debit' | 'credit') =>
      posted
        .map(({ type, at, [name]: amount }) => ({ type, at, minor: minorOf(amount, currency) }))
        .filter(({ minor }) => minor > 0n);
    const [debits, credits] = [side('debit'), side('credit')];
    const balance = sumOf(debits) - sumOf(credits);
    const shown = ({ type, at, minor }: (typeof debits)[number]): Posted => ({
      ...{ type, at },
      amount: toDecimal(minor, currency),
    });
    return {
      ...{ account, currency },
      debits: debits.map(shown),
      credits: credits.map(shown),
      balance: toDecimal(balance < 0n ? -balance : balance, currency),
      side: sideOf(balance),
    };
  });
}

function sideOf(balance: bigint): TAccount['side'] {
  if (balance === 0n) return 'none';
  return balance > 0n ? 'debit' : 'credit';
}

function sumOf(posted: readonly { readonly minor: bigint }[]): bigint {
  return posted.reduce((sum, { minor }) => sum + minor, 0n);
}

/** Amounts that no double holds are texts within an object. */
function minorOf(amount: Amount, currency: string): bigint {
  const text = typeof amount === 'object' ? JSON.stringify(amount) : String(amount);
  const minor = toMinor(text, currency);
  if (minor._tag === 'Right') return minor.right;
  throw new Error(`the books hold ${text}, which is no amount of ${currency}`);
}
