/** Finds the next account after a soft decline: one not tried yet, at the same gateway. */
import { type MerchantAccount, type Routing, type TenantId, Transaction } from '@counterfoil/core';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { References } from '../tenants/index.ts';
import type { MonthlyCaps, PlannedAttempt, Room } from './monthly-caps.ts';
import { routeTo } from './routes.ts';

type Payment = Transaction.Payment;

interface OtherAccountsOptions {
  readonly references: References;
  readonly gateways: GatewayRegistry;
  readonly caps: MonthlyCaps;
}

export class OtherAccounts {
  readonly #options: OtherAccountsOptions;

  constructor({ references, gateways, caps }: OtherAccountsOptions) {
    this.#options = { references, gateways, caps };
  }

  /** Whether the declining account allows a retry elsewhere, and another account would take the payment. */
  async wouldTake(tenantId: TenantId, payment: Payment, at: string): Promise<boolean> {
    const { references, caps } = this.#options;
    const route = Transaction.routeOf(payment);
    if (route === undefined || payment.status !== 'Processing') return false;
    const account = await references.merchantAccount(tenantId, route.merchantAccountId);
    if (account?.settings.allowRetriesFromOtherMids !== true) return false;
    const accounts = await this.#accounts(tenantId, payment);
    return caps.wouldTake(accounts, routable(payment), planned(tenantId, payment, at));
  }

  /** The next account, with its reservation under a cap; undefined when none is left. */
  async choose(
    tenantId: TenantId,
    payment: Payment,
    at: string,
  ): Promise<{ route: Transaction.Route; room: Room | undefined } | undefined> {
    const { caps } = this.#options;
    const accounts = await this.#accounts(tenantId, payment);
    const { account, skipped, room } = await caps.choose(
      accounts,
      routable(payment),
      planned(tenantId, payment, at),
    );
    if (account === undefined) return undefined;
    return { route: await routeTo({ tenantId, account, skipped, payment }, this.#options), room };
  }

  /** A token is valid only at its gateway. A request that names an account excludes others. */
  async #accounts(
    tenantId: TenantId,
    payment: Payment,
  ): Promise<readonly MerchantAccount.MerchantAccount[]> {
    const { references } = this.#options;
    if (payment.pinnedMerchantAccountId !== null) return [];
    const accounts = await references.merchantAccountsOf(tenantId, payment.companyId);
    const gatewayId = Transaction.routeOf(payment)?.gatewayId;
    const { ids } = this.#options.gateways;
    return accounts.filter(
      ({ settings }) => settings.gatewayId === gatewayId && ids.has(gatewayId),
    );
  }
}

function routable({ currency, amountMinor, card, attempts }: Payment): Routing.Routable {
  const tried = attempts.map(({ route }) => route.merchantAccountId);
  return { currency, amountMinor, brandId: card?.brandId ?? 0, tried };
}

function planned(
  tenantId: TenantId,
  { sandbox, transactionId, attempts }: Payment,
  at: string,
): PlannedAttempt {
  return { tenantId, sandbox, transactionId, attempt: attempts.length + 1, at };
}
