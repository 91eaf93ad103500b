/** Answers to disputes at Stripe: evidence with files, and acceptance. */
import type {
  AccountContext,
  AnswerResult,
  EvidenceFileContent,
  EvidenceRequest,
  GatewayDisputes,
} from '@counterfoil/engine/gateways';
import type Stripe from 'stripe';
import type { AccountClients } from './account-clients.ts';
import { asked, isRefusal } from './client.ts';
import { evidenceOf, faultOf } from './evidence.ts';

/** In the metadata of a dispute: the key of the evidence that was submitted. Keys are forgotten after a day. */
const SUBMITTED = 'counterfoil_evidence';
const TAKEN: AnswerResult = { result: 'taken', note: '' };

export class StripeDisputes implements GatewayDisputes {
  readonly #clients: AccountClients;

  constructor(clients: AccountClients) {
    this.#clients = clients;
  }

  refusalOf(evidence: Parameters<GatewayDisputes['refusalOf']>[0]): string | undefined {
    return faultOf(evidence);
  }

  async keepFile(
    { name, mediaType: type, content, ...once }: EvidenceFileContent & { idempotencyKey: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const client = this.#clients.of(context);
    const file = { name, type, data: content };
    const { idempotencyKey } = once;
    const call = () =>
      client.files.create({ purpose: 'dispute_evidence', file }, { idempotencyKey });
    try {
      return (await asked(call, signal)).id;
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  async submitEvidence(
    { reference, idempotencyKey, ...given }: EvidenceRequest,
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<AnswerResult> {
    const client = this.#clients.of(context);
    return orRefused(async () => {
      const { metadata, status } = await asked(() => client.disputes.retrieve(reference), signal);
      if (metadata[SUBMITTED] === idempotencyKey) return TAKEN;
      if (!isOpen(status)) return refused(`the dispute is ${status} at Stripe`);
      const params = {
        evidence: evidenceOf(given),
        metadata: { [SUBMITTED]: idempotencyKey },
        submit: true,
      };
      await asked(() => client.disputes.update(reference, params, { idempotencyKey }), signal);
      return TAKEN;
    });
  }

  async accept(
    { reference, idempotencyKey }: { readonly reference: string; readonly idempotencyKey: string },
    context: AccountContext,
    signal?: AbortSignal,
  ): Promise<AnswerResult> {
    const client = this.#clients.of(context);
    return orRefused(async () => {
      const { status } = await asked(() => client.disputes.retrieve(reference), signal);
      // However it was lost: the money is given up.
      if (status === 'lost') return TAKEN;
      if (!isOpen(status)) return refused(`the dispute is ${status} at Stripe`);
      await asked(() => client.disputes.close(reference, {}, { idempotencyKey }), signal);
      return TAKEN;
    });
  }
}

function isOpen(status: Stripe.Dispute.Status): boolean {
  return status === 'needs_response' || status === 'warning_needs_response';
}

function refused(note: string): AnswerResult {
  return { result: 'refused', note };
}

/** Messages of Stripe may quote what was sent: the code and the parameter do not. */
async function orRefused(act: () => Promise<AnswerResult>): Promise<AnswerResult> {
  try {
    return await act();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { code = 'invalid_request', param = '' } = error;
    return refused(`Stripe refused it: ${code} ${param}`.trim());
  }
}
