/** The fields of a PaymentIntent: new ones, and those that may change until the card is charged. */
import type Stripe from 'stripe';
import { emptyable, list, metadata, object, oneOf, text } from './params.ts';
import {
  createPaymentMethod,
  type PaymentMethodData,
  paymentMethodData,
  paymentMethodOf,
} from './payment-methods.ts';
import { invalidRequest } from './refusal.ts';
import type { AccountState } from './state.ts';

export const captureMethod = oneOf('automatic', 'automatic_async', 'manual');
const futureUsage = emptyable(oneOf('off_session', 'on_session'));
const cardOptions = object({
  card: object({ request_three_d_secure: oneOf('any', 'automatic', 'challenge') }),
});

/** What may change until the card is charged. */
export const changeable = {
  allowed_payment_method_types: list(oneOf('card')),
  customer: text,
  description: emptyable(text),
  metadata,
  payment_method: text,
  payment_method_data: paymentMethodData,
  payment_method_options: cardOptions,
  receipt_email: emptyable(text),
  setup_future_usage: futureUsage,
  statement_descriptor: emptyable(text),
  statement_descriptor_suffix: emptyable(text),
};

export interface Changes {
  readonly capture_method?: Stripe.PaymentIntent.CaptureMethod | undefined;
  readonly customer: string | undefined;
  readonly description: string | null | undefined;
  readonly metadata: Record<string, string> | undefined;
  readonly payment_method: string | undefined;
  readonly payment_method_data: PaymentMethodData | undefined;
  readonly payment_method_options:
    | { readonly card: { readonly request_three_d_secure: string | undefined } | undefined }
    | undefined;
  readonly receipt_email: string | null | undefined;
  readonly setup_future_usage: Stripe.PaymentIntent.SetupFutureUsage | null | undefined;
  readonly statement_descriptor: string | null | undefined;
  readonly statement_descriptor_suffix: string | null | undefined;
}

export function change(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  params: Partial<Changes>,
): void {
  if (params.statement_descriptor != null) {
    throw invalidRequest(
      'The statement_descriptor parameter is not supported for card payments. Use statement_descriptor_suffix instead.',
      { param: 'statement_descriptor' },
    );
  }
  checkSuffix(params.statement_descriptor_suffix);
  if (params.customer !== undefined) {
    intent.customer = state.customers.get(params.customer, 'customer', 400).id;
  }
  if (params.payment_method !== undefined) {
    intent.payment_method = paymentMethodOf(state, params.payment_method, 'payment_method').id;
  }
  if (params.payment_method_data !== undefined) {
    intent.payment_method = createPaymentMethod(state, params.payment_method_data).id;
  }
  for (const [key, value] of Object.entries(params.metadata ?? {})) {
    if (value === '') delete intent.metadata[key];
    else intent.metadata[key] = value;
  }
  if (params.description !== undefined) intent.description = params.description;
  if (params.receipt_email !== undefined) intent.receipt_email = params.receipt_email;
  if (params.setup_future_usage !== undefined)
    intent.setup_future_usage = params.setup_future_usage;
  if (params.statement_descriptor_suffix !== undefined) {
    intent.statement_descriptor_suffix = params.statement_descriptor_suffix;
  }
  const secure = params.payment_method_options?.card?.request_three_d_secure;
  if (secure !== undefined) {
    intent.payment_method_options = {
      card: { ...NO_CARD_OPTIONS, request_three_d_secure: secure },
    };
  }
  if (intent.status === 'requires_payment_method' && intent.payment_method !== null) {
    intent.status = 'requires_confirmation';
  }
}

const NO_CARD_OPTIONS = {
  installments: null,
  mandate_options: null,
  network: null,
  request_three_d_secure: 'automatic',
} as const;

export function newIntent(
  state: AccountState,
  params: {
    readonly amount: number;
    readonly currency: string;
    readonly automatic_payment_methods:
      | {
          readonly enabled: boolean;
          readonly allow_redirects: 'always' | 'never' | undefined;
        }
      | undefined;
    readonly capture_method: 'automatic' | 'automatic_async' | 'manual' | undefined;
    readonly confirmation_method: 'automatic' | 'manual' | undefined;
    readonly allowed_payment_method_types: readonly 'card'[] | undefined;
  },
): Stripe.PaymentIntent {
  const id = state.id('pi');
  const { automatic_payment_methods: automatic, allowed_payment_method_types: allowed } = params;
  const enabled = automatic?.enabled ?? allowed === undefined;
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: allowed === undefined ? null : [...allowed],
    amount: params.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: enabled
      ? { allow_redirects: automatic?.allow_redirects ?? 'always', enabled }
      : null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: params.capture_method ?? 'automatic_async',
    client_secret: `${id}_secret_${state.id('s').slice(-25)}`,
    confirmation_method: params.confirmation_method ?? 'automatic',
    created: state.now(),
    currency: params.currency,
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: state.livemode,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: { card: NO_CARD_OPTIONS },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}

const MAX_SUFFIX = 22;

function checkSuffix(suffix: string | null | undefined): void {
  if (suffix == null) return;
  if (suffix.length > MAX_SUFFIX || !/[A-Za-z]/.test(suffix) || /[<>\\'"*]/.test(suffix)) {
    throw invalidRequest(
      'The statement descriptor suffix must have at most 22 characters, at least one letter, and none of < > \\ \' " *.',
      { param: 'statement_descriptor_suffix' },
    );
  }
}
