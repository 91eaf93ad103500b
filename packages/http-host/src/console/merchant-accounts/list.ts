/** The merchant accounts of a tenant. */
import type { MerchantAccountView } from '@counterfoil/engine';
import { Id } from '@counterfoil/engine/input';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { consolePage, type Visit } from '../slice.ts';

export const PATH = '/merchant-accounts';
export const NEW_PATH = `${PATH}/new`;
export const SCOPE = 'merchant-accounts:read';
export const WRITE_SCOPE = 'merchant-accounts:write';
const PAGE_SIZE = 50;

const NumberText = bounded(16).regex(/^\d+$/, 'must be a number').transform(Number);
export const AccountParams = z.object({ id: NumberText.pipe(Id) });

export function hrefOf(visit: Visit, id: number, more = ''): string {
  return visit.href(`${PATH}/${id}${more}`);
}

/** What keeps live payments out. */
export function stateOf({ capLimited, fullyLive }: MerchantAccountView) {
  if (capLimited !== null) return { text: 'Monthly cap reached', tone: 'warn' };
  return fullyLive ? { text: 'Live', tone: 'good' } : { text: 'Not fully live', tone: 'neutral' };
}

export const list = consolePage({
  path: PATH,
  title: 'Merchant accounts',
  scope: SCOPE,
  query: z.object({ after: NumberText.optional() }),
  isList: true,
  template: '/merchant-accounts/list',
  async load(visit, { query: { after } }) {
    const { items, moreResults } = await visit.ledger.merchantAccounts.list({
      limit: PAGE_SIZE,
      ...(after !== undefined && { after }),
    });
    const base = visit.href(PATH);
    const last = items.at(-1)?.id;
    return {
      rows: items.map((each) => ({
        ...each,
        href: hrefOf(visit, each.id),
        state: stateOf(each),
        held: each.currencies.map(({ currency }) => currency).join(', '),
      })),
      newHref: visit.may(WRITE_SCOPE) ? visit.href(NEW_PATH) : undefined,
      addresses: {
        first: after === undefined ? undefined : base,
        next: moreResults && last !== undefined ? `${base}?after=${last}` : undefined,
      },
    };
  },
});
