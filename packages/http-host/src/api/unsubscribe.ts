/** Customer Service: ends the subscriptions of an email, all of them or those listed. */

import { counted } from '@counterfoil/engine';
import { mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { withConfirmation } from './confirmation.ts';
import { apiSlice } from './slice.ts';
import { Email, type FaceServices, Id, ledgerFor, pattern } from './wire.ts';

const MAX_IDS = 1_000;

/**
 * Positive integers without leading zeros, with optional spaces. The expression is unambiguous at
 * every character: adjacent runs of optional spaces would backtrack exponentially.
 */
const ID_LIST = new RegExp(
  `^ *\\[ *[1-9]\\d{0,15} *(?:, *[1-9]\\d{0,15} *){0,${MAX_IDS - 1}}\\] *$`,
);
/** Room for that many ids with spaces. */
const MAX_LIST_LENGTH = 32_768;

// Consecutive ids look like a card number.
const IdList = mayHoldCardNumber(
  pattern(ID_LIST, {
    max: MAX_LIST_LENGTH,
    detail: `must be a list of 1 to ${MAX_IDS} positive integers, such as "[1,2,3]"`,
  }),
).optional();

const UnsubscribeInput = z
  .object({
    parentCompanyId: Id.meta({ description: 'The tenant id; equals ClientId' }),
    userEmail: Email.meta({ description: 'The requesting agent; equals the UserEmail header' }),
    email: Email.meta({
      description:
        'The present email of the customer, or the one that the order was placed with: every subscription that ends is one of these',
    }),
    orderIds: IdList.meta({
      description:
        'The orders that started the subscriptions, as text: "[1,2,3]"; at least one where the list is given',
      example: '[1001, 1002]',
    }),
    subscriberIds: IdList.meta({
      description:
        'The subscriptions, in the same form. With both lists, what stands in either ends; without either, all of this email',
      example: '[1000000001]',
    }),
    sendUserCommunication: z
      .boolean()
      .default(false)
      .meta({ description: 'Mail the customer a confirmation of each end' }),
    sandbox: z
      .boolean()
      .optional()
      .meta({ description: 'Absent: live data with a live key, test data with a test key' }),
  })
  .meta({ id: 'UnsubscribeRequest' });

const UnsubscribeAnswer = z
  .object({
    success: z.boolean(),
    unsubscribes: z.int().meta({
      description: 'How many subscriptions this request has ended; 0 when none was active',
    }),
    message: z.string(),
  })
  .meta({ id: 'UnsubscribeResult' });

function unsubscribeEndpoint(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'unsubscribeCustomer',
    action: 'subscriptions.unsubscribeByEmail',
    method: 'POST',
    path: '/customerapi/unsubscribe',
    tag: 'Customer Service',
    summary: 'Unsubscribe a customer',
    description:
      'Ends active subscriptions of the customer who has this email now, and those whose order was placed with it. Ended subscriptions and unknown emails are no error: `unsubscribes` counts what this request ended.',
    access: { kind: 'api-key', scope: 'subscriptions:unsubscribe', requiresUserEmail: true },
    body: UnsubscribeInput,
    responses: { 200: { description: 'The subscriptions have ended', schema: UnsubscribeAnswer } },
    rejections: ['live_data_forbidden', 'concurrent_update'],
    idempotency: 'money',
    async handle(context, { body }) {
      const { email, sandbox, sendUserCommunication: notifyCustomer } = body;
      const ledger = ledgerFor(services, context);
      const unsubscribes = await ledger.subscriptions.unsubscribeByEmail({
        idempotencyKey: context.idempotencyKey,
        email,
        sandbox,
        notifyCustomer,
        orderIds: idsOf(body.orderIds, '/orderIds'),
        subscriptionIds: idsOf(body.subscriberIds, '/subscriberIds'),
      });
      const message = await withConfirmation(messageOf(unsubscribes), ledger, {
        asked: notifyCustomer && unsubscribes > 0,
        sandbox,
      });
      return { status: 200, body: { success: true, unsubscribes, message } };
    },
  });
}

/** An id above the safe integers would be rounded to another one. */
function idsOf(list: string | undefined, pointer: string): readonly number[] {
  const ids = (list?.match(/\d+/g) ?? []).map(Number);
  if (ids.every((id) => Number.isSafeInteger(id))) return ids;
  throw refuse('invalid_request', undefined, {
    errors: [{ pointer, detail: `An id is at most ${Number.MAX_SAFE_INTEGER}` }],
  });
}

function messageOf(unsubscribes: number): string {
  if (unsubscribes === 0) return 'No active subscription was found';
  return `Unsubscribed from ${counted(unsubscribes, 'subscription')}`;
}

export const UNSUBSCRIBE = apiSlice((services: FaceServices) => [unsubscribeEndpoint(services)]);
