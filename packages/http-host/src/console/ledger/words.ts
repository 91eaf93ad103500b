/** What the pages of the ledger have in common: its address, and the names of merchant accounts. */
import { z } from 'zod';
import { Id, queryInteger } from '../../api/wire.ts';
import type { Visit } from '../slice.ts';

export const READ = 'ledger:read';
export const PATH = '/ledger';
export const STATEMENT_PATH = '/ledger/statement';
export const ENTRIES_PATH = '/ledger/entries';
export const ACCOUNT_PATH = '/ledger/account';
const MONTH_LENGTH = 'yyyy-mm'.length;

export const AccountNumber = queryInteger(Id);
/** Where a page of a walk ended. */
export const Place = z.strictObject({ sort: z.number(), key: z.string().max(1_000) });

type Names = ReadonlyMap<number, string>;

/** Of the first hundred merchant accounts, for those who may read them. */
export async function accountNames(visit: Visit): Promise<Names> {
  const names = new Map<number, string>();
  if (!visit.may('merchant-accounts:read')) return names;
  const { items } = await visit.ledger.merchantAccounts.list();
  for (const { id, title } of items) names.set(id, title);
  return names;
}

export function nameOf(names: Names, merchantAccountId: number): string {
  const name = names.get(merchantAccountId);
  return name ? `${name} (${merchantAccountId})` : `Merchant account ${merchantAccountId}`;
}

export function thisMonth({ services }: Visit): string {
  return services.now().slice(0, MONTH_LENGTH);
}

/** By default of this month. */
export function statementHref(visit: Visit, merchantAccountId: number, month?: string): string {
  const asked = { merchantAccountId: String(merchantAccountId), ...(month && { month }) };
  return `${visit.href(STATEMENT_PATH)}?${new URLSearchParams(asked)}`;
}
