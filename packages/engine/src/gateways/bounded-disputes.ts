/** Bounds what is said to a gateway about disputes. */
import { z } from 'zod';
import { boundedRead, type ReadBounds } from './bounded-read.ts';
import { gatewayNote } from './gateway-answers.ts';
import type { AnswerResult, GatewayDisputes } from './gateway-disputes.ts';
import type { PaymentGateway } from './payment-gateway.ts';

const MAX_ID = 255;

const fileId = z.string().min(1).max(MAX_ID).optional();
const result: z.ZodType<AnswerResult> = z.object({
  result: z.enum(['taken', 'refused']),
  note: gatewayNote,
}) as never;

/** Of a gateway that takes answers. */
export function boundedDisputes(
  gateway: PaymentGateway,
  bounds: ReadBounds,
): GatewayDisputes | undefined {
  const { disputes } = gateway;
  if (disputes === undefined) return undefined;
  const read = boundedRead(gateway, 'answers to disputes', bounds);
  return {
    refusalOf(evidence) {
      const why = disputes.refusalOf(evidence);
      return why === undefined ? undefined : gatewayNote.parse(why);
    },
    keepFile: (file, context) =>
      read(fileId, context, (signal) => disputes.keepFile(file, context, signal)),
    submitEvidence: (request, context) =>
      read(result, context, (signal) => disputes.submitEvidence(request, context, signal)),
    accept: (request, context) =>
      read(result, context, (signal) => disputes.accept(request, context, signal)),
  };
}
