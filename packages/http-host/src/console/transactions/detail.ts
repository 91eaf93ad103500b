/** One payment: its record, its story, its books, and what the user may do with it. */
import { Transaction, toDecimal } from '@counterfoil/core';
import type { TransactionDetail } from '@counterfoil/projections';
import { z } from 'zod';
import { Uuid } from '../../api/wire.ts';
import { type Refusal, refuse } from '../../http/errors.ts';
import { shownAmount } from '../shown.ts';
import { consolePage, type Visit } from '../slice.ts';
import { disputesOf } from './disputes.ts';
import { PATH, SCOPE } from './list.ts';
import { mailsOf, webhooksOf } from './messages.ts';
import { shownStatus, shownStatusOf, signedAmount } from './status.ts';
import { storyOf } from './story.ts';
import { tAccountsOf } from './t-accounts.ts';

export const DETAIL_PATH = `${PATH}/{id}`;
export const DetailParams = z.object({ id: Uuid });

export type Action = 'refund' | 'capture' | 'void';
export const ACTION_SCOPES: Readonly<Record<Action, string>> = {
  refund: 'transactions:refund',
  capture: 'payments:write',
  void: 'payments:write',
};

type Shown = TransactionDetail['transaction'];

export function hrefOf(visit: Visit, id: string, more = ''): string {
  return visit.href(`${PATH}/${id}${more}`);
}

/** Of the data of the address alone: sandbox payments are not shown among live ones. */
export async function detailOf(visit: Visit, id: string): Promise<TransactionDetail> {
  const found = await visit.ledger.transactions.detail(id);
  if (found === undefined || !isOfAddress(visit, found)) throw unknown();
  return found;
}

function isOfAddress({ environment }: Visit, { sandbox }: TransactionDetail): boolean {
  return sandbox === (environment === 'test');
}

function unknown(): Refusal {
  return refuse('not_found', 'No transaction of this company has this id.');
}

export const detail = consolePage({
  path: DETAIL_PATH,
  title: 'Transaction',
  scope: SCOPE,
  params: DetailParams,
  template: '/transactions/detail',
  async load(visit, { params: { id } }) {
    const { ledger } = visit;
    // A child is shown within its payment.
    const whole = await ledger.transactions.story(id);
    if (whole === undefined || !isOfAddress(visit, whole.detail)) throw unknown();
    const { detail: found, history } = whole;
    const payment = visit.may('payments:read') ? whole.payment : undefined;
    const { transaction, routing } = found;
    const { currency } = transaction;
    const entries = visit.may('ledger:read') ? whole.entries : undefined;
    const [mails, webhooks] = await Promise.all([mailsOf(visit, whole), webhooksOf(visit, whole)]);
    return {
      title: `${shownAmount(transaction.priceVal, currency)} ${currency}`,
      found,
      status: shownStatusOf(transaction),
      askedId: id.toLowerCase(),
      sums: payment && sumsOf(payment, transaction),
      children: transaction.childTransactions.map(childOf),
      story: storyOf(history).toReversed(),
      attempts: routing.attempts.map((each) => ({ ...each, tone: OUTCOMES[each.outcome] })),
      entries,
      accounts: entries && tAccountsOf(entries),
      cart: found.cart.map((line) => cartLineOf(found, line)),
      longCart: found.cart.length > SHOWN_LINES,
      disputes: disputesOf(visit, found, history),
      mails,
      webhooks,
      groups: groupsOf(visit, found, payment),
      actions: actionsOf(visit, found, whole.payment),
      addresses: {
        list: visit.href(PATH),
        mails: `${visit.href('/mails')}?to=${encodeURIComponent(transaction.email)}`,
        order: `${visit.href(PATH)}?orderIds=${transaction.orderId}`,
      },
    };
  },
});

const OUTCOMES: Readonly<
  Record<TransactionDetail['routing']['attempts'][number]['outcome'], string>
> = {
  pending: 'neutral',
  approved: 'good',
  declined: 'bad',
  failed: 'bad',
  unknown: 'warn',
  'action-required': 'warn',
};

