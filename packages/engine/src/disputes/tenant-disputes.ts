/** The disputes of one tenant, for one caller. */
import type { Dispute, TransactionId } from '@counterfoil/core';
import type { DisputeRecord, MitigationRecord } from '@counterfoil/projections';
import { type Acting, sandboxOf } from '../acting.ts';
import { minorOf } from '../input/amounts.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { named, type RecordedCalls, type SubjectOf } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import { queryOf, type Search, SearchInput } from '../transactions/index.ts';
import type { Disputes } from './disputes.ts';
import {
  AlertReport,
  ChargebackReport,
  DisputeId,
  DisputeList,
  DisputeMatch,
  DisputeNote,
  EvidenceInput,
  isNarrow,
  MitigationSearch,
  Provider,
  ProviderSecret,
  RepresentmentInput,
} from './disputes-input.ts';
import type { Evidence, EvidenceFile, EvidenceShown } from './evidence.ts';
import type { Reported } from './intake.ts';

const DEFAULT_LIMIT = 25;
/** What a provider's clock and time zone may be ahead. */
const AHEAD_MS = 86_400_000;
const IN_FUTURE = [{ path: 'openedAt', detail: 'must not be in the future' }];

/** The statuses that something is to be done about, or waited for. */
const WAITING = ['Unmatched', 'ChargebackOpen', 'ChargebackUnderReview', 'AlertOpen'] as const;

const NO_EVIDENCE: EvidenceShown = {
  files: [],
  fields: {},
  submittedAt: null,
  submittedDigests: [],
  sent: [],
};

export interface DisputeShown {
  readonly dispute: DisputeRecord;
  readonly evidence: EvidenceShown;
}

export class TenantDisputes {
  readonly #disputes: Disputes;
  readonly #acting: Acting;

  constructor(disputes: Disputes, acting: Acting) {
    this.#disputes = disputes;
    this.#acting = acting;
  }

  /**
   * Records a chargeback in the status that its provider reports. The same reference again changes
   * nothing; a later status may come before an earlier one. Without a payment it is kept, and matched
   * once there is one.
   */
  async reportChargeback(report: ChargebackReport): Promise<Reported> {
    const { reasonCode = '', respondBy = null, status = 'ChargebackOpen' } = report;
    const more = { reasonCode, respondBy, alertType: null, alertSource: null };
    return this.#report('chargeback', report, { ...more, status });
  }

  /** The same for an alert. RDR has moved the money already: no gateway is asked for it. */
  async reportAlert(report: AlertReport): Promise<Reported> {
    const { source: alertSource, type: alertType } = report;
    const { status = alertSource === 'RDR' ? 'AlertResolved' : 'AlertOpen' } = report;
    const more = { reasonCode: '', respondBy: null, alertType, alertSource };
    return this.#report('alert', report, { ...more, status });
  }

