/** A custom endpoint over a custom projection: the sales of a tenant by day. */
import { toDecimal } from '@counterfoil/core';
import type { Engine } from '@counterfoil/engine';
import { actorOf, type Endpoint, endpoint } from '@counterfoil/http-host/http';
import { z } from 'zod';
import { salesPerDay } from '../embed/sales-per-day.ts';

/** Scopes are free text: keys may have custom ones beside those of the host. */
export const SALES_SCOPE = 'sales:read';

const Sales = z
  .object({
    success: z.literal(true),
    days: z.array(
      z.object({
        day: z.string(),
        sales: z.int(),
        taken: z.string().meta({ description: 'In major units, less what was given back' }),
      }),
    ),
  })
  .meta({ id: 'Sales' });

export function salesEndpoint(engine: Engine): Endpoint {
  return endpoint({
    operationId: 'getShopSales',
    method: 'GET',
    path: '/shop/sales',
    tag: 'Shop',
    summary: 'Sales',
    description: 'What was sold in a currency, by day: the first hundred days.',
    access: { kind: 'api-key', scope: SALES_SCOPE, requiresUserEmail: false },
    query: z.object({
      currency: z.string().length(3).meta({ description: 'ISO 4217, upper case' }),
      month: z.string().length(7).optional().meta({ description: '`yyyy-mm`. Absent: all' }),
    }),
    responses: { 200: { description: 'The sales', schema: Sales } },
    rejections: [],
    idempotency: 'none',
    async handle(context, { query: { currency, month = '' } }) {
      const view = engine.as(actorOf(context)).view(salesPerDay);
      const rows = await view.list({ prefix: `${currency}/${month}` });
      const days = rows.map(({ key, row: { sales, takenMinor } }) => ({
        day: key.slice(`${currency}/`.length),
        sales,
        taken: toDecimal(takenMinor, currency),
      }));
      return { status: 200, body: { success: true, days } };
    },
  });
}
