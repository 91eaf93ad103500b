/** The Card API: create, read, list, confirm, capture, void and refund payments. */
import { plainDecimal, Transaction } from '@counterfoil/core';
import type { FollowedUpView, PaymentView } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import type { ErrorCode } from '../http/errors.ts';
import { PaymentBody, paymentBody, RefundBody, refundBody } from './payment-body.ts';
import { PAYMENT_REFUSALS, REFUND_REFUSALS } from './payment-refusals.ts';
import { PaymentInput, submissionOf } from './payment-request.ts';
import { aboutRefund, RefundItemsInput, refundOf } from './refund-items.ts';
import { apiSlice } from './slice.ts';
import { Amount, type FaceServices, ledgerFor, NothingInput, Uuid } from './wire.ts';

const TAG = 'Card API';

const PAYMENT_REJECTIONS = [
  'currency_unknown',
  'amount_precision',
  'amount_not_positive',
  'card_invalid',
  'token_unknown',
  'reference_unknown',
  'customer_mismatch',
  'no_merchant_account',
  'live_data_forbidden',
  'duplicate',
  'concurrent_update',
  'gateway_error',
] as const satisfies readonly ErrorCode[];

const IdParams = z.object({ id: Uuid.meta({ description: 'The payment id' }) });

const CaptureInput = z
  .object({ amount: Amount.optional().meta({ description: 'Absent: all that was authorized' }) })
  .meta({ id: 'CaptureInput' })
  .optional();

const RefundInput = z
  .object({
    amount: Amount.optional().meta({ description: '0 or absent: the remaining balance' }),
    refundItems: RefundItemsInput.optional(),
    sendUserCommunication: z
      .boolean()
      .optional()
      .meta({ description: 'Mail the customer a confirmation, once the refund is done' }),
  })
  .meta({ id: 'PaymentRefundInput' })
  .optional();

const paymentResponses = {
  201: { description: 'The payment was taken, or waits for `nextAction`', schema: PaymentBody },
  202: {
    description: 'The gateway has not answered: the outcome is not known yet',
    schema: PaymentBody,
  },
  402: { description: 'The payment was declined', schema: PaymentBody },
};

const write = { kind: 'api-key', scope: 'payments:write', requiresUserEmail: false } as const;
const read = { kind: 'api-key', scope: 'payments:read', requiresUserEmail: false } as const;

function cardEndpoints(services: FaceServices): Endpoint[] {
  return [
    submission(services, {
      operationId: 'createPayment',
      action: 'payments.submit',
      path: '/v1/payments',
      summary: 'Create a payment',
    }),
    submission(services, {
      operationId: 'submitCard',
      action: 'payments.submit',
      path: '/v1/card/submit',
      summary: 'Submit a card',
    }),
    getPayment(services),
    confirmPayment(services),
    capturePayment(services),
    voidPayment(services),
    refundPayment(services),
  ];
}

function submission(
  services: FaceServices,
  named: { operationId: string; action: string; path: string; summary: string },
): Endpoint {
  return endpoint({
    ...named,
    method: 'POST',
    tag: TAG,
    description:
      'Takes the money, or with `capture: false` only authorizes it. The answer comes when the outcome is durable. The subscriptions of `subscription` and of the items (two at most) have their ids at once and start with the capture; a payment that is declined starts none.',
    access: write,
    body: PaymentInput,
    responses: paymentResponses,
    rejections: PAYMENT_REJECTIONS,
    idempotency: 'money',
    async handle(context, { body }) {
      // Both paths run the same command, so a key identifies the same payment on either.
      const { payments } = ledgerFor(services, context);
      return answer(context, await payments.submit(submissionOf(body, context.idempotencyKey)));
    },
  });
}

const DECLINED: ReadonlySet<Transaction.Status> = new Set([
  'Declined',
  'Failed',
  'Blocked',
  'Expired',
]);
const OPEN: ReadonlySet<Transaction.Status> = new Set(['Unknown', 'Processing']);

/** Transient statuses: the gateway or the customer has yet to act. */
const PASSING: ReadonlySet<Transaction.Status> = new Set([...OPEN, 'RequiresAction']);

/** A payment with the details that this caller may see. */
function shown({ principal: { tenantId } }: RequestContext, view: PaymentView) {
  const { transactionId, sandbox, customerId, status } = view.payment;
  return {
    body: paymentBody(view),
    stream: Transaction.streamOf({ tenantId, transactionId }),
    subject: { tenantId, sandbox, customerId },
    isFinal: !PASSING.has(status),
  };
}

function answer(context: RequestContext, view: PaymentView) {
  const status = statusCodeOf(view);
  return { status, ...shown(context, view), ...(status === 201 && locatedAt(view.id)) };
}

/** The Location of a payment. */
function locatedAt(id: string) {
  return { headers: { Location: `/v1/payments/${id}` } };
}

function statusCodeOf({ status }: PaymentView): number {
  if (DECLINED.has(status)) return 402;
  return OPEN.has(status) ? 202 : 201;
}

