/** The report of sales: by hour, day or month. */
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { CardBrandId, CardBrandName } from './answer-fields.ts';
import { apiSlice, rows } from './slice.ts';
import {
  CurrencyCode,
  Day,
  type FaceServices,
  Id,
  ledgerFor,
  QueryBoolean,
  queryInteger,
} from './wire.ts';

const money = (description: string) =>
  z.number().meta({ description: `In major units: ${description}` });

const counts = {
  captures: z.int().meta({ description: 'Payments that were captured' }),
  declines: z.int().meta({ description: 'Payments that were declined, each once in the end' }),
};

const figures = {
  captured: money('captured, less voids'),
  refunded: money('refunded, less refunds that the bank sent back'),
  chargedBack: money('charged back, less chargebacks that were reversed'),
  fees: money('every fee, less those that voids gave back'),
  net: money('captured less refunded, charged back and fees'),
  ...counts,
};

const Period = z
  .object({
    period: z.string().meta({
      description: 'The hour, the day or the month, GMT',
      example: '2026-11-23T20',
    }),
    ...figures,
  })
  .meta({ id: 'SalesPeriod' });
const Totals = z.object(figures).meta({ id: 'SalesTotals', description: 'Of the range' });
const Account = z
  .object({ merchantAccountId: z.int(), ...figures })
  .meta({ id: 'SalesAccount', description: 'Of the range, of one merchant account' });

const Brand = z
  .object({ cardBrandId: CardBrandId, cardBrand: CardBrandName, ...counts })
  .meta({ id: 'SalesBrand', description: 'Of the range, of the cards of one network' });

const Currency = z
  .object({
    currency: z.string(),
    periods: z.array(Period).meta({ description: 'Every one of the range, in order' }),
    totals: Totals,
    accounts: z.array(Account).meta({ description: 'Those with anything in the range' }),
    brands: z.array(Brand).meta({
      description:
        'Card networks with anything in the range; `Unknown` has payments without a card, too',
    }),
  })
  .meta({ id: 'SalesCurrency' });

const Unit = z.enum(['hour', 'day', 'month']).meta({
  description: 'How long a period is',
  example: 'day',
});

const Answer = z
  .object({
    success: z.literal(true),
    unit: Unit,
    from: z.string(),
    to: z.string(),
    currencies: z.array(Currency).meta({
      description: 'Those with anything in the range, each by itself: they are never added up',
    }),
  })
  .meta({ id: 'SalesReport' });

function salesEndpoint(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getSales',
    method: 'GET',
    path: '/api/ledger/sales',
    tag: 'Ledger',
    summary: 'Sales by hour, day or month',
    description:
      'What was captured, refunded, charged back and declined, as the books have it: each in the period in which it was booked, GMT. At most 14 days by hour and 400 by day.',
    access: { kind: 'api-key', scope: 'ledger:read', requiresUserEmail: false },
    query: z.object({
      unit: Unit,
      from: Day.meta({ description: 'The first day, GMT', example: '2026-11-01' }),
      to: Day.meta({
        description: 'The last day, GMT. Of months only the months count',
        example: '2026-11-23',
      }),
      currency: CurrencyCode.optional(),
      merchantAccountId: queryInteger(Id).optional(),
      sandbox: QueryBoolean.optional().meta({ description: 'Absent: the live books' }),
    }),
    responses: { 200: { description: 'The report', schema: Answer } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query }) {
      const report = await ledgerFor(services, context).books.sales(query);
      return { status: 200, body: { success: true, ...report } };
    },
  });
}

const REFUSALS = rows({
  DaysOutOfRange: {
    code: 'invalid_request',
    errors: ({ from, to, days, max }) => {
      const detail =
        days < 1
          ? `must not be after ${to}, the last day`
          : `${max} days at most; ${from} to ${to} are ${days}`;
      return [{ pointer: '/query/from', detail }];
    },
  },
});

export const SALES = apiSlice((services: FaceServices) => [salesEndpoint(services)], REFUSALS);
