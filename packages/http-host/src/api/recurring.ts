/** The report of recurring revenue and churn. */

import type { Books } from '@counterfoil/engine';
import { Month } from '@counterfoil/engine/input';
import { monthAfter, monthsIn } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { apiSlice } from './slice.ts';
import { CurrencyCode, QueryBoolean, sandboxOf } from './wire.ts';

const MAX_MONTHS = 120;
const DEFAULT_MONTHS = 12;
/** The length of `yyyy-mm`, the prefix of an instant. */
const MONTH_LENGTH = 7;

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

export interface RecurringServices {
  readonly books: Books;
  readonly now: () => string;
}

function recurringEndpoint({ books, now }: RecurringServices): Endpoint {
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
      from: Month.optional().meta({
        description: `The first month. Absent: ${DEFAULT_MONTHS} months in all`,
        example: '2026-01',
      }),
      to: Month.optional().meta({
        description: `The last month, included. Absent: the present one. At most ${MAX_MONTHS} months`,
        example: '2026-12',
      }),
      currency: CurrencyCode.optional(),
      sandbox: QueryBoolean.optional().meta({ description: 'Absent: live subscriptions' }),
    }),
    responses: { 200: { description: 'The report', schema: RecurringAnswer } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle({ principal }, { query }) {
      const { tenantId } = principal;
      const range = rangeOf(query, now());
      const sandbox = sandboxOf(principal, query.sandbox);
      const { currency } = query;
      const currencies = await books.recurring({
        tenantId,
        sandbox,
        ...(currency !== undefined && { currency }),
        ...range,
      });
      return { status: 200, body: { success: true, ...range, currencies } };
    },
  });
}

function rangeOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: string,
): { from: string; to: string } {
  const last = to ?? now.slice(0, MONTH_LENGTH);
  const range = { from: from ?? monthAfter(last, 1 - DEFAULT_MONTHS), to: last };
  const months = monthsIn(range);
  if (months < 1) throw wrongRange(`must not be after ${range.to}, the last month`);
  if (months > MAX_MONTHS) {
    throw wrongRange(`${MAX_MONTHS} months at most; ${range.from} to ${range.to} are ${months}`);
  }
  return range;
}

function wrongRange(detail: string) {
  return refuse('invalid_request', undefined, { errors: [{ pointer: '/query/from', detail }] });
}

export const RECURRING = apiSlice((services: RecurringServices) => [recurringEndpoint(services)]);