function getPayment(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getPayment',
    method: 'GET',
    path: '/v1/payments/{id}',
    tag: TAG,
    summary: 'Read a payment',
    description: 'The payment with its attempts and refunds, as the ledger has it at this moment.',
    access: read,
    params: IdParams,
    responses: { 200: { description: 'The payment', schema: PaymentBody } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params }) {
      const { payments } = ledgerFor(services, context);
      return { status: 200, ...shown(context, await payments.get(params.id)) };
    },
  });
}

/** Shared by the operations on an existing payment. */
const ACTING = {
  method: 'POST',
  tag: TAG,
  access: write,
  params: IdParams,
  idempotency: 'money',
} as const;

const ACTING_REJECTIONS = [
  'not_found',
  'payment_state',
  'concurrent_update',
  'gateway_error',
] as const satisfies readonly ErrorCode[];

function actedResponses(refused: string) {
  return {
    200: { description: 'The payment', schema: PaymentBody },
    202: { description: 'The gateway has not answered yet', schema: PaymentBody },
    402: { description: refused, schema: PaymentBody },
  };
}

function confirmPayment(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'confirmPayment',
    action: 'payments.confirm',
    path: '/v1/payments/{id}/confirm',
    summary: 'Go on after the customer acted',
    description: 'For a payment in RequiresAction, once the customer did what `nextAction` asked.',
    body: NothingInput,
    responses: actedResponses('The payment was declined'),
    rejections: ACTING_REJECTIONS,
    async handle(context, { params }) {
      const { idempotencyKey } = context;
      const { payments } = ledgerFor(services, context);
      return acted(context, await payments.confirm(params.id, { idempotencyKey }));
    },
  });
}

/** Operations on an existing payment return 200 on success. */
function acted(context: RequestContext, view: PaymentView) {
  const status = statusCodeOf(view);
  return { status: status === 201 ? 200 : status, ...shown(context, view) };
}

function capturePayment(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'capturePayment',
    action: 'payments.capture',
    path: '/v1/payments/{id}/capture',
    summary: 'Capture an authorization',
    description: 'Takes the authorized amount or a part of it, once; the rest is released.',
    body: CaptureInput,
    responses: actedResponses('The gateway refused; the authorization stands'),
    rejections: [
      ...ACTING_REJECTIONS,
      'amount_precision',
      'amount_not_positive',
      'capture_exceeds_authorized',
    ],
    async handle(context, { params, body }) {
      const { idempotencyKey } = context;
      const { payments } = ledgerFor(services, context);
      const amount = body?.amount === undefined ? undefined : plainDecimal(body.amount);
      return followedUp(context, await payments.capture(params.id, { idempotencyKey, amount }));
    },
  });
}

const OUTCOME_STATUS_CODE = { done: 200, pending: 202, refused: 402 } as const;

function followedUp(context: RequestContext, view: FollowedUpView) {
  return {
    status: OUTCOME_STATUS_CODE[view.outcome],
    ...shown(context, view),
    isFinal: view.outcome !== 'pending',
  };
}

function voidPayment(services: FaceServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'voidPayment',
    action: 'payments.void',
    path: '/v1/payments/{id}/void',
    summary: 'Void a payment',
    description: 'Gives up an authorization, or a capture that is not settled yet.',
    body: NothingInput,
    responses: actedResponses('The gateway refused; the payment stands'),
    rejections: ACTING_REJECTIONS,
    async handle(context, { params }) {
      const { idempotencyKey } = context;
      const { payments } = ledgerFor(services, context);
      return followedUp(context, await payments.void(params.id, { idempotencyKey }));
    },
  });
}

function refundPayment(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'refundPayment',
    action: 'payments.refund',
    method: 'POST',
    path: '/v1/payments/{id}/refund',
    tag: TAG,
    summary: 'Refund a payment',
    description: 'Gives back the remaining balance, or a part of it.',
    access: { kind: 'api-key', scope: 'transactions:refund', requiresUserEmail: false },
    params: IdParams,
    body: RefundInput,
    responses: {
      201: { description: 'The refund', schema: RefundBody },
      202: {
        description: 'The gateway has not answered: the refund is pending',
        schema: RefundBody,
      },
      402: { description: 'The gateway refused; nothing was paid', schema: RefundBody },
    },
    rejections: [
      'not_found',
      'not_refundable',
      'amount_precision',
      'refund_exceeds_refundable',
      'refund_items_required',
      'refund_items_invalid',
      'payment_state',
      'concurrent_update',
      'gateway_error',
    ],
    idempotency: 'money',
    async handle(context, { params, body }) {
      const made = await ledgerFor(services, context).payments.refund(params.id, {
        ...refundOf(body ?? {}),
        idempotencyKey: context.idempotencyKey,
        source: 'CardApi',
      });
      const status = REFUND_STATUS_CODE[made.status];
      return {
        status,
        body: refundBody(made.refund, { ...made, transactionId: made.paymentId }),
        ...aboutRefund(context, made),
        ...(status === 201 && locatedAt(made.paymentId)),
      };
    },
  });
}

const REFUND_STATUS_CODE = { Refunded: 201, RefundPending: 202, RefundFailed: 402 } as const;

export const CARD = apiSlice(cardEndpoints, { ...PAYMENT_REFUSALS, ...REFUND_REFUSALS });
