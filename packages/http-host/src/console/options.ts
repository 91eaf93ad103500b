/** Short lists to choose from by name, for filters. */
import type { ReferenceKind } from '@counterfoil/engine';
import type { Visit } from './slice.ts';

/** A longer list is no list to choose from. */
const MAX_OPTIONS = 100;

const BY_NAME = new Intl.Collator('en');

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Undefined where there are too many, or the user may not read them. */
type Options = Promise<readonly Option[] | undefined>;

export async function accountOptions(visit: Visit): Options {
  if (!visit.may('merchant-accounts:read')) return undefined;
  const { items, moreResults } = await visit.ledger.merchantAccounts.list({ limit: MAX_OPTIONS });
  return moreResults ? undefined : optionsOf(items.map(({ id, title: name }) => ({ id, name })));
}

export async function referenceOptions(
  visit: Visit,
  kind: Extract<ReferenceKind, 'companies' | 'applications' | 'products' | 'campaigns'>,
): Options {
  if (!visit.may('references:read')) return undefined;
  const { items, next } = await visit.ledger.references.list(kind, { limit: MAX_OPTIONS });
  return next === undefined ? optionsOf(items) : undefined;
}

function optionsOf(items: readonly { readonly id: number; readonly name: string }[]) {
  return items
    .map(({ id, name }) => ({
      value: String(id),
      label: name === '' ? String(id) : `${name} (${id})`,
    }))
    .toSorted((one, other) => BY_NAME.compare(one.label, other.label));
}
