/** A payment at its gateway: the current state, the account, and the recording of outcomes. */
import { type TenantId, Transaction } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { GatewayTimeout, type PaymentGateway } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { deterministicUuid } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';
import { refused } from '../refusal.ts';
import type { References } from '../tenants/index.ts';
import type { GatewayAccounts } from './gateway-accounts.ts';
import type { MonthlyCaps } from './monthly-caps.ts';
import type { PolicyReactor } from './policies.ts';

export type Payment = Transaction.Payment;

export interface GatewayServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly caps: MonthlyCaps;
  readonly policies: Pick<PolicyReactor, 'execute'>;
  readonly gateways: GatewayRegistry;
  readonly gatewayAccounts: GatewayAccounts;
  readonly vault: CredentialVault;
  readonly logger: Logger;
  /** Where browsers go after an action of the customer. */
  readonly returnUrl?: string | undefined;
}

/** The caller and mode of a run. */
export interface Run {
  readonly caller: Caller;
  /** The request may have been sent before: query its outcome before sending it again. */
  readonly sentBefore?: boolean;
  /** Business time of the outcome; now when absent. */
  readonly at?: string | undefined;
}

/** `unknown` while a request may still be in transit. */
export type NotFound = 'unknown' | 'failed';

export interface AtGateway<Each extends Run> {
  readonly tenantId: TenantId;
  readonly payment: Payment;
  readonly run: Each;
}

type WithoutAddress<Command> = Command extends unknown
  ? Omit<Command, 'tenantId' | 'transactionId' | 'at'>
  : never;

/** The gateway gave no answer, or none that can be used: the outcome must be queried. */
export const NO_ANSWER = Symbol('no answer');

export class PaymentAtGateway<Each extends Run = Run> {
  readonly services: GatewayServices;
  readonly tenantId: TenantId;
  readonly run: Each;
  /** The state after the last recorded event. */
  payment: Payment;

  constructor(services: GatewayServices, { tenantId, payment, run }: AtGateway<Each>) {
    this.services = services;
    this.tenantId = tenantId;
    this.payment = payment;
    this.run = run;
  }

  /** Business time of the next record. */
  get at(): string {
    return this.run.at ?? this.services.commands.clock.now();
  }

  /** All attempts use one gateway. Refuses an absent one. */
  get gateway(): PaymentGateway {
    return this.services.gateways.gateway(this.#route.gatewayId);
  }

  get #route(): Transaction.Route {
    const route = Transaction.routeOf(this.payment);
    if (route === undefined) throw refused({ type: 'AttemptUnknown', attempt: 1 });
    return route;
  }

  /** The account data of a request. */
  async addressed() {
    const { references, vault } = this.services;
    const { currency, sandbox } = this.payment;
    const { merchantAccountId, mid } = this.#route;
    const account = await references.merchantAccount(this.tenantId, merchantAccountId);
    const held = account?.settings.currencies.find((each) => each.currency === currency);
    const credentials = vault.open(held?.gatewayCredentials);
    const { transactionId: paymentId } = this.payment;
    return { sandbox, account: { merchantAccountId, mid, credentials }, currency, paymentId };
  }

  /** How long ago an intent was recorded: a request of it was sent at the earliest then. */
  agoMs(instant: string): number {
    return Math.max(0, Date.parse(this.services.commands.clock.now()) - Date.parse(instant));
  }

  /** After any other failure the intent stays open as well, and is settled by a query. */
  async answered<Answer>(call: Promise<Answer>): Promise<Answer | typeof NO_ANSWER> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof GatewayTimeout) return NO_ANSWER;
      throw error;
    }
  }

  /** The command id is derived from the content, so that concurrent callers record an answer once. */
  async record(
    command: WithoutAddress<Transaction.Command>,
    content: readonly string[],
  ): Promise<Payment> {
    const { tenantId } = this;
    const { transactionId } = this.payment;
    const { at } = 'outcome' in command ? command.outcome : this;
    const commandId = deterministicUuid([command.type, ...content]);
    const addressed = { ...command, tenantId, transactionId, at } as Transaction.Command;
    const step = { command: addressed, name: { commandId, content } };
    const { state } = await this.services.policies.execute(this.payment, step, this.run.caller);
    if (state === null) throw refused({ type: 'TransactionUnknown' });
    this.payment = state;
    await this.#giveRoomBack();
    return state;
  }

  /** Releases at once what was reserved and not captured; a capture of the whole is settled by a follower. */
  async #giveRoomBack(): Promise<void> {
    const { caps, logger } = this.services;
    const { capturedAt, amountMinor } = this.payment;
    if (capturedAt !== null && Transaction.takenMinor(this.payment) === amountMinor) return;
    try {
      await caps.settle(this.tenantId, this.payment);
    } catch (error) {
      // The outcome is recorded; the follower settles it.
      logger.error({ err: error }, 'a reservation under a monthly cap was not released yet');
    }
  }
}
