/** A payment at its gateway: its present state, the account it is addressed to, and its records. */
import { type TenantId, Transaction } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { GatewayTimeout, type PaymentGateway } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { deterministicUuid } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { refused } from '../refusal.ts';
import type { CredentialVault, References } from '../tenants/index.ts';
import type { MonthlyCaps } from './monthly-caps.ts';

export type Payment = Transaction.Payment;

export interface GatewayServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly caps: MonthlyCaps;
  readonly gateways: GatewayRegistry;
  readonly vault: CredentialVault;
  readonly logger: Logger;
}

/** On whose behalf, and how, an intent is finished. */
export interface Run {
  readonly caller: Caller;
  /** The request may have been sent before: ask what became of it before sending it again. */
  readonly sentBefore?: boolean;
  /** Business time of the outcome; now when absent. */
  readonly at?: string | undefined;
}

/** `unknown` while a request may still be on its way to the gateway. */
export type NotFound = 'unknown' | 'failed';

export interface AtGateway<Each extends Run> {
  readonly tenantId: TenantId;
  readonly payment: Payment;
  readonly run: Each;
}

type WithoutAddress<Command> = Command extends unknown
  ? Omit<Command, 'tenantId' | 'transactionId' | 'at'>
  : never;

/** The gateway did not answer in time: what happened is found out by asking. */
export const NO_ANSWER = Symbol('no answer');

export class PaymentAtGateway<Each extends Run = Run> {
  readonly services: GatewayServices;
  readonly tenantId: TenantId;
  readonly run: Each;
  /** After the last record. */
  payment: Payment;

  constructor(services: GatewayServices, { tenantId, payment, run }: AtGateway<Each>) {
    this.services = services;
    this.tenantId = tenantId;
    this.payment = payment;
    this.run = run;
  }

  /** Business time of what is recorded now. */
  get at(): string {
    return this.run.at ?? this.services.commands.clock.now();
  }

  /** That of all attempts: other accounts are tried at the same gateway only. Refuses an absent one. */
  get gateway(): PaymentGateway {
    return this.services.gateways.gateway(this.#route.gatewayId);
  }

  get #route(): Transaction.Route {
    const route = Transaction.routeOf(this.payment);
    if (route === undefined) throw refused({ type: 'AttemptUnknown', attempt: 1 });
    return route;
  }

  /** What each request says of the account of the attempt under way. */
  async addressed() {
    const { references, vault } = this.services;
    const { currency, sandbox } = this.payment;
    const { merchantAccountId, mid } = this.#route;
    const account = await references.merchantAccount(this.tenantId, merchantAccountId);
    const held = account?.settings.currencies.find((each) => each.currency === currency);
    const credentials = vault.open(held?.gatewayCredentials);
    return { sandbox, account: { merchantAccountId, mid, credentials }, currency };
  }

  /** After any other failure the intent stands as well, and is settled by asking. */
  async answered<Answer>(call: Promise<Answer>): Promise<Answer | typeof NO_ANSWER> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof GatewayTimeout) return NO_ANSWER;
      throw error;
    }
  }

  /** The id of a record follows from its content, so that two who saw the same answer record it once. */
  async record(
    command: WithoutAddress<Transaction.Command>,
    content: readonly string[],
  ): Promise<Payment> {
    const { tenantId } = this;
    const { transactionId } = this.payment;
    const { at } = 'outcome' in command ? command.outcome : this;
    const commandId = deterministicUuid([command.type, ...content]);
    const { state } = await this.services.commands.execute(
      Transaction,
      { ...command, tenantId, transactionId, at } as Transaction.Command,
      { commandId, content },
      this.run.caller,
    );
    if (state === null) throw refused({ type: 'TransactionUnknown' });
    this.payment = state;
    await this.#giveRoomBack();
    return state;
  }

  /** Room that was not captured is for the next payment at once; captures are settled by a follower. */
  async #giveRoomBack(): Promise<void> {
    const { caps, logger } = this.services;
    if (this.payment.capturedAt !== null) return;
    try {
      await caps.settle(this.tenantId, this.payment);
    } catch (error) {
      // The outcome is on record, and the follower settles it again.
      logger.error({ err: error }, 'room under a monthly cap was not given back yet');
    }
  }
}
