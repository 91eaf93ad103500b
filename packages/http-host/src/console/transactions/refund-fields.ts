/** The fields of a refund: all that is left, an amount, or items of the order. */
import { Transaction, toDecimal, toMinor } from '@counterfoil/core';
import type { PaymentView, RefundSubmission } from '@counterfoil/engine';
import type { TransactionDetail } from '@counterfoil/projections';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { type Refusal, refuse } from '../../http/errors.ts';
import { titlesOf } from './detail.ts';

const MAX_LINES = 1_000;
/** Characters of such a refund with all its lines. */
const MAX_REVIEWED = 200_000;

/** `quantity-501` is how many of variant 501 are given back. */
const QUANTITY = /^quantity-(\d{1,15})$/;
const Quantity = bounded(7).regex(/^\d*$/, 'must be a whole number');

/** What is no amount is said to be none, however long it is. */
export const Entered = bounded(1_000);

export const RefundFields = z
  .object({
    what: z.enum(['all', 'part']).optional(),
    amount: Entered.optional(),
    shipping: Entered.optional(),
    other: Entered.optional(),
    restock: z.literal('yes').optional(),
    notify: z.literal('yes').optional(),
  })
  .catchall(Entered);
export type RefundFields = z.output<typeof RefundFields>;

/** What a page offers to give back. */
export function refundChoices(payment: PaymentView, detail: TransactionDetail) {
  const { payment: state, currency } = payment;
  const titles = titlesOf(detail);
  const byItem = isByItem(state);
  const variants = byItem ? [...Transaction.variantsLeft(state)] : [];
  return {
    isByItem: byItem,
    leftBeyond: byItem ? toDecimal(leftBeyondOf(payment), currency) : undefined,
    isLeftBeyond: byItem && leftBeyondOf(payment) > 0n,
    items: variants.slice(0, MAX_LINES).map(([id, { ordered, left, leftMinor }]) => ({
      name: `quantity-${id}`,
      title: titles.get(id) ?? `Variant ${id}`,
      ordered,
      left,
      leftAmount: toDecimal(leftMinor, currency),
    })),
  };
}

/** For shipping and others together: beyond the lines of the order, and of what is left. */
function leftBeyondOf({
  payment,
  refundableMinor,
}: Pick<PaymentView, 'payment' | 'refundableMinor'>): bigint {
  const beyondMinor = Transaction.leftBeyondLines(payment);
  return beyondMinor < refundableMinor ? beyondMinor : refundableMinor;
}

type Part = NonNullable<RefundSubmission['items']>[number];

/** What a page of review resolved: sent back as it is, so that a repetition asks for the same. */
export const ReviewedRefund = bounded(MAX_REVIEWED)
  .transform((text, { addIssue }) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      addIssue('must be JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.object({
      amount: bounded(32),
      // The engine checks them.
      items: z.array(z.custom<Part>()).max(MAX_LINES),
      notifyCustomer: z.boolean(),
    }),
  );

export interface AskedRefund {
  readonly submission: z.output<typeof ReviewedRefund>;
  readonly amount: string;
  /** In words. */
  readonly lines: readonly string[];
  readonly leftMinor: bigint;
  /** Of that, what is left of an order beyond its items; undefined where nothing is chosen by item. */
  readonly leftBeyondMinor: bigint | undefined;
}

/** Refuses what is no amount, a part of nothing, and more than is left. */
export function askedRefund(payment: PaymentView, fields: RefundFields): AskedRefund {
  const { currency, refundableMinor, refundableAmount } = payment;
  if (refundableMinor <= 0n) throw problem('', 'Nothing of this payment can be refunded');
  const { items, beyond, minor } = partsOf(payment, fields);
  if (minor <= 0n) throw problem('amount', 'Say how much or what is to be given back');
  if (minor > refundableMinor) {
    throw problem('amount', `Only ${refundableAmount} ${currency} is left to refund`);
  }
  const leftMinor = refundableMinor - minor;
  const shown = (part: { readonly minor: bigint }) =>
    `${toDecimal(part.minor, currency)} ${currency}`;
  const amount = toDecimal(minor, currency);
  const restock = fields.restock === 'yes';
  return {
    amount,
    submission: {
      amount,
      items: [
        ...items.map((each) => ({
          storefrontVariantId: each.id,
          quantity: each.quantity,
          amount: toDecimal(each.minor, currency),
          restock,
        })),
        ...beyond.map((each) => ({
          adjustment: each.adjustment,
          amount: toDecimal(each.minor, currency),
        })),
      ],
      notifyCustomer: fields.notify === 'yes',
    },
    lines: [
      ...items.map((each) => `${each.quantity} of variant ${each.id}: ${shown(each)}.`),
      ...beyond.map((each) => `${NAMES[each.adjustment]}: ${shown(each)}.`),
      ...(restock && items.length > 0 ? ['The items are put back in stock.'] : []),
    ],
    leftMinor,
    leftBeyondMinor: leftBeyondAfter(payment, { fields, beyond, leftMinor }),
  };
}

