/** Short lists of what a tenant has defined, to choose from by name. */
import type { ReferenceNames } from '@counterfoil/projections';

/** A longer list is no list to choose from. */
const MAX_CHOICES = 100;

const BY_NAME = new Intl.Collator('en', { numeric: true });

export interface Choice {
  readonly id: number;
  /** Of a merchant account its title. */
  readonly name: string;
}

/** In the order of the names. Absent: there are more than 100. */
export interface Choices {
  readonly merchantAccounts?: readonly Choice[];
  readonly companies?: readonly Choice[];
  readonly applications?: readonly Choice[];
  readonly products?: readonly Choice[];
  readonly campaigns?: readonly Choice[];
}

/** Names are replaced as a whole when anything in them changes. */
const KNOWN = new WeakMap<ReferenceNames, Choices>();

/** The same object for the same names. */
export function choicesIn(names: ReferenceNames): Choices {
  const known = KNOWN.get(names);
  if (known !== undefined) return known;
  const lists: Record<keyof Choices, readonly Choice[]> = {
    merchantAccounts: names
      .merchantAccounts()
      .map(({ merchantAccountId: id, settings: { title: name } }) => ({ id, name })),
    companies: names.all('CompanyDefined').map(({ companyId: id, name }) => ({ id, name })),
    applications: names
      .all('ApplicationDefined')
      .map(({ applicationId: id, name }) => ({ id, name })),
    products: names.all('ProductDefined').map(({ productId: id, name }) => ({ id, name })),
    campaigns: names.all('CampaignDefined').map(({ campaignId: id, name }) => ({ id, name })),
  };
  const short = Object.entries(lists).filter(([, list]) => list.length <= MAX_CHOICES);
  const choices: Choices = Object.freeze(
    Object.fromEntries(short.map(([kind, list]) => [kind, inOrder(list)])),
  );
  KNOWN.set(names, choices);
  return choices;
}

/** Shared by all who ask: frozen. */
function inOrder(list: readonly Choice[]): readonly Choice[] {
  const sorted = list.toSorted(
    (one, other) => BY_NAME.compare(one.name, other.name) || one.id - other.id,
  );
  return Object.freeze(sorted.map((each) => Object.freeze(each)));
}
