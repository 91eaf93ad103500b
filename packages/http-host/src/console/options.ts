/** Short lists to choose from by name, for filters. */
import type { Choice, Choices } from '@counterfoil/engine';
import { keptFor } from './remembered.ts';
import type { Visit } from './slice.ts';

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Absent where there are too many, or the user may not read them. The same lists until a name changes. */
export type Options = { readonly [Kind in keyof Choices]?: readonly Option[] };

const SCOPES: Readonly<Record<keyof Choices, string>> = {
  merchantAccounts: 'merchant-accounts:read',
  companies: 'references:read',
  applications: 'references:read',
  products: 'references:read',
  campaigns: 'references:read',
};

export async function optionsFor(visit: Visit): Promise<Options> {
  const choices = await visit.ledger.references.choices();
  const lists = Object.entries(choices) as [keyof Choices, readonly Choice[]][];
  const allowed = lists.filter(([kind]) => visit.may(SCOPES[kind]));
  return Object.fromEntries(allowed.map(([kind, list]) => [kind, optionsOf(list)]));
}

const optionsOf = keptFor((list: readonly Choice[]): readonly Option[] =>
  list.map(({ id, name }) => ({
    value: String(id),
    label: name === '' ? String(id) : `${name} (${id})`,
  })),
);
