/** What is done about disputes: accept, represent, refund, decline. */
import {
  type Subject,
  type TenantId,
  Transaction,
  type TransactionId,
  toDecimal,
} from '@counterfoil/core';
import type { DisputeRecord, DisputeView } from '@counterfoil/projections';
import type { Acting } from '../acting.ts';
import type { CommandRunner } from '../command-runner.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import type { Payments } from '../payments/index.ts';
import { refused } from '../refusal.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { AboutDispute, Evidence } from './evidence.ts';

/** An alert is answered by one refund, whoever asks and how often. */
export function refundIdOfAlert(alertId: TransactionId): TransactionId {
  return deterministicUuid([alertId, 'refund']) as TransactionId;
}

export interface AnswerServices {
  readonly commands: CommandRunner;
  readonly payments: Payments;
  readonly evidence: Evidence;
  readonly queue: DisputeView;
  readonly readSide: ReadSide;
}

export interface Representment {
  readonly digests: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  readonly note: string;
}

/** A dispute with its payment. */
interface Found {
  readonly disputeId: TransactionId;
  readonly payment: Transaction.Payment;
  readonly about: AboutDispute;
}

type Move = Omit<Transaction.CommandOf<'MoveChargeback'>, 'tenantId' | 'transactionId' | 'at'>;
type AlertMove = Omit<Transaction.CommandOf<'MoveAlert'>, 'tenantId' | 'transactionId' | 'at'>;

export class DisputeAnswers {
  readonly #services: AnswerServices;

  constructor(services: AnswerServices) {
    this.#services = services;
  }

  /** Refuses with `DisputeUnknown`. */
  async record({ tenantId, environment }: Acting, id: string): Promise<DisputeRecord> {
    const { queue, readSide } = this.#services;
    await readSide.caughtUp(tenantId);
    const record = await queue.dispute(tenantId, id);
    if (record !== undefined && (environment === 'live' || record.sandbox)) return record;
    throw refused({ type: 'DisputeUnknown' });
  }

  /** A chargeback: the money is given up. */
  async accept(acting: Acting, id: string, note: string): Promise<void> {
    const found = await this.find(acting, id);
    const { chargebackId } = this.#chargebackOf(found);
    await this.#move(acting, found, {
      type: 'MoveChargeback',
      chargebackId,
      to: 'ChargebackAccepted',
      note,
    });
  }

  /** An alert: the money is kept, and a chargeback may follow. */
  async decline(acting: Acting, id: string, note: string): Promise<void> {
    const found = await this.find(acting, id);
    const { alertId } = this.#alertOf(found);
    await this.#move(acting, found, { type: 'MoveAlert', alertId, to: 'AlertDeclined', note });
  }

  /** A chargeback: the evidence is handed in, and the bank decides. Of money given back twice, the refunds are evidence. */
  async represent(acting: Acting, id: string, given: Representment): Promise<void> {
    const found = await this.find(acting, id);
    const chargeback = this.#chargebackOf(found);
    const { status } = chargeback;
    if (status !== 'ChargebackOpen' && status !== 'ChargebackUnderReview') {
      throw refused({ type: 'WrongStatus', status, command: 'MoveChargeback' });
    }
    const fields = Transaction.exceedsCaptured(chargeback)
      ? { refunds: refundsOf(found.payment), ...given.fields }
      : given.fields;
    await this.#services.evidence.submit(found.about, { ...given, fields }, acting.caller);
    const { chargebackId } = chargeback;
    const to = 'ChargebackUnderReview';
    await this.#move(acting, found, { type: 'MoveChargeback', chargebackId, to, note: given.note });
  }

  /** An alert: the money is given back by the rule for all money that leaves. Resolved once it is paid. */
  async refund(acting: Acting, id: string, note: string): Promise<Transaction.Refund> {
    const found = await this.find(acting, id);
    const { payment } = found;
    const { alertId, source, amountMinor, status } = this.#alertOf(found);
    const refundId = refundIdOfAlert(alertId);
    const isRepeat = payment.refunds.some((each) => each.refundId === refundId);
    if (status !== 'AlertOpen' && !isRepeat) {
      throw refused({ type: 'WrongStatus', status, command: 'MoveAlert' });
    }
    const isAll = amountMinor === Transaction.remainingMinor(payment);
    const { tenantId, caller } = acting;
    const { transactionId } = payment;
    const refund = await this.#services.payments.refund(
      {
        tenantId,
        transactionId,
        refundId,
        content: [transactionId, alertId],
        // All that is left of an order needs no list of its items.
        ...(isAll || isRepeat ? {} : { amountMinor }),
        items: [],
        source: source === 'AlertProvider' || source === 'CDRN' ? source : 'Admin',
        notifyCustomer: false,
      },
      caller,
    );
    if (refund.status === 'Refunded' && status === 'AlertOpen') {
      await this.#move(acting, found, { type: 'MoveAlert', alertId, to: 'AlertResolved', note });
    }
    return refund;
  }

  /** Refuses with `DisputeUnknown` or `DisputeUnmatched`. */
  async find(acting: Acting, id: string): Promise<Found> {
    const { transactionId, status } = await this.record(acting, id);
    if (transactionId === null || status === 'Unmatched') {
      throw refused({ type: 'DisputeUnmatched' });
    }
    const { tenantId } = acting;
    const payment = await this.#services.payments.get(tenantId, transactionId as TransactionId);
    const { sandbox, customerId } = payment;
    const subject: Subject = { tenantId, sandbox, customerId };
    const disputeId = id as TransactionId;
    return { disputeId, payment, about: { tenantId, disputeId, subject } };
  }

  #chargebackOf({ payment, disputeId }: Found): Transaction.Chargeback {
    const own = payment.chargebacks.find(({ chargebackId }) => chargebackId === disputeId);
    if (own !== undefined) return own;
    throw refused({ type: 'ChargebackUnknown', chargebackId: disputeId });
  }

  #alertOf({ payment, disputeId }: Found): Transaction.Alert {
    const own = payment.alerts.find(({ alertId }) => alertId === disputeId);
    if (own !== undefined) return own;
    throw refused({ type: 'AlertUnknown', alertId: disputeId });
  }

  async #move(
    { tenantId, caller }: { readonly tenantId: TenantId; readonly caller: Acting['caller'] },
    { payment: { transactionId } }: Found,
    move: Move | AlertMove,
  ): Promise<void> {
    const { commands } = this.#services;
    const command = { ...move, tenantId, transactionId, at: commands.clock.now() };
    await commands.execute(Transaction, command, { commandId: uuidV7() }, caller);
  }
}

/** What was given back before the chargeback, as a text for the bank. */
function refundsOf({ refunds, currency }: Transaction.Payment): string {
  return refunds
    .filter(({ status }) => status === 'Refunded')
    .map(({ refundId, amountMinor, completedAt, arn }) => {
      const amount = `${toDecimal(amountMinor, currency)} ${currency}`;
      return `${completedAt ?? ''} ${amount} refund ${refundId} arn ${arn}`;
    })
    .join('; ');
}
