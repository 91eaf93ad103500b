/** Checkout sessions: a server opens and reads them; pages with a publishable key pay them. */
import { CheckoutSession, type Transaction, toMajor } from '@counterfoil/core';
import type { CheckoutSessionView } from '@counterfoil/engine';
import { z } from 'zod';
import { preflightAnswer } from '../http/cors.ts';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { type ErrorCode, refuse } from '../http/errors.ts';
import { At, StatusName, UuidText } from './answer-fields.ts';
import { NextAction } from './payment-body.ts';
import { CardInput, GatewayToken, PaymentInput, submissionOf } from './payment-request.ts';
import { apiSlice, rows } from './slice.ts';
import { challengeUrl } from './widget.ts';
import {
  addressOf,
  bounded,
  CurrencyCode,
  eitherOf,
  type FaceServices,
  ledgerFor,
  text,
  Uuid,
} from './wire.ts';

const TAG = 'Card API';
const PATH = '/v1/checkout-sessions';
const PUBLIC_PATH = '/api/public/checkout-sessions/{id}';
const { MAX_TRIES, MAX_URL_LENGTH, MIN_EXPIRY_MS, MAX_EXPIRY_MS, DEFAULT_EXPIRY_MS } =
  CheckoutSession;
const SECOND_MS = 1_000;

const PageUrl = text(MAX_URL_LENGTH)
  .refine(
    (given) => URL.canParse(given) && /^https?:/.test(given),
    'must be an address such as https://shop.example/thanks',
  )
  .meta({ format: 'uri', example: 'https://shop.example/thanks' });

const CheckoutSessionInput = PaymentInput.omit({
  card: true,
  token: true,
  gatewayToken: true,
  session: true,
  walletPayA: true,
  walletPayB: true,
})
  .extend({
    serviceSession: Uuid.optional().meta({
      description: 'The visit, as the widget names it; becomes `serviceSession` of the payment',
    }),
    successUrl: PageUrl.meta({ description: 'Where the page goes once it is paid' }),
    cancelUrl: PageUrl.meta({ description: 'Where the page goes back to' }),
    expiresIn: z
      .int()
      .min(MIN_EXPIRY_MS / SECOND_MS)
      .max(MAX_EXPIRY_MS / SECOND_MS)
      .default(DEFAULT_EXPIRY_MS / SECOND_MS)
      .meta({ description: 'Seconds until the session takes no card any more' }),
  })
  .meta({ id: 'CheckoutSessionInput', oneOf: undefined });

const STATUS = ['open', 'processing', 'complete', 'expired'] as const;
const status = z.enum(STATUS).meta({
  id: 'CheckoutSessionStatus',
  description:
    '`processing`: a card was submitted, and its outcome is not known yet. `complete` is final',
});
const SessionId = UuidText.meta({ description: 'The session' });
const shared = {
  id: SessionId,
  status,
  amount: z.number().meta({ description: 'In major units of the currency' }),
  currency: CurrencyCode,
  expiresAt: At,
  successUrl: z.string().meta({ description: 'Where the page goes once it is paid' }),
  cancelUrl: z.string().meta({ description: 'Where the page goes back to' }),
  attemptsLeft: z.int().meta({ description: 'Cards that may still be tried' }),
};

const CheckoutSessionBody = z
  .object({
    ...shared,
    paymentId: UuidText.nullable().meta({ description: 'Of the latest try; null: none' }),
    email: z.string().meta({ description: 'Empty once the person is erased' }),
    customerId: z.int(),
    applicationId: z.int(),
    companyId: z.int(),
    partnerSession: z.string().nullable(),
    serviceSession: z.string(),
    sandbox: z.boolean(),
    createdAt: At,
  })
  .meta({ id: 'CheckoutSession' });
const OpenedBody = CheckoutSessionBody.extend({
  clientSecret: z.string().meta({
    description: 'For the page of this buyer alone: shown in this answer, and stored nowhere',
  }),
}).meta({ id: 'OpenedCheckoutSession' });

