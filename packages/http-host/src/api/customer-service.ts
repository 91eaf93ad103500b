/** Customer Service: the details of one transaction, and refunds. */
import { Transaction, toDecimal } from '@counterfoil/core';
import type { Payments, Transactions } from '@counterfoil/engine';
import type { Confirmations } from '@counterfoil/engine/mail';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { StatusId, StatusName, UuidText } from './answer-fields.ts';
import { paymentToRefund } from './payment-to-refund.ts';
import { RefundItemsInput, refundPartsOf } from './refund-items.ts';
import { apiSlice } from './slice.ts';
import { DetailAnswer } from './transaction-body.ts';
import { Amount, callerOf, Email, Id, idOf, minorOf, Uuid } from './wire.ts';

const TAG = 'Customer Service';

const claims = {
  parentCompanyId: Id.meta({ description: 'The tenant id; equals ClientId' }),
  userEmail: Email.meta({ description: 'The requesting agent; equals the UserEmail header' }),
};

const flag = z.boolean().default(false);

const DetailInput = z
  .object({
    ...claims,
    id: Uuid.meta({ description: 'The id of a payment, refund, chargeback or alert' }),
    getSearchData: flag.meta({ description: 'Include `transaction`' }),
    getAddressData: flag.meta({ description: 'Include `addressData` and `addresses`' }),
    getSubscription: flag.meta({ description: 'Include `subscriptions`' }),
    getSessionData: flag.meta({ description: 'Include `sessionData`' }),
  })
  .meta({ id: 'DetailRequest' });

const RefundInput = z
  .object({
    ...claims,
    messageId: Uuid.meta({ description: 'The transaction id' }),
    sendUserCommunication: z
      .boolean()
      .default(false)
      .meta({ description: 'Mail the customer a confirmation, once the refund is done' }),
    amount: Amount.default(0).meta({ description: '0 or absent: the remaining balance' }),
    refundItems: RefundItemsInput.optional(),
  })
  .meta({ id: 'RefundRequest' });

const RefundAnswer = z
  .object({
    success: z.boolean(),
    message: z.string(),
    refundId: UuidText.meta({ description: 'The `messageID` of the refund' }),
    status: StatusName,
    statusID: StatusId,
  })
  .meta({ id: 'RefundResult' });

export interface CustomerServices {
  readonly payments: Payments;
  readonly transactions: Transactions;
  readonly confirmations: Confirmations;
}

function customerServiceEndpoints(services: CustomerServices): Endpoint[] {
  return [detail(services), refund(services)];
}

function detail({ transactions }: CustomerServices): Endpoint {
  return endpoint({
    operationId: 'getTransactionDetail',
    method: 'POST',
    path: '/customerapi/detail',
    tag: TAG,
    summary: 'Transaction detail',
    description: 'Everything about one transaction. The flags say how much of it to send.',
    access: { kind: 'api-key', scope: 'transactions:read', requiresUserEmail: true },
    body: DetailInput,
    responses: { 200: { description: 'The transaction', schema: DetailAnswer } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle({ principal }, { body }) {
      const { tenantId, environment } = principal;
      const found = await transactions.detail(tenantId, body.id);
      if (found === undefined || (environment === 'test' && !found.sandbox)) {
        throw refuse('not_found');
      }
      const { transaction, addressData, addresses, subscriptions, sessionData, cart } = found;
      return {
        status: 200,
        body: {
          success: true,
          message: transaction.data,
          ...(body.getSearchData && { transaction }),
          ...(body.getAddressData && { addressData, addresses }),
          ...(body.getSubscription && { subscriptions }),
          ...(body.getSessionData && { sessionData }),
          ...(cart.length > 0 && { cart }),
          ...(found.storefrontProducts !== undefined && {
            storefrontProducts: found.storefrontProducts,
          }),
        },
      };
    },
  });
}

function refund(services: CustomerServices): Endpoint {
  const { payments, confirmations } = services;
  return endpoint({
    operationId: 'refundTransaction',
    method: 'POST',
    path: '/customerapi/refund',
    tag: TAG,
    summary: 'Refund a transaction',
    description:
      'Gives back the remaining balance, or a part of it. A part of an ecommerce order comes with a complete refundItems list.',
    access: { kind: 'api-key', scope: 'transactions:refund', requiresUserEmail: true },
    body: RefundInput,
    responses: {
      200: { description: 'The refund was made, or is pending', schema: RefundAnswer },
    },
    rejections: [
      'not_found',
      'not_refundable',
      'amount_precision',
      'refund_exceeds_refundable',
      'refund_items_required',
      'refund_items_invalid',
      'refund_failed',
      'payment_state',
      'concurrent_update',
      'gateway_error',
    ],
    idempotency: 'money',
    async handle(context, { body }) {
      const tenantId = context.principal.tenantId;
      const payment = await paymentToRefund(services, context, body.messageId);
      const { currency, transactionId } = payment;
      const made = await payments.refund(
        {
          tenantId,
          transactionId,
          refundId: idOf(context, 'refundTransaction', [transactionId]),
          content: body,
          amountMinor: minorOf(body.amount, currency, '/amount'),
          ...refundPartsOf(body.refundItems, currency),
          source: 'CustomerService',
          notifyCustomer: body.sendUserCommunication,
        },
        callerOf(context),
      );
      if (made.status === 'RefundFailed') {
        throw refuse('refund_failed', refusalText(made), { refundId: made.refundId });
      }
      const confirmation = { asked: made.notifyCustomer, sandbox: payment.sandbox };
      const message = confirmations.messageWith(messageOf(made, currency), confirmation);
      return {
        status: 200,
        body: {
          success: true,
          message,
          refundId: made.refundId,
          status: made.status,
          statusID: Transaction.STATUS_ID[made.status],
        },
        stream: Transaction.streamOf({ tenantId, transactionId }),
        subject: { tenantId, sandbox: payment.sandbox, customerId: payment.customerId },
        isFinal: made.status !== 'RefundPending',
      };
    },
  });
}

function refusalText({ refundId, note }: Transaction.Refund): string {
  return `The gateway refused refund ${refundId}${note === '' ? '' : `: ${note}`}`;
}

function messageOf({ status, amountMinor }: Transaction.Refund, currency: string): string {
  const amount = `${toDecimal(amountMinor, currency)} ${currency}`;
  return status === 'Refunded'
    ? `Refunded ${amount}`
    : `The refund of ${amount} waits for the gateway's answer`;
}

export const CUSTOMER_SERVICE = apiSlice(customerServiceEndpoints);
