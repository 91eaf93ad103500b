/** Executes durable intents at the gateway and records their outcomes. Only this class moves money. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { type Caller, SYSTEM } from '../command-runner.ts';
import { refused } from '../refusal.ts';
import { KeyedMutex, type Mutex } from '../runtime/keyed-mutex.ts';
import { Charge, type ChargeRun } from './charge.ts';
import { type FollowUpRun, FollowUps } from './follow-ups.ts';
import type { GatewayServices, NotFound, Payment } from './payment-at-gateway.ts';

export interface GatewayReactorOptions extends GatewayServices {
  /** Shared by several hosts. Default: within this process. */
  readonly mutex?: Mutex | undefined;
}

export class GatewayReactor {
  readonly #services: GatewayServices;
  readonly #mutex: Mutex;

  constructor({ mutex = new KeyedMutex(), ...services }: GatewayReactorOptions) {
    this.#services = services;
    this.#mutex = mutex;
  }

  /** Brings the current attempt to its outcome, on other accounts where allowed. */
  charge(tenantId: TenantId, id: TransactionId, run: ChargeRun): Promise<Payment> {
    return this.#inTurn(tenantId, id, async (payment) => {
      const lost = payment.status === 'Unknown' || run.sentBefore === true;
      const resolved = lost ? await this.#charge(tenantId, payment).resolve('unknown') : payment;
      return this.#charge(tenantId, resolved, run).conclude();
    });
  }

  /** Continues the charge after the customer's action. */
  confirm(tenantId: TenantId, id: TransactionId, caller: Caller): Promise<Payment> {
    return this.#inTurn(tenantId, id, async (payment) =>
      payment.status === 'Processing'
        ? this.#charge(tenantId, payment, { caller }).confirm()
        : payment,
    );
  }

  /** Queries the outcome of a charge whose answer was lost. */
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
   * Per-payment mutex; reads the state after acquiring it. Without it a sweeper could conclude that the
   * gateway never received a charge while a caller's retry is sending it. Each refund has its own mutex:
   * its amount is reserved, and a slow one does not delay the others.
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
