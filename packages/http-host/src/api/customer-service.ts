/** Customer Service: the details of one transaction, and refunds. */
import { Transaction } from '@counterfoil/core';
import type { RefundView } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { StatusId, StatusName, UuidText } from './answer-fields.ts';
import { withConfirmation } from './confirmation.ts';
import { aboutRefund, RefundItemsInput, refundOf } from './refund-items.ts';
import { apiSlice } from './slice.ts';
import { DetailAnswer } from './transaction-body.ts';
import { Amount, Email, type FaceServices, Id, ledgerFor, Uuid } from './wire.ts';

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
    getSearchData: flag.meta({ description: 'Include `transaction` and `routing`' }),
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

function customerServiceEndpoints(services: FaceServices): Endpoint[] {
  return [detail(services), refund(services)];
}

function detail(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getTransactionDetail',
    action: 'transactions.detail',
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
    async handle(context, { body }) {
      const found = await ledgerFor(services, context).transactions.detail(body.id);
      if (found === undefined) throw refuse('not_found');
      const { transaction, addressData, addresses, subscriptions, sessionData, cart } = found;
      return {
        status: 200,
        body: {
          success: true,
          message: transaction.data,
          ...(body.getSearchData && { transaction, routing: found.routing }),
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

function refund(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'refundTransaction',
    action: 'payments.refund',
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
      const ledger = ledgerFor(services, context);
      const made = await ledger.payments.refund(body.messageId, {
        ...refundOf(body),
        idempotencyKey: context.idempotencyKey,
        source: 'CustomerService',
      });
      const { id: refundId, status, sandbox, refund } = made;
      if (status === 'RefundFailed') throw refuse('refund_failed', refusalText(made), { refundId });
      const message = await withConfirmation(messageOf(made), ledger, {
        asked: refund.notifyCustomer,
        sandbox,
      });
      const statusID = Transaction.STATUS_ID[status];
      return {
        status: 200,
        body: { success: true, message, refundId, status, statusID },
        ...aboutRefund(context, made),
      };
    },
  });
}

function refusalText({ id, refund: { note } }: RefundView): string {
  return `The gateway refused refund ${id}${note === '' ? '' : `: ${note}`}`;
}

function messageOf({ status, amount, currency }: RefundView): string {
  return status === 'Refunded'
    ? `Refunded ${amount} ${currency}`
    : `The refund of ${amount} ${currency} waits for the gateway's answer`;
}

export const CUSTOMER_SERVICE = apiSlice(customerServiceEndpoints);
