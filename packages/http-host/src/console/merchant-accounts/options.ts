/** Merchant accounts by their names, for the filters of other pages. */
import type { Visit } from '../slice.ts';

const SCOPE = 'merchant-accounts:read';
/** A longer list is no list to choose from. */
const MAX_OPTIONS = 100;

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** By name; undefined where there are too many, or the user may not read them. */
export async function accountOptions(visit: Visit): Promise<readonly Option[] | undefined> {
  if (!visit.may(SCOPE)) return undefined;
  const { items, moreResults } = await visit.ledger.merchantAccounts.list({ limit: MAX_OPTIONS });
  if (moreResults) return undefined;
  return items
    .map(({ id, title }) => ({ value: String(id), label: `${title} (${id})` }))
    .toSorted((one, other) => one.label.localeCompare(other.label, 'en'));
}
