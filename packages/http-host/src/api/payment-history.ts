/** What happened to a payment: its events, and what they posted to the books. */
import { type Transaction, toDecimal } from '@counterfoil/core';
import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { At, UuidText } from './answer-fields.ts';
import { pageOf } from './collections.ts';
import { OF_PAYMENT, wholeList } from './of-payment.ts';
import { apiSlice } from './slice.ts';
import { type FaceServices, ledgerFor } from './wire.ts';

const textOrNull = z.string().nullable();

const PaymentEvent = z
  .object({
    revision: z.int().meta({ description: 'Its place among the events of the payment, from 0' }),
    type: z.string().meta({ description: 'What happened', example: 'PaymentCaptured' }),
    at: At.meta({ description: 'When it holds in the business' }),
    recordedAt: At.meta({ description: 'When the ledger recorded it' }),
    actor: textOrNull.meta({ description: 'Who caused it; null for the ledger itself' }),
    keyId: textOrNull.meta({ description: 'The key of the request that caused it' }),
    requestId: textOrNull.meta({ description: 'The `X-Request-Id` of that request' }),
    transactionId: UuidText.meta({
      description: 'The payment, or the child that it is about: a refund, a chargeback, an alert',
    }),
    amount: z.number().nullable().meta({ description: 'In major units of `currency`' }),
    currency: z.string().meta({ example: 'GBP' }),
    merchantAccountId: z
      .int()
      .nullable()
      .meta({ description: 'That it was sent through, where the event says so' }),
    code: textOrNull.meta({ description: 'Of a decline or a chargeback, as the gateway gave it' }),
    authCode: textOrNull.meta({ description: 'The approval code of the issuer' }),
    reference: textOrNull.meta({ description: 'Of the provider that reported it' }),
    note: z.string().meta({ description: 'A reason in words; may be empty' }),
  })
  .meta({ id: 'PaymentEvent' });

const money = z.number().meta({ description: 'In major units of the currency' });

const JournalLine = z
  .object({
    account: z.string().meta({ description: 'By its name in the trial balance', example: 'sales' }),
    currency: z.string().meta({ description: 'The currency of the line', example: 'GBP' }),
    debit: money,
    credit: money,
  })
  .meta({ id: 'JournalLine' });

const JournalEntry = z
  .object({
    revision: z.int().meta({ description: 'The event that posted it, by its `revision`' }),
    description: z.string().meta({ description: 'The type of that event' }),
    at: At.meta({ description: 'When it holds in the business' }),
    merchantAccountId: z.int(),
    lines: z
      .array(JournalLine)
      .meta({ description: 'Debits and credits are equal in each currency' }),
  })
  .meta({ id: 'JournalEntry' });

export const PAYMENT_HISTORY = apiSlice((services: FaceServices) => [
  endpoint({
    ...OF_PAYMENT,
    operationId: 'listPaymentEvents',
    action: 'transactions.history',
    path: '/api/transactions/{id}/events',
    summary: 'List what happened to a payment',
    description:
      'Every event of the payment and its children, the oldest first: what, when, by whom, and with which request.',
    access: { kind: 'api-key', scope: 'transactions:read', requiresUserEmail: true },
    responses: {
      200: { description: 'The events', schema: pageOf(PaymentEvent, 'PaymentEvents') },
    },
    async handle(context, { params: { id } }) {
      const history = await ledgerFor(services, context).transactions.history(id);
      const [first] = history;
      if (first?.event.type !== 'PaymentSubmitted') throw refuse('not_found');
      const { transactionId, currency } = first.event;
      const items = history.map((entry) => eventOf(entry, { transactionId, currency }));
      return wholeList(items);
    },
  }),
  endpoint({
    ...OF_PAYMENT,
    operationId: 'listPaymentEntries',
    path: '/api/transactions/{id}/entries',
    summary: 'List what a payment posted to the books',
    description: 'The journal entries of the payment and its children, in the order of its events.',
    access: { kind: 'api-key', scope: 'ledger:read', requiresUserEmail: true },
    responses: {
      200: { description: 'The entries', schema: pageOf(JournalEntry, 'PaymentEntries') },
    },
    async handle(context, { params: { id } }) {
      const { transactions, books } = ledgerFor(services, context);
      if ((await transactions.history(id)).length === 0) throw refuse('not_found');
      const items = (await books.entries(id)).map(
        ({ revision, description, at, merchantAccountId, lines }) => ({
          revision,
          description,
          at,
          merchantAccountId,
          lines,
        }),
      );
      return wholeList(items);
    },
  }),
]);

type History = ReturnType<ReturnType<typeof ledgerFor>['transactions']['history']>;

type Facts = Readonly<Partial<Record<string, unknown>>>;

/** What names a child of a payment. */
const CHILDREN = ['refundId', 'chargebackId', 'alertId', 'voidId'];

function eventOf(
  { event, revision, recordedAt, actor, keyId, requestId }: Awaited<History>[number],
  payment: { readonly transactionId: string; readonly currency: string },
): z.input<typeof PaymentEvent> {
  const facts = event as Facts;
  const currency = textIn(facts, ['currency']) ?? payment.currency;
  const childId = textIn(facts, CHILDREN);
  return {
    ...{ revision, type: event.type, at: event.at, recordedAt },
    actor: actor === 'system' ? null : actor,
    keyId: keyId ?? null,
    requestId: requestId ?? null,
    transactionId: childId ?? payment.transactionId,
    amount: 'amountMinor' in event ? Number(toDecimal(event.amountMinor, currency)) : null,
    currency,
    merchantAccountId: accountIn(event),
    code: textIn(facts, ['declineCode', 'reasonCode']) ?? null,
    authCode: textIn(facts, ['authCode']) ?? null,
    reference: textIn(facts, ['reference']) ?? null,
    note: textIn(facts, ['note']) ?? '',
  };
}

/** The first of these that the event has, and that says something. */
function textIn(facts: Facts, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof facts[each] === 'string' && facts[each] !== '');
  return name === undefined ? undefined : String(facts[name]);
}

function accountIn(event: Transaction.Event): number | null {
  if (event.type === 'AttemptStarted') return event.route.merchantAccountId;
  return 'merchantAccountId' in event ? event.merchantAccountId : null;
}