function leftBeyondAfter(
  payment: PaymentView,
  {
    fields: { what },
    beyond,
    leftMinor,
  }: {
    readonly fields: RefundFields;
    readonly beyond: Parts['beyond'];
    readonly leftMinor: bigint;
  },
): bigint | undefined {
  if (what === 'all' || !isByItem(payment.payment)) return undefined;
  const minor = Transaction.leftBeyondLines(payment.payment) - totalOf(beyond);
  return minor < leftMinor ? minor : leftMinor;
}

function totalOf(parts: readonly { readonly minor: bigint }[]): bigint {
  return parts.reduce((sum, each) => sum + each.minor, 0n);
}

const NAMES = { shipping: 'For shipping', other: 'For something else' } as const;

type Parts = ReturnType<typeof partsOf>;

function partsOf({ payment, currency, refundableMinor }: PaymentView, fields: RefundFields) {
  const none = { items: [], beyond: [] };
  if (fields.what === 'all') {
    checkNothingElse({ payment, currency, refundableMinor }, fields);
    return { ...none, minor: refundableMinor };
  }
  if (!isByItem(payment)) return { ...none, minor: minorOf(fields.amount, currency, 'amount') };
  const items = itemsOf(payment, fields);
  const beyond = (['shipping', 'other'] as const)
    .filter((adjustment) => fields[adjustment])
    .map((adjustment) => ({
      adjustment,
      minor: minorOf(fields[adjustment], currency, adjustment),
    }))
    .filter(({ minor }) => minor > 0n);
  checkBeyond({ payment, currency, refundableMinor }, beyond);
  return { items, beyond, minor: totalOf([...items, ...beyond]) };
}

/** The rule of the domain, before anything is sent. */
function checkBeyond(
  payment: Pick<PaymentView, 'payment' | 'currency' | 'refundableMinor'>,
  beyond: readonly { readonly adjustment: keyof typeof NAMES; readonly minor: bigint }[],
): void {
  const leftMinor = leftBeyondOf(payment);
  const last = beyond.at(-1);
  if (last === undefined || totalOf(beyond) <= leftMinor) return;
  const { currency } = payment;
  const most = `${toDecimal(leftMinor, currency)} ${currency}`;
  throw problem(last.adjustment, `Only ${most} of the order is left beyond its items`);
}

/** All that is left, and yet items or an amount: nobody can tell which was meant. */
function checkNothingElse(
  {
    payment,
    currency,
    refundableMinor,
  }: Pick<PaymentView, 'payment' | 'currency' | 'refundableMinor'>,
  fields: RefundFields,
): void {
  const typed = ([name, value]: [string, string | undefined]) => {
    if (!value || Number(value) === 0) return false;
    if (name === 'amount') return minorOf(value, currency, name) !== refundableMinor;
    return name === 'shipping' || name === 'other' || QUANTITY.test(name);
  };
  if (!Object.entries(fields).some(typed)) return;
  throw problem(
    'what',
    `All that is left is chosen, and ${isByItem(payment) ? 'items or a part are' : 'another amount is'} entered: choose one of them`,
  );
}

function isByItem({ applicationKind }: PaymentView['payment']): boolean {
  return applicationKind === Transaction.APPLICATION_KIND.Ecommerce;
}

function itemsOf(state: PaymentView['payment'], fields: RefundFields) {
  const variants = Transaction.variantsLeft(state);
  return Object.entries(fields).flatMap(([name, value]) => {
    const id = Number(QUANTITY.exec(name)?.[1] ?? Number.NaN);
    const variant = variants.get(id);
    const { success, data } = Quantity.safeParse(value);
    if (variant === undefined) return [];
    if (!success) throw problem(name, 'A quantity must be a whole number');
    const quantity = Number(data);
    if (quantity === 0) return [];
    if (quantity > variant.left) {
      throw problem(name, `Only ${variant.left} of variant ${id} are left to refund`);
    }
    return [{ id, quantity, minor: Transaction.shareOf(variant, quantity) }];
  });
}

/** `1,234.50`. A comma elsewhere may be meant as a decimal point: `12,50` is not 1,250. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** In minor units. Refuses what is no amount of the currency. */
export function minorOf(entered: string | undefined, currency: string, field: string): bigint {
  const text = entered?.trim() ?? '';
  const minor = toMinor(GROUPED.test(text) ? text.replaceAll(',', '') : text, currency);
  if (minor._tag === 'Right' && minor.right >= 0n) return minor.right;
  throw problem(field, `Enter an amount in ${currency}, such as ${toDecimal(1234n, currency)}`);
}

export function problem(field: string, detail: string): Refusal {
  return refuse('invalid_request', detail, { errors: [{ pointer: `/${field}`, detail }] });
}
