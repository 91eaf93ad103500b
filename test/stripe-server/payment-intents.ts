/** PaymentIntents: create, read, change, confirm, capture, cancel, list, search. */
import type Stripe from 'stripe';
import { checkAmount, checkCurrency } from './currencies.ts';
import { type Changes, captureMethod, change, changeable, newIntent } from './intent-fields.ts';
import { cancel, capture, confirm } from './intent-machine.ts';
import { listOf, paging, timeRange, within } from './lists.ts';
import { boolean, either, integer, metadata, object, oneOf, required, text } from './params.ts';
import { invalidRequest } from './refusal.ts';
import { type Route, route } from './route.ts';
import { searchPaymentIntents } from './search.ts';
import type { AccountState } from './state.ts';

const offSession = either(boolean, oneOf('one_off', 'recurring'));
const confirmable = {
  error_on_requires_action: boolean,
  off_session: offSession,
  return_url: text,
  use_stripe_sdk: boolean,
};

const createShape = {
  ...changeable,
  ...confirmable,
  amount: required(integer),
  automatic_payment_methods: object({
    enabled: required(boolean),
    allow_redirects: oneOf('always', 'never'),
  }),
  capture_method: captureMethod,
  confirm: boolean,
  confirmation_method: oneOf('automatic', 'manual'),
  currency: required(text),
};

export const paymentIntentRoutes: readonly Route[] = [
  route('POST', '/v1/payment_intents', createShape, ({ state }, params) => {
    const currency = checkCurrency(params.currency);
    checkAmount(params.amount, currency);
    if (params.confirm !== true) refuseWithoutConfirm(params);
    const intent = newIntent(state, { ...params, currency });
    change(state, intent, params);
    state.paymentIntents.add(intent);
    state.intentFacts.set(intent.id, {
      offSession: false,
      returnUrl: null,
      requestsAuthentication: false,
      authenticated: false,
    });
    state.emit('payment_intent.created', intent);
    if (params.confirm === true) confirmWith(state, intent, params);
    return intent;
  }),
  route(
    'GET',
    '/v1/payment_intents',
    { ...paging, created: timeRange, customer: text },
    (call, params) => {
      const { customer, created, ...page } = params;
      const all = call.state.paymentIntents.newestFirst();
      const rows = all.filter(
        (each) =>
          (customer === undefined || each.customer === customer) && within(each.created, created),
      );
      return listOf(call, rows, all, page);
    },
  ),
  route(
    'GET',
    '/v1/payment_intents/search',
    { query: required(text), limit: integer, page: text },
    searchPaymentIntents,
  ),
  route('GET', '/v1/payment_intents/{intent}', { client_secret: text }, ({ state, id }) =>
    state.paymentIntents.get(id, 'intent'),
  ),
  route(
    'POST',
    '/v1/payment_intents/{intent}',
    { ...changeable, amount: integer, capture_method: captureMethod, currency: text },
    ({ state, id }, params) => {
      const intent = state.paymentIntents.get(id, 'intent');
      const { metadata: labels, description, receipt_email: email, ...rest } = params;
      const changesMore = Object.values(rest).some((value) => value !== undefined);
      if (changesMore && !/^requires_(payment_method|confirmation|action)$/.test(intent.status)) {
        throw invalidRequest(
          `This PaymentIntent's parameters could not be updated because it has a status of ${intent.status}.`,
          { code: 'payment_intent_unexpected_state', payment_intent: structuredClone(intent) },
        );
      }
      const currency =
        params.currency === undefined ? intent.currency : checkCurrency(params.currency);
      const amount = params.amount ?? intent.amount;
      checkAmount(amount, currency);
      Object.assign(intent, { amount, currency });
      if (params.capture_method !== undefined) intent.capture_method = params.capture_method;
      change(state, intent, { ...params, description, receipt_email: email, metadata: labels });
      return intent;
    },
  ),
  route(
    'POST',
    '/v1/payment_intents/{intent}/confirm',
    { ...changeable, ...confirmable, capture_method: captureMethod, client_secret: text },
    ({ state, id }, params) => {
      const intent = state.paymentIntents.get(id, 'intent');
      confirmWith(state, intent, params);
      return intent;
    },
  ),
  route(
    'POST',
    '/v1/payment_intents/{intent}/capture',
    {
      amount_to_capture: integer,
      metadata,
      statement_descriptor: text,
      statement_descriptor_suffix: text,
    },
    ({ state, id }, params) => {
      const intent = state.paymentIntents.get(id, 'intent');
      capture(state, intent, params.amount_to_capture);
      Object.assign(intent.metadata, params.metadata);
      return intent;
    },
  ),
  route(
    'POST',
    '/v1/payment_intents/{intent}/cancel',
    {
      cancellation_reason: oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'),
    },
    ({ state, id }, params) => {
      const intent = state.paymentIntents.get(id, 'intent');
      cancel(state, intent, params.cancellation_reason ?? null);
      return intent;
    },
  ),
];

interface ConfirmParams extends Partial<Changes> {
  readonly error_on_requires_action: boolean | undefined;
  readonly off_session: boolean | string | undefined;
  readonly return_url: string | undefined;
}

function confirmWith(
  state: AccountState,
  intent: Stripe.PaymentIntent,
  params: ConfirmParams,
): void {
  const facts = state.factsOf(intent.id);
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') change(state, intent, params);
  facts.offSession = params.off_session !== undefined && params.off_session !== false;
  facts.returnUrl = params.return_url ?? facts.returnUrl;
  const asked = intent.payment_method_options?.card?.request_three_d_secure;
  facts.requestsAuthentication = asked === 'any' || asked === 'challenge';
  confirm(state, intent, { errorOnRequiresAction: params.error_on_requires_action === true });
}

function refuseWithoutConfirm(params: {
  readonly error_on_requires_action: unknown;
  readonly off_session: unknown;
  readonly return_url: unknown;
}): void {
  const { error_on_requires_action, off_session, return_url } = params;
  for (const [param, value] of Object.entries({
    error_on_requires_action,
    off_session,
    return_url,
  })) {
    if (value !== undefined) {
      throw invalidRequest(
        `The parameter \`${param}\` cannot be passed when creating a PaymentIntent unless \`confirm\` is set to true.`,
        { param },
      );
    }
  }
}