const DECLINE_REASONS = ['declined', 'insufficient_funds', 'expired_card'] as const;
const PublicPayment = z
  .object({
    id: UuidText.meta({ description: 'The payment' }),
    status: StatusName,
    declineReason: z
      .enum(DECLINE_REASONS)
      .nullable()
      .meta({ description: 'What the buyer may know of it; null: not declined' }),
    nextAction: NextAction,
  })
  .nullable()
  .meta({ id: 'CheckoutPayment', description: 'The payment of the latest try; null: none' });
const PublicBody = z
  .object({
    ...shared,
    attempt: z.int().meta({ description: 'The number of the next try, from 1' }),
    payment: PublicPayment,
  })
  .meta({ id: 'PublicCheckoutSession' });

const ClientSecret = bounded(100).min(1).meta({
  description: 'Of the session: as the server got it, which gave it to this page',
});
const pass = { clientSecret: ClientSecret };
const ShowInput = z.object(pass).meta({ id: 'CheckoutSessionPass' });
const PayInput = z
  .object({
    ...pass,
    card: CardInput.optional(),
    gatewayToken: GatewayToken.optional(),
    attempt: z
      .int()
      .min(1)
      .max(MAX_TRIES + 1)
      .optional()
      .meta({
        description:
          'The number of this try, from `attempt` of the session: a try that was made is answered with what became of it, so that two clicks are one payment. Absent: the next',
      }),
    page: z
      .object({
        url: text(2_048).optional().meta({ description: 'The address of the page' }),
        useragent: text(1_024).optional().meta({ description: 'The browser' }),
      })
      .optional()
      .meta({ id: 'CheckoutPage', description: 'Kept as the session of the payment' }),
  })
  .refine(
    ({ card, gatewayToken }) => (card === undefined) !== (gatewayToken === undefined),
    'needs one of card and gatewayToken',
  )
  .meta({ id: 'CheckoutPayInput', ...eitherOf('card', 'gatewayToken') });
const ActionInput = z
  .object({
    ...pass,
    outcome: z.enum(['done', 'given-up']).meta({
      description: '`given-up`: the buyer goes back, to try another card',
    }),
  })
  .meta({ id: 'CheckoutActionInput' });

const IdParams = z.object({ id: Uuid.meta({ description: 'The session id' }) });

export interface CheckoutServices extends FaceServices {
  /** Whether a publishable key allows pages of an origin. */
  readonly knowsOrigin: (origin: string) => Promise<boolean>;
}

function checkoutEndpoints(services: CheckoutServices): Endpoint[] {
  return [
    openSession(services),
    getSession(services),
    showSession(services),
    paySession(services),
    concludeAction(services),
    ...['', '/pay', '/action'].map((step) => preflight(services, step)),
  ];
}

function openSession(services: CheckoutServices): Endpoint {
  return endpoint({
    operationId: 'createCheckoutSession',
    action: 'checkoutSessions.open',
    method: 'POST',
    path: PATH,
    tag: TAG,
    summary: 'Open a checkout session',
    description:
      'What is sold, to whom and at which price, for a page to take the card of: the page cannot choose any of it. Give `clientSecret` to the page of this buyer. The order is checked like that of a payment; its card and its account are looked at when the page pays. The same `Idempotency-Key` gives the same session.',
    access: { kind: 'api-key', scope: 'payments:write', requiresUserEmail: false },
    body: CheckoutSessionInput,
    responses: { 201: { description: 'The session', schema: OpenedBody } },
    rejections: [
      'currency_unknown',
      'amount_precision',
      'amount_not_positive',
      'reference_unknown',
      'customer_mismatch',
      'live_data_forbidden',
      'concurrent_update',
    ],
    idempotency: 'money',
    holdsSecrets: true,
    async handle(context, { body }) {
      const { successUrl, cancelUrl, serviceSession, expiresIn, ...order } = body;
      const pages = { successUrl, cancelUrl, serviceSession, expiresInSeconds: expiresIn };
      const { checkoutSessions } = ledgerFor(services, context);
      const { session: _, ...submission } = submissionOf(order, context.idempotencyKey);
      const { clientSecret, ...view } = await checkoutSessions.open({ ...submission, ...pages });
      return {
        status: 201,
        headers: { Location: `${PATH}/${view.id}` },
        body: { ...sessionBody(view), clientSecret },
        // The secret is not to be kept with the answer; the same key gives the same session anyway.
        isFinal: false,
      };
    },
  });
}

