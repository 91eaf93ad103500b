/** Bounds what is read for events of a gateway: a timeout, and the form of the answers. */
import { Dispute, Transaction } from '@counterfoil/core';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { refused } from '../refusal.ts';
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

export interface EventBounds {
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'error'>;
}

/** The events of a gateway that has them. Whatever fails is refused with `GatewayFailed`: nothing was moved. */
export function boundedEvents(
  { gatewayId, events }: PaymentGateway,
  { timeoutMs, logger }: EventBounds,
): GatewayEvents | undefined {
  if (events === undefined) return undefined;

  async function read<Answer>(
    schema: z.ZodType<Answer>,
    call: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<Answer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const timeout = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return schema.parse(await Promise.race([call(signal), timeout]));
    } catch (error) {
      logger.error({ err: error, gatewayId }, 'events of the gateway could not be read');
      throw refused({ type: 'GatewayFailed', gatewayId });
    }
  }

  return {
    name: events.name,
    scopeOf: (context) => events.scopeOf(context),
    isSigned: (message, context) => events.isSigned(message, context),
    eventOf: (body) => GatewayEventAnswer.optional().catch(undefined).parse(events.eventOf(body)),
    findingOf: (subject, context) =>
      read(finding.optional(), (signal) => events.findingOf(subject, context, signal)),
    list: (from, context) => read(page, (signal) => events.list(from, context, signal)),
  };
}
