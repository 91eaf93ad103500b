/** A shop in Fastify with the ledger inside: routes of its own, and no host of Counterfoil. */
import { type Transaction, type TransactionId, toDecimal, toMinor } from '@counterfoil/core';
import { deterministicUuid, type Engine, Refused } from '@counterfoil/engine';
import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CURRENCY, orderOf, SHOP_TENANT } from './shop.ts';
import { withZod } from './zod-types.ts';

const CALLER = { actor: 'shop' };

/** A decimal in, minor units out. */
const Amount = z
  .string()
  .max(20)
  .transform((text, context) => {
    const minor = toMinor(text, CURRENCY);
    if (minor._tag === 'Right') return minor.right;
    context.addIssue(`must be an amount in ${CURRENCY}`);
    return z.NEVER;
  });
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

/** Answers come with the app's own types; the ledger is closed with the app. */
export function buildApp(ledger: Engine): FastifyInstance {
  const app = Fastify({ forceCloseConnections: 'idle' });
  app.addHook('onClose', () => ledger.close());
  app.setErrorHandler((error, _request, reply) => {
    // A refusal of the ledger is a code with facts: what it means on the wire is the app's to say.
    if (error instanceof Refused) {
      return reply.code(error.isTransient ? 503 : 409).send({ code: error.code });
    }
    return reply.send(error);
  });
  addRoutes(app, ledger);
  return app;
}

function addRoutes(app: FastifyInstance, ledger: Engine): void {
  const typed = withZod(app);

  typed.post(
    '/orders/:reference/payment',
    {
      schema: {
        params: z.object({ reference: z.string().max(64) }),
        body: PayBody,
        response: { 200: Payment, 402: Payment, 409: Problem },
      },
    },
    async ({ params: { reference }, body }, reply) => {
      const { amount, email, card } = body;
      // The order names its payment: sent again, the request finds the same one.
      const payment = await ledger.payments.submit(
        {
          tenantId: SHOP_TENANT,
          transactionId: idOf('order', reference),
          content: { amount: String(amount), email },
          order: orderOf(amount, email),
          instrument: { card },
        },
        CALLER,
      );
      return reply
        .code(payment.status === 'Captured' ? 200 : 402)
        .send(await shown(reference, payment));
    },
  );

  typed.post(
    '/orders/:reference/refunds/:name',
    {
      schema: {
        params: z.object({ reference: z.string().max(64), name: z.string().max(64) }),
        body: z.object({ amount: Amount }),
        response: { 200: Payment, 409: Problem },
      },
    },
    async ({ params: { reference, name }, body: { amount } }) => {
      const transactionId = idOf('order', reference);
      await ledger.payments.refund(
        {
          tenantId: SHOP_TENANT,
          transactionId,
          refundId: idOf('refund', reference, name),
          content: { amount: String(amount) },
          amountMinor: amount,
          items: [],
          source: 'CustomerService',
          notifyCustomer: false,
        },
        CALLER,
      );
      return shown(reference, await ledger.payments.get(SHOP_TENANT, transactionId));
    },
  );

  typed.get(
    '/takings',
    { schema: { response: { 200: z.object({ balanced: z.boolean(), sales: z.number() }) } } },
    async () => {
      // Has seen every payment that was answered.
      const { balanced, currencies } = await ledger.books.trialBalance({ tenantId: SHOP_TENANT });
      const accounts = currencies.find(({ currency }) => currency === CURRENCY)?.accounts;
      const sales = accounts?.find(({ account }) => account === 'sales')?.credit ?? 0;
      return { balanced, sales: Number(sales) };
    },
  );

  async function shown(
    reference: string,
    payment: Transaction.Payment,
  ): Promise<z.input<typeof Payment>> {
    const { refundableMinor } = await ledger.payments.viewOf(SHOP_TENANT, payment);
    return {
      id: idOf('order', reference),
      status: payment.status,
      amount: toDecimal(payment.amountMinor, CURRENCY),
      refundable: toDecimal(refundableMinor, CURRENCY),
    };
  }
}

function idOf(...names: readonly string[]): TransactionId {
  return deterministicUuid(['shop', ...names]) as TransactionId;
}
