/** Bounds what is read for events of a gateway. */
import { Dispute, Transaction } from '@counterfoil/core';
import { z } from 'zod';
import { boundedRead, type ReadBounds } from './bounded-read.ts';
import { codeOf, gatewayNote } from './gateway-answers.ts';
import type { EventPage, GatewayEvents, GatewayFinding } from './gateway-events.ts';
import type { PaymentGateway } from './payment-gateway.ts';

const MAX_CHARACTERS = 255;

const text = z.string().max(MAX_CHARACTERS);
const instant = z.iso.datetime({ precision: 3 });

const GatewayEventAnswer = z.object({ id: text.min(1), subject: text, at: instant });

const page: z.ZodType<EventPage> = z.object({
  events: z.array(GatewayEventAnswer),
  next: text.optional(),
}) as never;

const payment = { paymentId: text.min(1), note: gatewayNote };
const dispute = {
  ...payment,
  gatewayTransactionId: text,
  reference: text.min(1),
  amountMinor: z.bigint().positive(),
  currency: z.string().length(3),
  openedAt: instant,
};
const finding: z.ZodType<GatewayFinding> = z.discriminatedUnion('kind', [
  z.object({ ...payment, kind: z.literal('refund-failed'), refundId: text.min(1) }),
  z.object({
    ...dispute,
    kind: z.literal('chargeback'),
    status: z.enum(Dispute.REPORTED.chargeback),
    reasonCode: text,
    respondBy: instant.nullable(),
  }),
  z.object({
    ...dispute,
    kind: z.literal('alert'),
    status: z.enum(Dispute.REPORTED.alert),
    source: codeOf(Transaction.ALERT_SOURCE),
    alertType: codeOf(Transaction.ALERT_TYPE),
  }),
]) as never;

/** The events of a gateway that has them. */
export function boundedEvents(
  gateway: PaymentGateway,
  bounds: ReadBounds,
): GatewayEvents | undefined {
  const { events } = gateway;
  if (events === undefined) return undefined;
  const read = boundedRead(gateway, 'events', bounds);
  return {
    name: events.name,
    scopeOf: (context) => events.scopeOf(context),
    isSigned: (message, context) => events.isSigned(message, context),
    eventOf: (body) => GatewayEventAnswer.optional().catch(undefined).parse(events.eventOf(body)),
    findingOf: (subject, context) =>
      read(finding.optional(), context, (signal) => events.findingOf(subject, context, signal)),
    list: (from, context) => read(page, context, (signal) => events.list(from, context, signal)),
  };
}