function getSession(services: CheckoutServices): Endpoint {
  return endpoint({
    operationId: 'getCheckoutSession',
    method: 'GET',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Read a checkout session',
    description:
      'The session as it is at this moment. Ask here, from the server, whether it is paid: what a page says is no proof.',
    access: { kind: 'api-key', scope: 'payments:read', requiresUserEmail: false },
    params: IdParams,
    responses: { 200: { description: 'The session', schema: CheckoutSessionBody } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params }) {
      const { checkoutSessions } = ledgerFor(services, context);
      return { status: 200, body: sessionBody(await checkoutSessions.get(params.id)) };
    },
  });
}

const PAYMENT_REJECTIONS = [
  'not_found',
  'checkout_session_state',
  'card_invalid',
  'no_merchant_account',
  'reference_unknown',
  'customer_mismatch',
  'concurrent_update',
  'gateway_error',
] as const satisfies readonly ErrorCode[];

const paid = {
  200: { description: 'It is paid, or waits for `nextAction`', schema: PublicBody },
  202: { description: 'The outcome is not known yet: ask again', schema: PublicBody },
  402: { description: 'The card was declined; another may follow', schema: PublicBody },
};

function byPages({ knowsOrigin }: CheckoutServices) {
  return {
    method: 'POST',
    tag: TAG,
    access: { kind: 'payment-key', knowsOrigin },
    params: IdParams,
    idempotency: 'none',
  } as const;
}

function showSession(services: CheckoutServices): Endpoint {
  return endpoint({
    ...byPages(services),
    operationId: 'showCheckoutSession',
    path: PUBLIC_PATH,
    summary: 'Show a checkout session to its page',
    description:
      'What the page of the buyer may see of the session, by `X-Service-Payment-Key` with a publishable key of the application, from an origin that the key allows, and by the secret of the session. A POST, so that the secret stands in no address.',
    body: ShowInput,
    responses: { 200: { description: 'The session', schema: PublicBody } },
    rejections: ['not_found'],
    async handle(context, { params, body }) {
      const { checkoutSessions } = ledgerFor(services, context);
      const view = await checkoutSessions.show(params.id, { ...body, ...boundTo(context) });
      return { status: 200, body: publicBody(view) };
    },
  });
}

function paySession(services: CheckoutServices): Endpoint {
  return endpoint({
    ...byPages(services),
    operationId: 'payCheckoutSession',
    action: 'checkoutSessions.pay',
    path: `${PUBLIC_PATH}/pay`,
    summary: 'Pay a checkout session with a card',
    description: `Submits a card, or what the gateway's own script made of one, at the price of the session. A session is paid once, however often and from wherever this is asked. After a decline another card may be tried, ${MAX_TRIES} in all; none is while another is under way.`,
    body: PayInput,
    responses: paid,
    rejections: [...PAYMENT_REJECTIONS, 'token_unknown'],
    async handle(context, { params, body: { page = {}, ...body } }) {
      const { checkoutSessions } = ledgerFor(services, context);
      const visit = { ...page, ip: addressOf(context) };
      const given = { ...body, visit, ...boundTo(context) };
      return answerOf(await checkoutSessions.pay(params.id, given));
    },
  });
}

function concludeAction(services: CheckoutServices): Endpoint {
  return endpoint({
    ...byPages(services),
    operationId: 'concludeCheckoutAction',
    action: 'checkoutSessions.conclude',
    path: `${PUBLIC_PATH}/action`,
    summary: 'Go on after the buyer acted, or gave up',
    description:
      'For a session whose payment waits for `nextAction`, such as 3-D Secure. Where none waits, the answer is the session as it is.',
    body: ActionInput,
    responses: paid,
    rejections: PAYMENT_REJECTIONS,
    async handle(context, { params, body }) {
      const { checkoutSessions } = ledgerFor(services, context);
      const given = { ...body, ...boundTo(context) };
      return answerOf(await checkoutSessions.conclude(params.id, given));
    },
  });
}

