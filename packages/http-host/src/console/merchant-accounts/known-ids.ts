/** Companies and gateways by name, for the forms of merchant accounts. */
import type { Visit } from '../slice.ts';

const REFERENCES_SCOPE = 'references:read';

interface Known {
  readonly id: number;
  readonly name: string;
}
export type KnownIds = Readonly<Record<'companyId' | 'gatewayId', readonly Known[]>>;

/** The companies of the tenant, and the gateways that its accounts have. */
export async function knownIds(visit: Visit): Promise<KnownIds> {
  const { merchantAccounts, references } = visit.ledger;
  const [accounts, companies] = await Promise.all([
    merchantAccounts.list(),
    visit.may(REFERENCES_SCOPE) ? references.list('companies') : { items: [] },
  ]);
  const gateways = new Map(accounts.items.map(({ gatewayId, gateway }) => [gatewayId, gateway]));
  return {
    companyId: companies.items.map(({ id, name }) => ({ id, name })),
    gatewayId: [...gateways].map(([id, name]) => ({ id, name })),
  };
}

/** What a field suggests; any other id may be typed. */
export function optionsOf(known: KnownIds, field: string) {
  const ids = field === 'companyId' || field === 'gatewayId' ? known[field] : [];
  if (ids.length === 0) return {};
  return { options: ids.map(({ id, name }) => ({ value: String(id), label: name })) };
}
