/** Dispute rates of merchant accounts by month, as JSON or CSV. */
import type { DisputeRate } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { type Cell, CSV_TYPE, csvOf } from './csv.ts';
import { DisputeThresholds } from './settings.ts';
import { apiSlice } from './slice.ts';
import { type FaceServices, Id, ledgerFor, months, QueryBoolean, queryInteger } from './wire.ts';

const count = (description: string) => z.int().meta({ description });
const percent = (description: string) => z.number().nullable().meta({ description });

const DisputedAmount = z
  .object({
    currency: z.string(),
    captured: z.number().meta({ description: 'Captured in the month' }),
    chargedBack: z.number().meta({ description: 'Taken by chargebacks that were opened in it' }),
    rate: percent('chargedBack over captured, in percent; null where nothing was captured'),
  })
  .meta({ id: 'DisputedAmount' });

const Rate = z
  .object({
    merchantAccountId: z.int(),
    month: z.string(),
    status: z.enum(['ok', 'warning', 'excessive']).meta({
      description: 'Which of the thresholds `rate` and `chargebacks` have reached together',
    }),
    captures: count('Payments that were captured, of all currencies'),
    chargebacks: count('Chargebacks that were opened, won or not'),
    rate: percent(
      'chargebacks over captures, in percent with four decimals; null where nothing was captured',
    ),
    alerts: count('Alerts that were received'),
    fraudWarnings: count('Those of confirmed fraud, and early fraud warnings'),
    amounts: z.array(DisputedAmount).meta({ description: 'By currency' }),
  })
  .meta({ id: 'DisputeRate' });

const RatesAnswer = z
  .object({
    success: z.literal(true),
    from: z.string(),
    to: z.string(),
    sandbox: z.boolean(),
    thresholds: DisputeThresholds.meta({ description: 'As the settings have them now' }),
    rates: z.array(Rate).meta({
      description: 'Months with a capture or a dispute, by merchant account and month',
    }),
  })
  .meta({ id: 'DisputeRates' });

function ratesEndpoint(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getDisputeRates',
    method: 'GET',
    path: '/api/ledger/dispute-rates',
    tag: 'Ledger',
    summary: 'Dispute rates',
    description:
      'Chargebacks over captures by merchant account and month (GMT), by count and by amount, beside the thresholds of the setting `disputeThresholds`. Each belongs to the month in which it was booked, as in statements. With `Accept: text/csv` a row for each currency of a month.',
    access: { kind: 'api-key', scope: 'ledger:read', requiresUserEmail: false },
    query: z.object({
      merchantAccountId: queryInteger(Id.meta({ example: 1 })).optional(),
      ...months,
      sandbox: QueryBoolean.optional().meta({ description: 'Absent: the live books' }),
    }),
    responses: { 200: { description: 'The rates', schema: RatesAnswer, orElse: CSV_TYPE } },
    rejections: ['live_data_forbidden', 'not_acceptable', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query }) {
      const as = context.accepted(['application/json', CSV_TYPE, 'application/problem+json']);
      if (as === undefined) throw refuse('not_acceptable');
      const found = await ledgerFor(services, context).books.disputeRates(query);
      if (as !== CSV_TYPE) return { status: 200, body: { success: true, ...found } };
      return {
        status: 200,
        raw: csvOf(COLUMNS, found.rates.flatMap(rowsOf)),
        contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
      };
    },
  });
}

const COLUMNS = [
  'merchantAccountId',
  'month',
  'status',
  'captures',
  'chargebacks',
  'rate',
  'alerts',
  'fraudWarnings',
  'currency',
  'captured',
  'chargedBack',
  'amountRate',
] as const;

/** The counts of a month are those of all its currencies, on each of its rows. A rate that is null is empty. */
function rowsOf({ amounts, ...month }: DisputeRate): Cell[][] {
  const { merchantAccountId, status, captures, chargebacks, alerts, fraudWarnings } = month;
  const counts = [captures, chargebacks, month.rate ?? '', alerts, fraudWarnings];
  return amounts.map(({ currency, captured, chargedBack, rate }) => [
    merchantAccountId,
    month.month,
    status,
    ...counts,
    currency,
    captured,
    chargedBack,
    rate ?? '',
  ]);
}

export const DISPUTE_RATES = apiSlice((services: FaceServices) => [ratesEndpoint(services)]);