function preflight({ knowsOrigin }: CheckoutServices, step: string): Endpoint {
  return endpoint({
    operationId: `preflight${{ '': 'Show', '/pay': 'Pay', '/action': 'Action' }[step]}Checkout`,
    method: 'OPTIONS',
    path: PUBLIC_PATH + step,
    tag: TAG,
    summary: 'Ask whether a page may call this',
    description:
      'What browsers ask first (CORS): answered for every origin that a publishable key allows. The POST checks key and origin together.',
    access: { kind: 'public' },
    params: IdParams,
    responses: { 204: { description: 'It may' } },
    rejections: ['origin_not_allowed'],
    idempotency: 'none',
    handle: async ({ origin }) => {
      if (origin === undefined || !(await knowsOrigin(origin))) {
        throw refuse('origin_not_allowed', undefined, { headers: { Vary: 'Origin' } });
      }
      return preflightAnswer(origin);
    },
  });
}

/** The application of the page's key. */
function boundTo({ principal: { bound } }: RequestContext) {
  if (bound === undefined) throw new Error('a page without a key');
  return { applicationId: bound.applicationId };
}

function answerOf(view: CheckoutSessionView) {
  const body = publicBody(view);
  const isDeclined = view.status === 'open' && body.payment?.declineReason != null;
  const unpaid = isDeclined ? 402 : 200;
  return { status: view.status === 'processing' ? 202 : unpaid, body, isFinal: false };
}

function sharedBody({ id, status: now, currency, nextAttempt, session }: CheckoutSessionView) {
  const { amountMinor, expiresAt, successUrl, cancelUrl } = session;
  return {
    id,
    status: now,
    amount: toMajor(amountMinor, currency),
    currency,
    expiresAt,
    successUrl,
    cancelUrl,
    attemptsLeft: now === 'open' ? Math.max(0, MAX_TRIES + 1 - nextAttempt) : 0,
  };
}

function sessionBody(view: CheckoutSessionView) {
  const { email, customerId, applicationId, companyId, sandbox, openedAt } = view.session;
  const { partnerSession, serviceSession } = view.session;
  return {
    ...sharedBody(view),
    paymentId: view.payment?.transactionId ?? null,
    email,
    customerId,
    applicationId,
    companyId,
    partnerSession,
    serviceSession,
    sandbox,
    createdAt: openedAt,
  };
}

function publicBody(view: CheckoutSessionView) {
  const { payment, nextAttempt: attempt } = view;
  if (payment === null) return { ...sharedBody(view), attempt, payment };
  const { transactionId: id, status: now, nextAction } = payment;
  const shown = {
    id,
    status: now,
    declineReason: declineReasonOf(payment),
    nextAction: nextAction && { ...nextAction, url: challengeUrl(nextAction.url) },
  };
  return { ...sharedBody(view), attempt, payment: shown };
}

const FAILED: ReadonlySet<Transaction.Status> = new Set([
  'Declined',
  'Failed',
  'Blocked',
  'Expired',
]);

/** Never what would tell a thief why. */
function declineReasonOf({
  status: now,
  attempts,
}: Transaction.Payment): (typeof DECLINE_REASONS)[number] | null {
  if (!FAILED.has(now)) return null;
  const code = attempts.at(-1)?.declineCode;
  return DECLINE_REASONS.find((each) => each === code) ?? 'declined';
}

const REFUSALS = rows({
  CheckoutSessionUnknown: { code: 'not_found' },
  CheckoutSessionExists: { code: 'duplicate' },
  CheckoutExpiryOutOfRange: {
    code: 'invalid_request',
    errors: ({ minMinutes, maxMinutes }) => [
      { pointer: '/expiresIn', detail: `must be ${minMinutes} to ${maxMinutes} minutes` },
    ],
  },
  CheckoutSessionNotOpen: {
    code: 'checkout_session_state',
    text: ({ status: now }) => `The session is ${now}`,
  },
  CheckoutTryUnderWay: {
    code: 'checkout_session_state',
    text: 'Another card of this session is under way',
  },
  CheckoutTriesUsedUp: {
    code: 'checkout_session_state',
    text: ({ max }) => `${max} cards were declined; the session takes no more`,
  },
});

export const CHECKOUT_SESSIONS = apiSlice(checkoutEndpoints, REFUSALS);
