/** A shop in Fastify with an embedded ledger: its own routes, without the Counterfoil host. */
import { TenantId } from '@counterfoil/core';
import { type Ledger, type PaymentView, type RefusalCode, Refused } from '@counterfoil/engine';
import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { withZod } from './zod-types.ts';

export const SHOP_TENANT = TenantId.parse(1);
export const CURRENCY = 'GBP';

/** A decimal in major units; the ledger refuses anything else. */
const Amount = z.string().max(20);
const Card = z.object({
  number: z.string().max(19),
  expMonth: z.int().min(1).max(12),
  expYear: z.int(),
  cvv: z.string().max(4),
  holder: z.string().max(100).default(''),
});
const PayBody = z.object({ amount: Amount, email: z.email().max(254), card: Card });
const Payment = z.object({
  id: z.string(),
  status: z.string(),
  amount: z.string(),
  refundable: z.string(),
});
const Problem = z.object({ code: z.string() });
const Reference = z.string().max(64);

/** Maps refusals of the ledger (a code with facts) to HTTP statuses of the app. */
const STATUS: Partial<Record<RefusalCode, number>> = {
  AmountInvalid: 400,
  AmountTooFine: 400,
  CardInvalid: 400,
  TransactionUnknown: 404,
};

/** Responses use the app's own types; closing the app closes the ledger. */
export function buildApp(ledger: Ledger): FastifyInstance {
  const app = Fastify({ forceCloseConnections: 'idle' });
  app.addHook('onClose', () => ledger.close());
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Refused)) return reply.send(error);
    const { code, isTransient }: Refused = error;
    return reply.code(STATUS[code] ?? (isTransient ? 503 : 409)).send({ code });
  });
  addRoutes(app, ledger);
  return app;
}

function addRoutes(app: FastifyInstance, ledger: Ledger): void {
  const typed = withZod(app);
  const shop = ledger.as({ tenantId: SHOP_TENANT, actor: 'shop' });

  typed.post(
    '/orders/:reference/payment',
    {
      schema: {
        params: z.object({ reference: Reference }),
        body: PayBody,
        response: { 200: Payment, 402: Payment, '4xx': Problem },
      },
    },
    async ({ params: { reference }, body }, reply) => {
      // The order reference is the idempotency key: a repeated request finds the same payment.
      const order = { ...body, idempotencyKey: reference, currency: CURRENCY };
      const payment = await shop.payments.submit(order);
      return reply.code(payment.status === 'Captured' ? 200 : 402).send(shown(payment));
    },
  );

  typed.get(
    '/orders/:reference/payment',
    { schema: { params: z.object({ reference: Reference }), response: { 200: Payment } } },
    async ({ params: { reference } }) =>
      shown(await shop.payments.get(shop.payments.idOf(reference))),
  );

  typed.post(
    '/orders/:reference/refunds/:name',
    {
      schema: {
        params: z.object({ reference: Reference, name: Reference }),
        body: z.object({ amount: Amount }),
        response: { 200: Payment, '4xx': Problem },
      },
    },
    async ({ params: { reference, name }, body: { amount } }) => {
      const id = shop.payments.idOf(reference);
      await shop.payments.refund(id, { idempotencyKey: name, amount });
      return shown(await shop.payments.get(id));
    },
  );

  typed.get(
    '/takings',
    { schema: { response: { 200: z.object({ balanced: z.boolean(), sales: z.number() }) } } },
    async () => {
      // Includes every acknowledged payment.
      const { balanced, currencies } = await shop.books.trialBalance();
      const accounts = currencies.find(({ currency }) => currency === CURRENCY)?.accounts;
      const sales = accounts?.find(({ account }) => account === 'sales')?.credit ?? 0;
      return { balanced, sales: Number(sales) };
    },
  );
}

function shown({ id, status, amount, refundableAmount }: PaymentView): z.input<typeof Payment> {
  return { id, status, amount, refundable: refundableAmount };
}