function sumsOf(payment: Transaction.Payment, { refundable }: Shown) {
  const { currency, capturedMinor } = payment;
  const sums: [string, bigint][] = [
    ['Captured', capturedMinor],
    ['Refunded', Transaction.refundedMinor(payment)],
    ['Left to refund', refundable ? Transaction.remainingMinor(payment) : 0n],
  ];
  return sums.map(([label, minor]) => ({ label, amount: toDecimal(minor, currency), currency }));
}

function childOf(child: Shown) {
  const { priceVal, status, refundSourceName, alertSourceName, data } = child;
  return {
    ...child,
    amount: signedAmount(priceVal, status),
    shownStatus: shownStatus(status),
    by: [refundSourceName, alertSourceName]
      .filter((name) => name !== '' && name !== 'None')
      .join(', '),
    note: data,
  };
}

/** A longer cart is folded away. */
const SHOWN_LINES = 8;
/** Sums of doubles: no currency has more decimals. */
const ROUNDING = 10_000;

export function titlesOf({ storefrontProducts = [] }: TransactionDetail) {
  return new Map(
    storefrontProducts.flatMap(({ title, variants }) =>
      variants.map((variant) => {
        const isOther = variant.title !== '' && variant.title !== title;
        return [variant.id, isOther ? `${title}, ${variant.title}` : title] as const;
      }),
    ),
  );
}

function cartLineOf(found: TransactionDetail, line: TransactionDetail['cart'][number]) {
  const discount = line.DiscountAmount + line.CustomDiscountAmount;
  const total = Math.max(0, line.UnitPrice * line.Quantity - discount);
  return {
    title: titlesOf(found).get(line.StorefrontVariantId) ?? `Variant ${line.StorefrontVariantId}`,
    quantity: line.Quantity,
    unitPrice: line.UnitPrice,
    discount,
    total: Math.round(total * ROUNDING) / ROUNDING,
  };
}

