/** Takes in what providers report, finds the payment, and brings its books to what was reported. */
import { Dispute, type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { type Caller, type CommandRunner, SYSTEM } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { Refused, refused } from '../refusal.ts';
import { isPermanent } from '../runtime/log-follower.ts';
import type { References } from '../tenants/index.ts';
import type { Transactions } from '../transactions/index.ts';
import { findPayment, mayBeDisputed } from './find-payment.ts';

export interface DisputeReport {
  readonly claim: Dispute.Claim;
  readonly places: Dispute.Places;
  readonly status: Dispute.ReportedStatus;
  readonly note: string;
}

/** What has become of a report. */
export interface Reported {
  readonly disputeId: TransactionId;
  /** `unmatched`: it is kept, and no payment that can be disputed matches it yet. */
  readonly status: 'matched' | 'unmatched';
  readonly transactionId: TransactionId | null;
  /** In the books; null while it is in none. */
  readonly disputeStatus: Dispute.ReportedStatus | null;
}

export interface IntakeServices {
  readonly commands: CommandRunner;
  readonly transactions: Transactions;
  readonly references: Pick<References, 'answerDaysOf'>;
  readonly logger: Logger;
}

type Chargeback = Transaction.Chargeback['status'];
type Alert = Transaction.Alert['status'];
type Addressed = Pick<Transaction.Command, 'tenantId' | 'transactionId' | 'at'>;

export class DisputeIntake {
  readonly #services: IntakeServices;

  constructor(services: IntakeServices) {
    this.#services = services;
  }

  /** Refuses with `DisputeDiffers` where the reference was reported with another amount. */
  async report(tenantId: TenantId, report: DisputeReport, caller: Caller): Promise<Reported> {
    const disputeId = disputeIdOf(tenantId, report.claim);
    await this.#execute({ type: 'ReportDispute', tenantId, disputeId, ...report }, caller);
    return this.settle(tenantId, disputeId, caller);
  }

  /**
   * Matches a report by hand. Refuses with `TransactionUnknown`, with `InputInvalid` where the payment is in
   * another currency, and with `WrongStatus` of the payment.
   */
  async match(
    tenantId: TenantId,
    { disputeId, transactionId }: { disputeId: TransactionId; transactionId: TransactionId },
    caller: Caller,
  ): Promise<Reported> {
    const dispute = await this.#dispute(tenantId, disputeId);
    if (dispute === null) throw refused({ type: 'DisputeUnknown' });
    const payment = await this.#payment(tenantId, transactionId);
    if (payment === null || payment.sandbox !== dispute.sandbox) {
      throw refused({ type: 'TransactionUnknown' });
    }
    if (payment.currency !== dispute.currency) {
      const detail = `must be a payment in ${dispute.currency}`;
      throw refused({ type: 'InputInvalid', faults: [{ path: 'transactionId', detail }] });
    }
    if (!mayBeDisputed(payment, dispute)) {
      const command = dispute.kind === 'chargeback' ? 'OpenChargeback' : 'ReceiveAlert';
      throw refused({ type: 'WrongStatus', status: payment.status, command });
    }
    await this.#match({ tenantId, disputeId }, { transactionId, matchedBy: 'hand' }, caller);
    return this.settle(tenantId, disputeId, caller);
  }

  /** Finds the payment of a report, unless it is known, and brings the books to it. Idempotent. */
  async settle(tenantId: TenantId, disputeId: TransactionId, caller: Caller): Promise<Reported> {
    let dispute = await this.#dispute(tenantId, disputeId);
    if (dispute === null) throw refused({ type: 'DisputeUnknown' });
    if (dispute.transactionId === null) {
      const found = await findPayment(this.#services, tenantId, dispute);
      if (found !== undefined) {
        dispute = await this.#match({ tenantId, disputeId }, found, caller);
      }
    }
    const { transactionId } = dispute;
    if (transactionId === null) {
      return { disputeId, status: 'unmatched', transactionId, disputeStatus: null };
    }
    const disputeStatus = await this.#apply(tenantId, { ...dispute, transactionId }, caller);
    const status = disputeStatus === null ? 'unmatched' : 'matched';
    return { disputeId, status, transactionId, disputeStatus };
  }

  async #apply(
    tenantId: TenantId,
    dispute: Dispute.Dispute & { transactionId: TransactionId },
    caller: Caller,
  ): Promise<Dispute.ReportedStatus | null> {
    const { transactionId, disputeId } = dispute;
    const addressed = () => ({ tenantId, transactionId, at: this.#services.commands.clock.now() });
    try {
      if (dispute.kind === 'chargeback') await this.#chargeback(addressed, dispute, caller);
      else await this.#alert(addressed, dispute, caller);
    } catch (error) {
      // The payment was voided meanwhile, or another report has ended the dispute: it stays in the queue.
      if (!isPermanent(error)) throw error;
      const code = error instanceof Refused ? error.code : 'DamagedEvent';
      this.#services.logger.warn({ disputeId, code }, 'a dispute could not be booked as reported');
    }
    const payment = await this.#payment(tenantId, transactionId);
    const children = [...(payment?.chargebacks ?? []), ...(payment?.alerts ?? [])];
    return children.find((child) => idOf(child) === disputeId)?.status ?? null;
  }

  async #chargeback(
    addressed: () => Addressed,
    dispute: Dispute.Dispute,
    caller: Caller,
  ): Promise<void> {
    const { disputeId: chargebackId, provider, reference, reasonCode, places, note } = dispute;
    const { amountMinor, openedAt, respondBy } = dispute;
    const { tenantId, ...opened } = addressed();
    const payment = await this.#onPayment(
      {
        type: 'OpenChargeback',
        tenantId,
        ...opened,
        chargebackId,
        provider,
        reference,
        amountMinor,
        reasonCode,
        arn: places.arn,
        openedAt,
        ...(respondBy !== null && { respondBy }),
        answerDays: await this.#services.references.answerDaysOf(tenantId),
        note,
      },
      caller,
    );
    const own = payment.chargebacks.find((each) => each.chargebackId === chargebackId);
    if (own === undefined) return;
    for (const to of stepsTo(own.status, Dispute.statusOf(dispute) as Chargeback)) {
      await this.#onPayment(
        { type: 'MoveChargeback', ...addressed(), chargebackId, to, note },
        caller,
      );
    }
  }

  async #alert(
    addressed: () => Addressed,
    dispute: Dispute.Dispute,
    caller: Caller,
  ): Promise<void> {
    const { disputeId: alertId, provider, reference, places, note, amountMinor } = dispute;
    const { alertSource: source, alertType, openedAt: sentAt } = dispute;
    if (source === null || alertType === null) return;
    const { arn } = places;
    const alert = { alertId, provider, reference, source, alertType, amountMinor, arn, sentAt };
    const payment = await this.#onPayment(
      { type: 'ReceiveAlert', ...addressed(), ...alert, note },
      caller,
    );
    const own = payment.alerts.find((each) => each.alertId === alertId);
    const to = Dispute.statusOf(dispute) as Alert;
    if (own === undefined || own.status !== 'AlertOpen' || to === 'AlertOpen') return;
    if (source === 'RDR' && to === 'AlertResolved') {
      // The network has moved the money: it is recorded, and no gateway is asked for it.
      const refundId = deterministicUuid([alertId, 'rdr']) as TransactionId;
      const credit = { refundId, alertId, amountMinor, arn, note };
      await this.#onPayment({ type: 'RecordNetworkRefund', ...addressed(), ...credit }, caller);
    }
    await this.#onPayment({ type: 'MoveAlert', ...addressed(), alertId, to, note }, caller);
  }

  async #onPayment(command: Transaction.Command, caller: Caller): Promise<Transaction.Payment> {
    const { commands } = this.#services;
    // What was done before makes no events, so that no two deliveries need one id.
    const { state } = await commands.execute(Transaction, command, { commandId: uuidV7() }, caller);
    if (state === null) throw new Error(`${command.type} left no payment`);
    return state;
  }

  async #match(
    addressed: { readonly tenantId: TenantId; readonly disputeId: TransactionId },
    found: { readonly transactionId: TransactionId; readonly matchedBy: Dispute.MatchedBy },
    caller: Caller,
  ): Promise<Dispute.Dispute> {
    const state = await this.#execute({ type: 'MatchDispute', ...addressed, ...found }, caller);
    if (state === null) throw new Error('no dispute was matched');
    return state;
  }

  async #execute(command: WithoutTime<Dispute.Command>, caller: Caller): Promise<Dispute.State> {
    const { commands } = this.#services;
    const at = commands.clock.now();
    const name = { commandId: uuidV7() };
    return (await commands.execute(Dispute, { ...command, at }, name, caller)).state;
  }

  #dispute(tenantId: TenantId, disputeId: TransactionId): Promise<Dispute.State> {
    return this.#services.commands.stateOf(Dispute, Dispute.streamOf({ tenantId, disputeId }));
  }

  #payment(tenantId: TenantId, transactionId: TransactionId): Promise<Transaction.State> {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    return this.#services.commands.stateOf(Transaction, stream);
  }

  /** After a crash, and for what waits for its payment. Logs what can never succeed. */
  async settleLater(tenantId: TenantId, disputeId: TransactionId): Promise<void> {
    try {
      await this.settle(tenantId, disputeId, SYSTEM);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      this.#services.logger.warn({ err: error, disputeId }, 'a dispute could not be settled');
    }
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

/** The same report always has the same id, whoever delivers it and how often. */
function disputeIdOf(
  tenantId: TenantId,
  { sandbox, kind, provider, reference }: Dispute.Claim,
): TransactionId {
  const parts = [String(tenantId), sandbox ? 'sandbox' : 'live', kind, provider, reference];
  return deterministicUuid(parts) as TransactionId;
}

function idOf(child: Transaction.Chargeback | Transaction.Alert): TransactionId {
  return 'chargebackId' in child ? child.chargebackId : child.alertId;
}

/**
 * The statuses between that of the books and that of the reports. A status that the books cannot reach
 * becomes the one that moves the same money: withdrawn under review is won, accepted is lost.
 */
function stepsTo(
  from: Chargeback,
  to: Chargeback,
): readonly Exclude<Chargeback, 'ChargebackOpen'>[] {
  if (to === 'ChargebackOpen' || to === from) return [];
  if (from === 'ChargebackOpen') {
    return to === 'ChargebackWon' ? ['ChargebackUnderReview', to] : [to];
  }
  if (from !== 'ChargebackUnderReview') return [];
  if (to === 'ChargebackWithdrawn') return ['ChargebackWon'];
  return [to === 'ChargebackAccepted' ? 'ChargebackLost' : to];
}
