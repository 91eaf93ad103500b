/** Finds the next account after a soft decline: one not tried yet, at the same gateway. */
import { type MerchantAccount, type Routing, type TenantId, Transaction } from '@counterfoil/core';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { References } from '../tenants/index.ts';
import type { GatewayAccounts } from './gateway-accounts.ts';
import type { MonthlyCaps, PlannedAttempt, Room } from './monthly-caps.ts';
import { routeTo } from './routes.ts';

type Payment = Transaction.Payment;

interface Next {
  readonly route: Transaction.Route | undefined;
  readonly room: Room | undefined;
}

interface OtherAccountsOptions {
  readonly references: References;
  readonly gateways: GatewayRegistry;
  readonly caps: MonthlyCaps;
  readonly gatewayAccounts: GatewayAccounts;
}

export class OtherAccounts {
  readonly #options: OtherAccountsOptions;

  constructor({ references, gateways, caps, gatewayAccounts }: OtherAccountsOptions) {
    this.#options = { references, gateways, caps, gatewayAccounts };
  }

  /**
   * The account that would take the payment next, where the declining one allows a retry elsewhere. Those
   * that would not are listed with their reasons.
   */
  async wouldTake(tenantId: TenantId, payment: Payment, at: string): Promise<Routing.Routing> {
    const { references, caps } = this.#options;
    const route = Transaction.routeOf(payment);
    if (route === undefined || payment.status !== 'Processing') return NONE;
    const account = await references.merchantAccount(tenantId, route.merchantAccountId);
    if (account?.settings.allowRetriesFromOtherMids !== true) return NONE;
    const accounts = await this.#accounts(tenantId, payment);
    const routable = this.#routable(payment, accounts, account);
    return caps.wouldTake(accounts, routable, planned(tenantId, payment, at));
  }

  /** The next account, with its reservation under a cap; without a route when none is left. */
  async choose(
    tenantId: TenantId,
    payment: Payment,
    at: string,
  ): Promise<Next & Pick<Routing.Routing, 'skipped'>> {
    const { caps, references } = this.#options;
    const accounts = await this.#accounts(tenantId, payment);
    const { merchantAccountId = 0 } = Transaction.routeOf(payment) ?? {};
    await this.#options.gatewayAccounts.checkRested(accounts, payment);
    const present = await references.merchantAccount(tenantId, merchantAccountId);
    const { account, skipped, room } = await caps.choose(
      accounts,
      this.#routable(payment, accounts, present ?? undefined),
      planned(tenantId, payment, at),
    );
    if (account === undefined) return { route: undefined, room: undefined, skipped };
    const route = await routeTo({ tenantId, account, skipped, payment }, this.#options);
    return { route, room, skipped };
  }

  /** A request that names an account excludes others. */
  async #accounts(
    tenantId: TenantId,
    payment: Payment,
  ): Promise<readonly MerchantAccount.MerchantAccount[]> {
    if (payment.pinnedMerchantAccountId !== null) return [];
    return this.#options.references.merchantAccountsOf(tenantId, payment.companyId);
  }

  /** A token is valid only at its gateway, for the accounts that know it. */
  #routable(
    payment: Payment,
    accounts: readonly MerchantAccount.MerchantAccount[],
    tokenAccount: MerchantAccount.MerchantAccount | undefined,
  ): Routing.Routable {
    const { sandbox, currency, amountMinor, card, attempts } = payment;
    const amountsMinor = [amountMinor];
    const wanted = { sandbox, currency, amountsMinor, hasCardNumber: false, tokenAccount };
    return {
      currency,
      amountMinor,
      brandId: card?.brandId ?? 0,
      // Where credentials were refused nothing was tried.
      tried: attempts
        .filter(({ declineCode }) => declineCode !== Transaction.CREDENTIALS_REFUSED)
        .map(({ route }) => route.merchantAccountId),
      gatewayIds: this.#options.gateways.ids,
      gatewayId: Transaction.routeOf(payment)?.gatewayId,
      refusing: this.#options.gatewayAccounts.refusing(accounts, wanted),
    };
  }
}

const NONE: Routing.Routing = { account: undefined, skipped: [] };

function planned(
  tenantId: TenantId,
  { sandbox, transactionId, attempts }: Payment,
  at: string,
): PlannedAttempt {
  return { tenantId, sandbox, transactionId, attempt: attempts.length + 1, at };
}
