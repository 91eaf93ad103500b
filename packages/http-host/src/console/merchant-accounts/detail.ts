/** One merchant account: all settings, its cap, and its dispute rate beside the thresholds. */
import { nearestNumber } from '@counterfoil/core';
import type { MerchantAccountView } from '@counterfoil/engine';
import { STATEMENT_PATH } from '../ledger/words.ts';
import { shownAmount } from '../shown.ts';
import { consolePage, type Visit } from '../slice.ts';
import { keptSecrets } from './credentials.ts';
import { GROUPS, shownText } from './fields.ts';
import { AccountParams, hrefOf, list, PATH, SCOPE, stateOf, WRITE_SCOPE } from './list.ts';

const BOOKS_SCOPE = 'ledger:read';
const MONTH_LENGTH = 'yyyy-mm'.length;
const PERCENT = 100;

export const detail = consolePage({
  path: `${PATH}/{id}`,
  title: 'Merchant account',
  scope: SCOPE,
  params: AccountParams,
  template: '/merchant-accounts/account',
  async load(visit, { params: { id } }) {
    const account = await visit.ledger.merchantAccounts.get(id);
    const mayReadBooks = visit.may(BOOKS_SCOPE);
    return {
      title: account.title,
      account,
      state: stateOf(account),
      groups: GROUPS.map(({ title, fields }) => ({
        title,
        facts: fields
          .map((field) => ({ label: field.label, value: shownText(account, field) }))
          .filter(({ value }) => value !== ''),
      })).filter(({ facts }) => facts.length > 0),
      credentials: account.currencies.map((held) => ({
        currency: held.currency,
        kept: keptSecrets(held).join(', '),
      })),
      names: { company: account.company, gateway: account.gateway },
      cap: mayReadBooks ? await capOf(visit, account) : undefined,
      disputes: mayReadBooks ? await ratesOf(visit, id) : undefined,
      addresses: {
        list: visit.href(list.path),
        edit: visit.may(WRITE_SCOPE) ? hrefOf(visit, id, '/edit') : undefined,
        credentials: visit.may(WRITE_SCOPE) ? hrefOf(visit, id, '/credentials') : undefined,
        statement: mayReadBooks
          ? `${visit.href(STATEMENT_PATH)}?${new URLSearchParams({ merchantAccountId: String(id) })}`
          : undefined,
      },
    };
  },
});

/** What was captured this month beside the cap; undefined without one. */
async function capOf(visit: Visit, { id, monthlyCap, defaultCurrency }: MerchantAccountView) {
  if (monthlyCap === 0) return undefined;
  const month = visit.services.now().slice(0, MONTH_LENGTH);
  const asked = { merchantAccountId: id, month, currency: defaultCurrency };
  const { currencies } = await visit.ledger.books.statement(asked);
  const captured = currencies[0]?.gross ?? 0;
  const share = Math.min(PERCENT, Math.floor((nearestNumber(captured) / monthlyCap) * PERCENT));
  return {
    month,
    share,
    currency: defaultCurrency,
    captured: shownAmount(captured, defaultCurrency),
    cap: shownAmount(monthlyCap, defaultCurrency),
  };
}

const BADGES = {
  ok: { text: 'Below', tone: 'good' },
  warning: { text: 'Warning', tone: 'warn' },
  excessive: { text: 'Excessive', tone: 'bad' },
} as const;

interface Rated {
  readonly status: keyof typeof BADGES;
  readonly rate: number | null;
}

/** A high rate of a few chargebacks is below the thresholds, and yet not good. */
function badgeOf({ status, rate }: Rated, warningPercent: number) {
  const isHigh = status === 'ok' && rate !== null && rate >= warningPercent;
  return isHigh ? { text: 'High, but few', tone: 'neutral' } : BADGES[status];
}

/** Of the last twelve months, the newest first. */
async function ratesOf(visit: Visit, merchantAccountId: number) {
  const { rates, thresholds } = await visit.ledger.books.disputeRates({ merchantAccountId });
  return {
    thresholds,
    months: rates
      .toReversed()
      .map((each) => ({ ...each, badge: badgeOf(each, thresholds.warning.percent) })),
  };
}
