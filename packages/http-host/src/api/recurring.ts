/** The report of recurring revenue and churn. */

import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { apiSlice, rows } from './slice.ts';
import { CurrencyCode, type FaceServices, ledgerFor, months, QueryBoolean } from './wire.ts';

const count = z.int();

/** The figures of a month, and of the whole range. */
const figures = {
  joined: count.meta({ description: 'Subscriptions that started: their order was paid' }),
  renewed: count.meta({
    description: 'Cycles that were paid after the first, each once however many tries it took',
  }),
  revenue: z.number().meta({
    description:
      'What these cycles were charged, in major units: what the ledger posted to `sales` for rebills. Starting payments are no part of it, and refunds and chargebacks are not taken off',
  }),
  frozen: count.meta({
    description: 'How often a subscription was frozen; one that was frozen twice counts twice',
  }),
  unfrozen: count.meta({ description: 'How often billing of a frozen one went on' }),
  left: count.meta({
    description:
      'Subscriptions that ended, for whatever reason; a frozen one that ends counts here',
  }),
  activeAtStart: count.meta({
    description: 'Subscriptions that had started and not ended before, frozen ones among them',
  }),
  activeAtEnd: count.meta({ description: 'activeAtStart + joined - left' }),
  frozenAtEnd: count.meta({ description: 'Those of activeAtEnd that are frozen' }),
  mrrAtEnd: z.number().meta({
    description:
      'Monthly recurring revenue at the end: the monthly amounts of the subscriptions that are billed then, each by the plan of its last paid cycle, without trials and frozen ones. An amount for months or years is divided by the months; one for days or weeks is converted by the mean month of 30.436875 days. Each is rounded half to even',
  }),
  churnRate: z.number().nullable().meta({
    description:
      'left / activeAtStart; null when activeAtStart is 0. It passes 1 when more leave, new ones among them, than were there at the start',
  }),
};

const RecurringMonth = z.object({ month: z.string(), ...figures }).meta({ id: 'RecurringMonth' });

const RecurringTotals = z
  .object(figures)
  .meta({ id: 'RecurringTotals', description: 'The range as if it were one month' });

const RecurringCurrency = z
  .object({
    currency: z.string(),
    months: z.array(RecurringMonth).meta({ description: 'Every month of the range, in order' }),
    totals: RecurringTotals,
  })
  .meta({ id: 'RecurringCurrency' });

const RecurringAnswer = z
  .object({
    success: z.literal(true),
    from: z.string(),
    to: z.string(),
    currencies: z.array(RecurringCurrency).meta({
      description:
        'Those in which a subscription ever started, each by itself: they are never added up',
    }),
  })
  .meta({ id: 'RecurringReport' });

function recurringEndpoint(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getRecurringRevenue',
    method: 'GET',
    path: '/api/ledger/recurring',
    tag: 'Ledger',
    summary: 'Recurring revenue and churn',
    description:
      'What subscriptions brought in, and who joined, froze and left, month by month in GMT. What an event belongs to is the month in which it happened; the present month is as far as it has come.',
    access: { kind: 'api-key', scope: 'ledger:read', requiresUserEmail: false },
    query: z.object({
      ...months,
      currency: CurrencyCode.optional(),
      sandbox: QueryBoolean.optional().meta({ description: 'Absent: live subscriptions' }),
    }),
    responses: { 200: { description: 'The report', schema: RecurringAnswer } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query }) {
      const report = await ledgerFor(services, context).books.recurring(query);
      return { status: 200, body: { success: true, ...report } };
    },
  });
}

const REFUSALS = rows({
  MonthsOutOfRange: {
    code: 'invalid_request',
    errors: ({ from, to, months, max }) => {
      const detail =
        months < 1
          ? `must not be after ${to}, the last month`
          : `${max} months at most; ${from} to ${to} are ${months}`;
      return [{ pointer: '/query/from', detail }];
    },
  },
});

export const RECURRING = apiSlice(
  (services: FaceServices) => [recurringEndpoint(services)],
  REFUSALS,
);
