/** From a durable intent to a durable outcome: the only place that calls a gateway to move money. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { type Caller, SYSTEM } from '../command-runner.ts';
import { refused } from '../refusal.ts';
import { KeyedMutex, type Mutex } from '../runtime/keyed-mutex.ts';
import { Charge, type ChargeRun } from './charge.ts';
import { type FollowUpRun, FollowUps } from './follow-ups.ts';
import type { GatewayServices, NotFound, Payment } from './payment-at-gateway.ts';

export interface GatewayReactorOptions extends GatewayServices {
  /** Where several hosts may be at work on one payment; within this process when absent. */
  readonly mutex?: Mutex | undefined;
}

export class GatewayReactor {
  readonly #services: GatewayServices;
  readonly #mutex: Mutex;

  constructor({ mutex = new KeyedMutex(), ...services }: GatewayReactorOptions) {
    this.#services = services;
    this.#mutex = mutex;
  }

  /** Sees the attempt that is under way through to its outcome, on other accounts where that is allowed. */
  charge(tenantId: TenantId, id: TransactionId, run: ChargeRun): Promise<Payment> {
    return this.#inTurn(tenantId, id, async (payment) => {
      const lost = payment.status === 'Unknown' || run.sentBefore === true;
      const resolved = lost ? await this.#charge(tenantId, payment).resolve('unknown') : payment;
      return this.#charge(tenantId, resolved, run).conclude();
    });
  }

  /** Asks the gateway to go on after the customer's part is done. */
  confirm(tenantId: TenantId, id: TransactionId, caller: Caller): Promise<Payment> {
    return this.#inTurn(tenantId, id, async (payment) =>
      payment.status === 'Processing'
        ? this.#charge(tenantId, payment, { caller }).confirm()
        : payment,
    );
  }

  /** Finds out what became of a charge whose answer was lost. */
  resolveCharge(
    tenantId: TenantId,
    id: TransactionId,
    { notFound }: { readonly notFound: NotFound },
  ): Promise<Payment> {
    return this.#inTurn(tenantId, id, (payment) =>
      this.#charge(tenantId, payment).resolve(notFound),
    );
  }

  capture(tenantId: TenantId, id: TransactionId, run: FollowUpRun): Promise<Payment> {
    return this.#inTurn(tenantId, id, (payment) =>
      new FollowUps(this.#services, { tenantId, payment, run }).capture(),
    );
  }

  void(tenantId: TenantId, id: TransactionId, run: FollowUpRun): Promise<Payment> {
    return this.#inTurn(tenantId, id, (payment) =>
      new FollowUps(this.#services, { tenantId, payment, run }).void(),
    );
  }

  refund(
    tenantId: TenantId,
    id: TransactionId,
    refundId: TransactionId,
    run: FollowUpRun,
  ): Promise<Transaction.Refund> {
    return this.#inTurn(
      tenantId,
      id,
      (payment) => new FollowUps(this.#services, { tenantId, payment, run }).refund(refundId),
      refundId,
    );
  }

  #charge(tenantId: TenantId, payment: Payment, run: ChargeRun = { caller: SYSTEM }): Charge {
    return new Charge(this.#services, { tenantId, payment, run });
  }

  /**
   * Per-payment mutex, on the state that the one before has left: else a sweeper could find that the
   * gateway never received a charge while a caller's repetition is sending it. Each refund has a mutex
   * of its own: its amount is reserved, and a slow one holds up no other.
   */
  #inTurn<Result>(
    tenantId: TenantId,
    transactionId: TransactionId,
    work: (payment: Payment) => Promise<Result>,
    refundId?: TransactionId,
  ): Promise<Result> {
    const name = `payment ${tenantId}/${transactionId}`;
    return this.#mutex.runExclusive(
      refundId === undefined ? name : `${name}/refund/${refundId}`,
      async () => {
        const stream = Transaction.streamOf({ tenantId, transactionId });
        const payment = await this.#services.commands.stateOf(Transaction, stream);
        if (payment === null) throw refused({ type: 'TransactionUnknown' });
        return work(payment);
      },
    );
  }
}
