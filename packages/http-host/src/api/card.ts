/** The Card API: create, read, list, confirm, capture, void and refund payments. */
import { Transaction, type TransactionId } from '@counterfoil/core';
import { type Payments, uuidV7, withoutSecrets } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint, type JsonResult, type RequestContext } from '../http/endpoint.ts';
import type { ErrorCode } from '../http/errors.ts';
import { PaymentBody, paymentBody, RefundBody, refundBody } from './payment-body.ts';
import { PAYMENT_REFUSALS, REFUND_REFUSALS } from './payment-refusals.ts';
import { PaymentInput, paymentRequestOf } from './payment-request.ts';
import { type PaymentFinding, paymentToRefund } from './payment-to-refund.ts';
import { RefundItemsInput, refundPartsOf } from './refund-items.ts';
import { apiSlice } from './slice.ts';
import {
  Amount,
  callerOf,
  checkVisible,
  idOf,
  minorOf,
  NothingInput,
  sandboxOf,
  Uuid,
} from './wire.ts';

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

export interface CardServices extends PaymentFinding {
  readonly now: () => string;
}

function cardEndpoints(services: CardServices): Endpoint[] {
  return [
    submission(services, {
      operationId: 'createPayment',
      path: '/v1/payments',
      summary: 'Create a payment',
    }),
    submission(services, {
      operationId: 'submitCard',
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
  { payments, now }: CardServices,
  named: { operationId: string; path: string; summary: string },
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
      const transactionId = idOf(context, 'payment');
      const { tenantId } = context.principal;
      const sandbox = sandboxOf(context.principal, body.sandbox);
      const payment = await payments.submitNamed(
        { tenantId, transactionId, content: withoutSecrets(body), cvv: body.card?.cvv },
        () =>
          paymentRequestOf(body, {
            tenantId,
            transactionId,
            serviceSession: uuidV7(),
            sandbox,
            now: now(),
          }),
        callerOf(context),
      );
      return answer(shownBy(payments, context), payment);
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

type Show = (
  payment: Transaction.Payment,
) => Promise<Pick<JsonResult, 'body' | 'stream' | 'subject' | 'isFinal'>>;

/** Payments with the details that this caller may see. */
function shownBy(payments: Payments, context: RequestContext): Show {
  const { tenantId } = context.principal;
  return async (payment) => ({
    body: paymentBody({ payment, ...(await payments.viewOf(tenantId, payment)) }),
    stream: Transaction.streamOf({ tenantId, transactionId: payment.transactionId }),
    subject: { tenantId, sandbox: payment.sandbox, customerId: payment.customerId },
    isFinal: !PASSING.has(payment.status),
  });
}

async function answer(show: Show, payment: Transaction.Payment) {
  const status = statusCodeOf(payment);
  return { status, ...(await show(payment)), ...(status === 201 && locatedAt(payment)) };
}

/** The Location of a payment. */
function locatedAt({ transactionId }: Transaction.Payment) {
  return { headers: { Location: `/v1/payments/${transactionId}` } };
}

function statusCodeOf({ status }: Transaction.Payment): number {
  if (DECLINED.has(status)) return 402;
  return OPEN.has(status) ? 202 : 201;
}

function getPayment({ payments }: CardServices): Endpoint {
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
      const payment = await visible(payments, context, params.id);
      return { status: 200, ...(await shownBy(payments, context)(payment)) };
    },
  });
}

async function visible(
  payments: Payments,
  { principal }: RequestContext,
  id: string,
): Promise<Transaction.Payment> {
  const payment = await payments.get(principal.tenantId, id as TransactionId);
  checkVisible(principal, payment);
  return payment;
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

function confirmPayment({ payments }: CardServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'confirmPayment',
    path: '/v1/payments/{id}/confirm',
    summary: 'Go on after the customer acted',
    description: 'For a payment in RequiresAction, once the customer did what `nextAction` asked.',
    body: NothingInput,
    responses: actedResponses('The payment was declined'),
    rejections: ACTING_REJECTIONS,
    async handle(context, { params }) {
      const payment = await visible(payments, context, params.id);
      const requestId = idOf(context, 'confirmPayment', [payment.transactionId]);
      const after = await payments.confirm(
        { ...addressOf(payment, context), requestId, content: params },
        callerOf(context),
      );
      return acted(shownBy(payments, context), after);
    },
  });
}

