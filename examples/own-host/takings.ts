/** An endpoint of one's own: what a tenant took and gave back, by currency. */
import type { Engine } from '@counterfoil/engine';
import { type Endpoint, endpoint } from '@counterfoil/http-host/http';
import { z } from 'zod';

/** Scopes are free text: keys are issued with those of one's own beside those of the host. */
export const TAKINGS_SCOPE = 'takings:read';

const Takings = z
  .object({
    success: z.literal(true),
    takings: z.array(
      z.object({
        currency: z.string(),
        taken: z.number().meta({ description: 'In major units' }),
        givenBack: z.number().meta({ description: 'In major units' }),
      }),
    ),
  })
  .meta({ id: 'Takings' });

export function takingsEndpoint({ books }: Engine): Endpoint {
  return endpoint({
    operationId: 'getTakings',
    method: 'GET',
    path: '/shop/takings',
    tag: 'Shop',
    summary: 'Takings',
    description: 'What was captured and what was refunded, by currency.',
    access: { kind: 'api-key', scope: TAKINGS_SCOPE, requiresUserEmail: false },
    query: z.object({
      currency: z.string().length(3).optional().meta({ description: 'Absent: every currency' }),
    }),
    responses: { 200: { description: 'The takings', schema: Takings } },
    rejections: [],
    idempotency: 'none',
    async handle({ principal: { tenantId, environment } }, { query: { currency } }) {
      const { currencies } = await books.trialBalance({
        tenantId,
        sandbox: environment === 'test',
        ...(currency !== undefined && { currency }),
      });
      const takings = currencies.map(({ currency, accounts }) => {
        const find = (name: string) => accounts.find(({ account }) => account === name);
        return {
          currency,
          taken: find('sales')?.credit ?? 0,
          givenBack: find('refunds')?.debit ?? 0,
        };
      });
      return { status: 200, body: { success: true, takings } };
    },
  });
}
