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

/** An account while its lines are added up. */
interface Open {
  readonly account: string;
  readonly currency: string;
  readonly debits: Posted[];
  readonly credits: Posted[];
  /** Debits less credits, in minor units. */
  minor: bigint;
}

/** In the order in which they were posted to first. */
export function tAccountsOf(entries: Entries): readonly TAccount[] {
  const accounts = new Map<string, Open>();
  for (const { description: type, at, lines } of entries) {
    for (const { account, currency, debit, credit } of lines) {
      const name = `${account} ${currency}`;
      let open = accounts.get(name);
      if (open === undefined) {
        open = { account, currency, debits: [], credits: [], minor: 0n };
        accounts.set(name, open);
      }
      const [debitMinor, creditMinor] = [minorOf(debit, currency), minorOf(credit, currency)];
      if (debitMinor > 0n) open.debits.push({ type, at, amount: toDecimal(debitMinor, currency) });
      if (creditMinor > 0n) {
        open.credits.push({ type, at, amount: toDecimal(creditMinor, currency) });
      }
      open.minor += debitMinor - creditMinor;
    }
  }
  return [...accounts.values()].map(({ minor, ...open }) => ({
    ...open,
    balance: toDecimal(minor < 0n ? -minor : minor, open.currency),
    side: sideOf(minor),
  }));
}

function sideOf(balance: bigint): TAccount['side'] {
  if (balance === 0n) return 'none';
  return balance > 0n ? 'debit' : 'credit';
}

/** Amounts that no double holds are texts within an object. */
function minorOf(amount: Amount, currency: string): bigint {
  if (amount === 0) return 0n;
  const text = typeof amount === 'object' ? JSON.stringify(amount) : String(amount);
  const minor = toMinor(text, currency);
  if (minor._tag === 'Right') return minor.right;
  throw new Error(`the books hold ${text}, which is no amount of ${currency}`);
}