interface Fact {
  readonly label: string;
  readonly value: string;
  readonly kind?: 'id' | 'time';
  readonly href?: string | undefined;
}
interface Group {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** What is known, in groups; what is empty is left out. */
function groupsOf(
  visit: Visit,
  { transaction: of, sessionData, addresses, subscriptions, routing }: TransactionDetail,
  payment: Transaction.Payment | undefined,
): readonly Group[] {
  const last = routing.attempts.at(-1);
  const card = payment?.card;
  const emailHref = `${visit.href(PATH)}?emails=${encodeURIComponent(of.email)}`;
  const mayOpen = visit.may('customers:read') && of.customerID > 0;
  const customerHref = mayOpen ? visit.href(`/customers/${of.customerID}`) : undefined;
  const groups: Group[] = [
    {
      title: 'Payment',
      facts: [
        { label: 'Transaction', value: of.messageID, kind: 'id' },
        { label: 'Order', value: String(of.orderId), kind: 'id' },
        { label: 'Kind', value: of.application },
        { label: 'Sent', value: of.sent, kind: 'time' },
        { label: 'Completed', value: of.completed ?? '', kind: 'time' },
        { label: 'Message', value: of.data },
        { label: 'Capture', value: of.authOnly ? 'Authorized only, captured later' : '' },
      ],
    },
    {
      title: 'Customer',
      facts: [
        { label: 'Name', value: of.name },
        { label: 'Email', value: of.email, href: emailHref },
        { label: 'Customer', value: textOf(of.customerID), href: customerHref },
      ],
    },
    {
      title: 'Card',
      facts: [
        { label: 'Brand', value: of.bin === '' ? '' : of.cardBrand },
        { label: 'Number', value: of.bin === '' ? '' : `${of.bin} •••• ${last4Of(of.last4)}` },
        { label: 'Expires', value: card ? `${twoDigits(card.expMonth)}/${card.expYear}` : '' },
        { label: 'Country', value: card?.binCountry ?? '' },
        { label: 'Wallet', value: walletOf(of) },
      ],
    },
    {
      title: 'Acquiring',
      facts: [
        { label: 'Account', value: of.midName || textOf(of.merchantAccountId) },
        { label: 'MID', value: of.mid },
        { label: 'Gateway', value: of.gateway },
        { label: 'Descriptor', value: last?.descriptor ?? '' },
        { label: 'Reference', value: payment?.gatewayTransactionId ?? '', kind: 'id' },
        { label: 'Auth code', value: payment?.authCode ?? '', kind: 'id' },
        { label: 'ARN', value: payment?.arn ?? '', kind: 'id' },
      ],
    },
    {
      title: 'Sale',
      facts: [
        { label: 'Company', value: of.company || textOf(of.companyId) },
        { label: 'Shop', value: of.storeName },
        { label: 'Product', value: of.product },
        { label: 'Campaign', value: of.campaign },
        { label: 'Price point', value: of.pricePoint },
        { label: 'Payment number', value: textOf(of.paymentNumber) },
        { label: 'Partner session', value: of.partnerSession },
      ],
    },
    ...subscriptions.map((each) => ({
      title: 'Subscription',
      facts: [
        {
          label: 'Subscription',
          value: String(each.id),
          href: visit.may('subscriptions:read')
            ? visit.href(`/subscriptions/${each.id}`)
            : undefined,
        },
        { label: 'Plan', value: each.subscription },
        {
          label: 'Rebills',
          value: `${shownAmount(each.rebillAmount, of.currency)} ${of.currency} every ${each.frequency} days`,
        },
        { label: 'Next', value: each.rebillDate ?? '', kind: 'time' as const },
        { label: 'State', value: each.frozen ? 'Frozen' : each.active ? 'Active' : 'Ended' },
      ],
    })),
    ...addresses.map((each) => ({
      title: each.addressType === 'SHIPPING' ? 'Shipping address' : 'Address',
      facts: [
        { label: 'Name', value: `${each.firstName} ${each.lastName}`.trim() },
        { label: 'Street', value: each.address },
        { label: 'City', value: `${each.postalCode} ${each.city}`.trim() },
        { label: 'State', value: each.state },
        { label: 'Country', value: each.countryCode },
        { label: 'Phone', value: each.phone },
      ],
    })),
    {
      title: 'Session',
      facts: [
        { label: 'Address', value: sessionData?.ip ?? '' },
        {
          label: 'Place',
          value: [sessionData?.ipCity, sessionData?.ipCountryCode].filter(Boolean).join(', '),
        },
        { label: 'Browser', value: sessionData?.useragent ?? '' },
        { label: 'Page', value: sessionData?.url ?? '' },
        { label: 'Session', value: sessionData?.id ?? '', kind: 'id' },
        { label: 'Began', value: sessionData?.timestamp ?? '', kind: 'time' },
      ],
    },
  ];
  return groups
    .map(({ title, facts }) => ({ title, facts: facts.filter(({ value }) => value !== '') }))
    .filter(({ facts }) => facts.length > 0);
}

function walletOf({ walletPayA, walletPayB }: Shown): string {
  if (walletPayA) return 'Wallet A';
  return walletPayB ? 'Wallet B' : '';
}

function textOf(id: number): string {
  return id === 0 ? '' : String(id);
}

function last4Of(last4: number): string {
  return String(last4).padStart(4, '0');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** What the roles allow and the state permits: the domain says it. */
function actionsOf(
  visit: Visit,
  { transaction: { messageID, refundable } }: TransactionDetail,
  payment: Transaction.Payment,
) {
  const actions: { readonly action: Action; readonly label: string; readonly isThere: boolean }[] =
    [
      { action: 'refund', label: 'Refund', isThere: refundable },
      {
        action: 'capture',
        label: 'Capture',
        isThere: Transaction.captureRefusal(payment) === undefined,
      },
      { action: 'void', label: 'Void', isThere: Transaction.voidRefusal(payment) === undefined },
    ];
  return actions
    .filter(({ action, isThere }) => isThere && visit.may(ACTION_SCOPES[action]))
    .map(({ action, label }) => ({ action, label, href: hrefOf(visit, messageID, `/${action}`) }));
}
