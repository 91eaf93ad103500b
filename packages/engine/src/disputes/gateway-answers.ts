/** Gives the gateway of a payment the answers to its disputes: evidence with files, or that the money is given up. */
import {
  Dispute,
  DisputeEvidence,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import type { AnswerResult, GatewayDisputes } from '../gateways/gateway-disputes.ts';
import type { AccountContext } from '../gateways/payment-gateway.ts';
import { uuidV7 } from '../ids.ts';
import type { GatewayAccounts } from '../payments/index.ts';
import type { References } from '../tenants/index.ts';
import type { AboutDispute, Evidence } from './evidence.ts';

/** The customer was erased, or the store of evidence was lost. */
const NOT_THERE = 'the evidence is not there any more';

/** The gateways that take answers, by their ids; `provider` is how they report disputes. */
export type AnswerSources = ReadonlyMap<
  number,
  { readonly provider: string; readonly disputes: GatewayDisputes }
>;

export interface GatewayAnswerServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly gatewayAccounts: GatewayAccounts;
  readonly evidence: Evidence;
  readonly answerSources: AnswerSources;
}

/** A dispute at its gateway. */
interface Placed {
  readonly about: AboutDispute;
  readonly reference: string;
  readonly status: Transaction.Chargeback['status'];
  readonly disputes: GatewayDisputes;
  readonly context: AccountContext;
}

interface Addressed {
  readonly tenantId: TenantId;
  readonly disputeId: TransactionId;
}

export class GatewayAnswers {
  readonly #services: GatewayAnswerServices;

  constructor(services: GatewayAnswerServices) {
    this.#services = services;
  }

  /**
   * Sends what was not sent, once. Nothing for disputes that the gateway has not reported, and for gateways
   * that take no answers. Throws where the gateway cannot be asked: it has to be done again.
   */
  async send(dispute: Addressed): Promise<void> {
    const placed = await this.#placeOf(dispute);
    const answer = placed && (await this.#toSend(dispute, placed));
    if (placed === undefined || answer === undefined) return;
    const result =
      answer.answer === 'acceptance'
        ? await this.#accept(dispute, placed)
        : await this.#submit(dispute, placed, answer.submission);
    await this.#record(dispute, answer, result);
  }

  /** Ends an answer that could not be given. */
  async giveUp(dispute: Addressed, note: string): Promise<void> {
    const placed = await this.#placeOf(dispute);
    const answer = placed && (await this.#toSend(dispute, placed));
    if (answer !== undefined) await this.#record(dispute, answer, { result: 'refused', note });
  }

  async #placeOf({ tenantId, disputeId }: Addressed): Promise<Placed | undefined> {
    const { commands, answerSources, references, gatewayAccounts } = this.#services;
    const dispute = await commands.stateOf(Dispute, Dispute.streamOf({ tenantId, disputeId }));
    const transactionId = dispute?.transactionId ?? null;
    if (dispute === null || transactionId === null) return undefined;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await commands.stateOf(Transaction, stream);
    const own = payment?.chargebacks.find(({ chargebackId }) => chargebackId === disputeId);
    const route = payment === null ? undefined : Transaction.routeOf(payment);
    const source = route && answerSources.get(route.gatewayId);
    if (payment === null || own === undefined || source?.provider !== dispute.provider) {
      return undefined;
    }
    const { sandbox, currency, customerId } = payment;
    const { merchantAccountId } = route as NonNullable<typeof route>;
    const account = await references.merchantAccount(tenantId, merchantAccountId);
    if (account === null) return undefined;
    return {
      about: { tenantId, disputeId, subject: { tenantId, sandbox, customerId } },
      reference: dispute.reference,
      status: own.status,
      disputes: source.disputes,
      context: gatewayAccounts.contextOf(account, { sandbox, currency }),
    };
  }

  async #toSend(
    dispute: Addressed,
    { status }: Placed,
  ): Promise<DisputeEvidence.Answer | undefined> {
    const state = await this.#stateOf(dispute);
    const answer: DisputeEvidence.Answer =
      status === 'ChargebackAccepted'
        ? { answer: 'acceptance', submission: 0 }
        : { answer: 'evidence', submission: state.submissions };
    const isNone = answer.answer === 'evidence' && state.submittedAt === null;
    return isNone || DisputeEvidence.sentOf(state, answer) !== undefined ? undefined : answer;
  }

  #accept({ disputeId }: Addressed, { disputes, reference, context }: Placed) {
    const idempotencyKey = `${disputeId}/acceptance`;
    return disputes.accept({ reference, idempotencyKey }, context);
  }

  async #submit(
    { disputeId }: Addressed,
    { about, disputes, reference, context }: Placed,
    submission: number,
  ): Promise<AnswerResult> {
    const { evidence } = this.#services;
    const handedIn = await evidence.handedIn(about);
    if (handedIn === undefined) return refusal(NOT_THERE);
    const { fields, files } = handedIn;
    const refused = disputes.refusalOf({ fields, files });
    if (refused !== undefined) return refusal(refused);
    const kept = [];
    for (const { digest, name, mediaType } of files) {
      const found = await evidence.content(about, digest);
      if (found === undefined) return refusal(NOT_THERE);
      const file = { name, mediaType, content: found.content };
      const idempotencyKey = `${disputeId}/${digest}`;
      const fileId = await disputes.keepFile({ ...file, idempotencyKey }, context);
      if (fileId === undefined) return refusal(`the gateway takes no such file as ${digest}`);
      kept.push({ digest, name, mediaType, fileId });
    }
    const idempotencyKey = `${disputeId}/evidence/${submission}`;
    return disputes.submitEvidence({ reference, idempotencyKey, fields, files: kept }, context);
  }

  async #record(
    dispute: Addressed,
    answer: DisputeEvidence.Answer,
    { result, note }: AnswerResult,
  ): Promise<void> {
    const { commands } = this.#services;
    const at = commands.clock.now();
    const sent = { ...dispute, ...answer, result, note, at };
    const name = { commandId: uuidV7() };
    await commands.execute(DisputeEvidence, { type: 'RecordAnswerSent', ...sent }, name, SYSTEM);
  }

  #stateOf(dispute: Addressed): Promise<DisputeEvidence.State> {
    return this.#services.commands.stateOf(DisputeEvidence, DisputeEvidence.streamOf(dispute));
  }
}

function refusal(note: string): AnswerResult {
  return { result: 'refused', note };
}