  async #report(
    kind: Dispute.Claim['kind'],
    report: ChargebackReport | AlertReport,
    {
      status,
      ...more
    }: Pick<Dispute.Claim, 'reasonCode' | 'respondBy' | 'alertType' | 'alertSource'> & {
      readonly status: Dispute.ReportedStatus;
    },
  ): Promise<Reported> {
    const { tenantId, caller } = this.#acting;
    const { provider, reference, currency, amount, transactionId, orderId = null } = report;
    const now = this.#disputes.now();
    const { gatewayTransactionId = '', arn = '', openedAt = now, note = '', sandbox } = report;
    if (Date.parse(openedAt) > Date.parse(now) + AHEAD_MS) {
      throw refused({ type: 'InputInvalid', faults: IN_FUTURE });
    }
    const amountMinor = minorOf(amount, currency, 'amount');
    if (amountMinor <= 0n) throw refused({ type: 'AmountNotPositive', amountMinor, currency });
    const claim: Dispute.Claim = {
      kind,
      provider,
      reference,
      sandbox: sandboxOf(this.#acting, sandbox),
      currency,
      amountMinor,
      openedAt,
      ...more,
    };
    const places: Dispute.Places = {
      transactionId: (transactionId as TransactionId | undefined) ?? null,
      gatewayTransactionId,
      arn,
      orderId,
    };
    return this.#disputes.intake.report(tenantId, { claim, places, status, note }, caller);
  }

  /** A page of the queue: chargebacks that exceed the capture first, then the nearest deadline. */
  async list(list: DisputeList = {}): ReturnType<Disputes['list']> {
    const { sandbox, statuses = WAITING, limit = DEFAULT_LIMIT, ...more } = list;
    return this.#disputes.list({
      tenantId: this.#acting.tenantId,
      sandbox: sandboxOf(this.#acting, sandbox),
      statuses,
      limit,
      ...definedOf(more),
    });
  }

  /** A dispute with its evidence. Refuses with `DisputeUnknown`. */
  async get(id: string): Promise<DisputeShown> {
    const dispute = await this.#disputes.answers.record(this.#acting, id);
    if (dispute.status === 'Unmatched') return { dispute, evidence: NO_EVIDENCE };
    const { about } = await this.#disputes.answers.find(this.#acting, id);
    return { dispute, evidence: await this.#disputes.evidence.of(about) };
  }

  /** Gives up the money of a chargeback. Its gateway is told, where it takes answers: see `evidence.sent`. */
  async accept(id: string, { note = '' }: DisputeNote = {}): Promise<DisputeRecord> {
    await this.#disputes.answers.accept(this.#acting, id, note);
    return this.#disputes.answers.record(this.#acting, id);
  }

  /**
   * Hands in evidence against a chargeback: fields, and files that were kept before. Its gateway is given
   * them, where it takes answers: see `evidence.sent`; what it refused may be handed in again.
   */
  async represent(id: string, given: RepresentmentInput = {}): Promise<DisputeRecord> {
    const { fields = {}, note = '' } = given;
    const { evidence } = await this.get(id);
    const { digests = evidence.files.map(({ digest }) => digest) } = given;
    await this.#disputes.answers.represent(this.#acting, id, { digests, fields, note });
    return this.#disputes.answers.record(this.#acting, id);
  }

  /** Answers an alert by a refund of its amount; it is resolved once that is paid. */
  async refund(id: string, { note = '' }: DisputeNote = {}): Promise<DisputeRecord> {
    await this.#disputes.answers.refund(this.#acting, id, note);
    return this.#disputes.answers.record(this.#acting, id);
  }

  /** Answers an alert by keeping the money. */
  async decline(id: string, { note = '' }: DisputeNote = {}): Promise<DisputeRecord> {
    await this.#disputes.answers.decline(this.#acting, id, note);
    return this.#disputes.answers.record(this.#acting, id);
  }

  /** Matches a report by hand with a payment that can be disputed. */
  async match(id: string, { transactionId }: DisputeMatch): Promise<Reported> {
    const { tenantId, caller } = this.#acting;
    await this.#disputes.answers.record(this.#acting, id);
    const ids = {
      disputeId: id as TransactionId,
      transactionId: transactionId as TransactionId,
    };
    return this.#disputes.intake.match(tenantId, ids, caller);
  }

  /** Keeps a file to represent the chargeback with: PDF, PNG, JPEG, TIFF or plain text, 5 MiB at most. */
  async keepEvidence(id: string, file: EvidenceInput): Promise<EvidenceFile> {
    const { about } = await this.#disputes.answers.find(this.#acting, id);
    return this.#disputes.evidence.keep(about, file, this.#acting.caller);
  }

  /** Undefined where no such file was kept, or its customer is erased. */
  async evidence(id: string, digest: string): ReturnType<Evidence['content']> {
    const { about } = await this.#disputes.answers.find(this.#acting, id);
    return this.#disputes.evidence.content(about, digest);
  }

  /** Sets the secret that a provider signs with, a new one by default; the one before is good for a day. */
  async setProviderSecret(
    given: ProviderSecret,
  ): Promise<{ readonly provider: string; readonly secret: string }> {
    const { tenantId, caller } = this.#acting;
    const { provider: source, ...more } = given;
    const { webhookEndpoints } = this.#disputes;
    const secret = await webhookEndpoints.setSecretOf(tenantId, { source, ...more }, caller);
    return { provider: source, secret };
  }

  /** What the provider signs is refused from now on. */
  async removeProvider(provider: string): Promise<void> {
    const { tenantId, caller } = this.#acting;
    await this.#disputes.webhookEndpoints.removeSource(tenantId, provider, caller);
  }

  /** A page of the transactions search with fewer fields. Refuses with `PageOutOfReach`. */
  async transactions(search: Search = {}): ReturnType<Disputes['transactions']> {
    return this.#disputes.transactions(queryOf(this.#acting, search));
  }

  /** The newest matches, 100 at most. Refuses with `SearchTooBroad`. */
  async search(search: MitigationSearch): Promise<readonly MitigationRecord[]> {
    if (!isNarrow(search)) throw refused({ type: 'SearchTooBroad' });
    const { email, orderId, authCode, arn, amount, currencyCode, descriptorExactMatch, ...same } =
      search;
    return this.#disputes.search(
      queryOf(this.#acting, {
        ...definedOf(same),
        ...definedOf({ currency: currencyCode, descriptor: descriptorExactMatch }),
        emails: listOf(email),
        orderIds: listOf(orderId),
        authCodes: listOf(authCode),
        arns: listOf(arn),
        amounts: listOf(amount),
      }),
    );
  }
}

/** Without a value, no filter. */
function listOf<Value>(value: Value | undefined): Value[] {
  return value === undefined || value === '' ? [] : [value];
}

export const DISPUTE_INPUTS: CallInputs<TenantDisputes> = {
  transactions: [SearchInput.optional()],
  search: [MitigationSearch],
  list: [DisputeList.optional()],
  get: [DisputeId],
  accept: [DisputeId, DisputeNote.optional()],
  represent: [DisputeId, RepresentmentInput.optional()],
  refund: [DisputeId, DisputeNote.optional()],
  decline: [DisputeId, DisputeNote.optional()],
  match: [DisputeId, DisputeMatch],
  keepEvidence: [DisputeId, EvidenceInput],
  evidence: [DisputeId, DisputeId],
  reportChargeback: [ChargebackReport],
  reportAlert: [AlertReport],
  setProviderSecret: [ProviderSecret],
  removeProvider: [Provider],
};

const reported: SubjectOf = (_, report) => (report as Reported | undefined)?.disputeId;

export const DISPUTE_CALLS: RecordedCalls<TenantDisputes> = {
  accept: named,
  represent: named,
  refund: named,
  decline: named,
  match: named,
  keepEvidence: named,
  evidence: named,
  reportChargeback: reported,
  reportAlert: reported,
  setProviderSecret: ([given]) => (given as ProviderSecret).provider,
  removeProvider: named,
};
