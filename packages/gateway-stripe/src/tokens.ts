/** Tokens of the adapter: a payment method, and the customer at Stripe that it belongs to or will. */
import type { CardToken } from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';

const TOKEN = /^(pm_\w{1,100})\/(cus_\w{1,100})$/;
const PAYMENT_METHOD = /^pm_\w{1,100}$/;

/** What is known of a typed card, and nowhere to be read at Stripe. */
export const FINGERPRINT = 'counterfoil_fingerprint';
export const BIN = 'counterfoil_bin';

export interface Kept {
  readonly paymentMethod: string;
  readonly customer: string;
}

export function tokenOf({ paymentMethod, customer }: Kept): string {
  return `${paymentMethod}/${customer}`;
}

/** Undefined for what is no token of this adapter. */
export function keptOf(token: string): Kept | undefined {
  const [, paymentMethod, customer] = TOKEN.exec(token) ?? [];
  if (paymentMethod === undefined || customer === undefined) return undefined;
  return { paymentMethod, customer };
}

export function isPaymentMethod(gatewayToken: string): boolean {
  return PAYMENT_METHOD.test(gatewayToken);
}

/** `cardBrandId` by Stripe's name of the network. */
const BRAND_IDS: Readonly<Record<string, number>> = {
  visa: 1,
  mastercard: 2,
  amex: 3,
  discover: 4,
  jcb: 5,
  diners: 6,
};

/** Undefined for what is no card. */
export function cardOf(method: Stripe.PaymentMethod, customer: string): CardToken | undefined {
  const { card, metadata } = method;
  if (card === undefined || card === null) return undefined;
  return {
    token: tokenOf({ paymentMethod: method.id, customer }),
    bin: metadata?.[BIN] ?? '',
    last4: card.last4,
    expMonth: card.exp_month,
    expYear: card.exp_year,
    fingerprint: metadata?.[FINGERPRINT] ?? `stripe:${card.fingerprint ?? method.id}`,
    brandId: BRAND_IDS[card.brand] ?? 0,
    country: card.country ?? '',
  };
}