function addressOf({ transactionId }: Transaction.Payment, { principal }: RequestContext) {
  return { tenantId: principal.tenantId, transactionId };
}

/** Operations on an existing payment return 200 on success. */
async function acted(show: Show, payment: Transaction.Payment) {
  const status = statusCodeOf(payment);
  return { status: status === 201 ? 200 : status, ...(await show(payment)) };
}

function capturePayment({ payments }: CardServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'capturePayment',
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
      const payment = await visible(payments, context, params.id);
      const { currency } = payment;
      const amountMinor =
        body?.amount === undefined ? undefined : minorOf(body.amount, currency, '/amount');
      const requestId = idOf(context, 'capturePayment', [payment.transactionId]);
      const after = await payments.capture(
        { ...addressOf(payment, context), requestId, content: [params, body] },
        amountMinor,
        callerOf(context),
      );
      return followedUp(shownBy(payments, context), after, {
        requestId,
        pending: after.pendingCapture !== null,
      });
    },
  });
}

/** 200 when done, 202 while the outcome is unknown, 402 when the gateway refused. */
async function followedUp(
  show: Show,
  payment: Transaction.Payment,
  { requestId, pending }: { requestId: TransactionId; pending: boolean },
) {
  const refused = payment.failedRequestIds.includes(requestId);
  const done = pending ? 202 : 200;
  return {
    status: refused ? 402 : done,
    ...(await show(payment)),
    isFinal: refused || !pending,
  };
}

function voidPayment({ payments }: CardServices): Endpoint {
  return endpoint({
    ...ACTING,
    operationId: 'voidPayment',
    path: '/v1/payments/{id}/void',
    summary: 'Void a payment',
    description: 'Gives up an authorization, or a capture that is not settled yet.',
    body: NothingInput,
    responses: actedResponses('The gateway refused; the payment stands'),
    rejections: ACTING_REJECTIONS,
    async handle(context, { params }) {
      const payment = await visible(payments, context, params.id);
      const requestId = idOf(context, 'voidPayment', [payment.transactionId]);
      const after = await payments.void(
        { ...addressOf(payment, context), requestId, content: params },
        callerOf(context),
      );
      return followedUp(shownBy(payments, context), after, {
        requestId,
        pending: after.pendingVoid !== null,
      });
    },
  });
}

function refundPayment(services: CardServices): Endpoint {
  const { payments } = services;
  return endpoint({
    operationId: 'refundPayment',
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
      const payment = await paymentToRefund(services, context, params.id);
      const { currency } = payment;
      const amountMinor = minorOf(body?.amount ?? 0, currency, '/amount');
      const refund = await payments.refund(
        {
          ...addressOf(payment, context),
          refundId: idOf(context, 'refundPayment', [payment.transactionId]),
          content: [params, body],
          amountMinor,
          ...refundPartsOf(body?.refundItems, currency),
          source: 'CardApi',
          notifyCustomer: body?.sendUserCommunication ?? false,
        },
        callerOf(context),
      );
      const status = REFUND_STATUS_CODE[refund.status];
      return {
        status,
        body: refundBody(payment, refund),
        isFinal: refund.status !== 'RefundPending',
        stream: Transaction.streamOf(addressOf(payment, context)),
        subject: {
          tenantId: context.principal.tenantId,
          sandbox: payment.sandbox,
          customerId: payment.customerId,
        },
        ...(status === 201 && locatedAt(payment)),
      };
    },
  });
}

const REFUND_STATUS_CODE = { Refunded: 201, RefundPending: 202, RefundFailed: 402 } as const;

export const CARD = apiSlice(cardEndpoints, { ...PAYMENT_REFUSALS, ...REFUND_REFUSALS });
