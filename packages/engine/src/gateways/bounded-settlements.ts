/** Bounds what is read of a gateway's payouts. */
import { currencyOf, Settlement } from '@counterfoil/core';
import { z } from 'zod';
import { boundedRead, type ReadBounds } from './bounded-read.ts';
import { gatewayNote } from './gateway-answers.ts';
import type { GatewaySettlements, PayoutLinePage, PayoutPage } from './gateway-settlements.ts';
import type { PaymentGateway } from './payment-gateway.ts';

/** As of the references of settlement files. */
const MAX_CHARACTERS = 128;

const text = z.string().max(MAX_CHARACTERS);
const minor = z.bigint();

const page: z.ZodType<PayoutPage> = z.object({
  payouts: z.array(
    z.object({
      id: text.min(1),
      madeAt: z.iso.datetime({ precision: 3 }),
      settledDate: z.iso.date(),
      status: z.enum(['waiting', 'listed', 'unlisted']),
      currency: text,
      amountMinor: minor.nullable(),
    }),
  ),
  next: text.optional(),
}) as never;

const part = { reference: text.min(1), netMinor: minor.nullable() };

const linePage: z.ZodType<PayoutLinePage> = z.object({
  lines: z.array(
    z.discriminatedUnion('type', [
      z.object({
        ...part,
        type: z.literal('movement'),
        kind: Settlement.Difference.shape.kind.unwrap(),
        paymentId: text,
        gatewayTransactionId: text,
        amountMinor: minor.positive(),
        currency: z.string().refine((code) => currencyOf(code) !== undefined),
        feeMinor: minor.nonnegative(),
      }),
      z.object({ ...part, type: z.literal('returned-payout') }),
      z.object({ ...part, type: z.literal('other'), detail: gatewayNote }),
    ]),
  ),
  next: text.optional(),
}) as never;

/** The payouts of a gateway that says them. */
export function boundedSettlements(
  gateway: PaymentGateway,
  bounds: ReadBounds,
): GatewaySettlements | undefined {
  const { settlements } = gateway;
  if (settlements === undefined) return undefined;
  const read = boundedRead(gateway, 'payouts', bounds);
  return {
    scopeOf: (context) => settlements.scopeOf(context),
    payouts: (from, context) =>
      read(page, context, (signal) => settlements.payouts(from, context, signal)),
    linesOf: (payoutId, from, context) =>
      read(linePage, context, (signal) => settlements.linesOf(payoutId, from, context, signal)),
  };
}
