/** Errors about cards: what 402 answers and `last_payment_error` show of a decline. */
import type Stripe from 'stripe';
import type { Decline } from './cards.ts';
import { type ErrorFacts, StripeRefusal } from './refusal.ts';

export type CardErrorFacts = ErrorFacts & { readonly message: string };

export function cardError({ message, ...facts }: CardErrorFacts): StripeRefusal {
  return new StripeRefusal(402, 'card_error', message, facts);
}

export function declineFacts(
  decline: Decline,
  parts: { readonly charge?: string; readonly method?: Stripe.PaymentMethod } = {},
): CardErrorFacts {
  const { adviceCode, networkAdviceCode, networkDeclineCode } = decline;
  return {
    message: decline.message,
    code: decline.code,
    decline_code: decline.declineCode,
    ...(adviceCode === undefined ? {} : { advice_code: adviceCode }),
    ...(networkAdviceCode === undefined ? {} : { network_advice_code: networkAdviceCode }),
    ...(networkDeclineCode === undefined ? {} : { network_decline_code: networkDeclineCode }),
    ...(parts.charge === undefined ? {} : { charge: parts.charge }),
    ...(parts.method === undefined ? {} : { payment_method: structuredClone(parts.method) }),
  };
}
