/** Reads of merchant accounts: one, or a page of a tenant's. */
import { type MerchantAccount, MonthlyCap, type TenantId } from '@counterfoil/core';
import type { ReferenceNames } from '@counterfoil/projections';
import type { CommandRunner } from '../command-runner.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { References } from '../tenants/index.ts';
import { type Listing, MAX_LISTED } from './account-input.ts';
import { type MerchantAccountView, viewOf } from './account-view.ts';

export interface AccountPage {
  /** In ascending order of their ids. */
  readonly items: readonly MerchantAccountView[];
  readonly moreResults: boolean;
}

interface AccountReadServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly gateways: Pick<GatewayRegistry, 'gateways'>;
}

export class AccountReads {
  readonly #services: AccountReadServices;
  readonly #gatewayNames: ReadonlyMap<number, string>;

  constructor(services: AccountReadServices) {
    this.#services = services;
    const { gateways } = services.gateways;
    this.#gatewayNames = new Map(gateways.map(({ gatewayId, name }) => [gatewayId, name]));
  }

  async view(
    tenantId: TenantId,
    account: MerchantAccount.MerchantAccount,
  ): Promise<MerchantAccountView> {
    return this.#viewIn(await this.#services.references.names(tenantId), tenantId, account);
  }

  async page(tenantId: TenantId, listing: Listing): Promise<AccountPage> {
    const { companyId, gatewayId, currency, limit = MAX_LISTED, after = 0 } = listing;
    const names = await this.#services.references.names(tenantId);
    const found = names
      .merchantAccounts(companyId)
      .filter(
        ({ merchantAccountId, settings }) =>
          merchantAccountId > after &&
          (gatewayId === undefined || settings.gatewayId === gatewayId) &&
          (currency === undefined ||
            settings.currencies.some((held) => held.currency === currency)),
      );
    const page = found.slice(0, limit);
    return {
      items: await Promise.all(page.map((each) => this.#viewIn(names, tenantId, each))),
      moreResults: found.length > page.length,
    };
  }

  async #viewIn(
    names: ReferenceNames,
    tenantId: TenantId,
    account: MerchantAccount.MerchantAccount,
  ): Promise<MerchantAccountView> {
    const capLimited = await this.#capLimited(names, tenantId, account);
    return viewOf(account, { tenantId, names, gatewayNames: this.#gatewayNames, capLimited });
  }

  /** Of the live book of the present month, which is read only where a limit was noted in it. */
  async #capLimited(
    names: ReferenceNames,
    tenantId: TenantId,
    account: MerchantAccount.MerchantAccount,
  ): Promise<string | null> {
    const { commands } = this.#services;
    const { merchantAccountId, settings } = account;
    const capMinor = MonthlyCap.capOf(account, settings.defaultCurrency);
    const month = MonthlyCap.monthOf(commands.clock.now());
    const noted = names.merchantAccount(merchantAccountId)?.capLimited ?? null;
    if (capMinor === undefined || noted === null || MonthlyCap.monthOf(noted) !== month)
      return null;
    const book = { tenantId, sandbox: false, merchantAccountId, month };
    const state = await commands.stateOf(MonthlyCap, MonthlyCap.streamOf(book));
    return MonthlyCap.limitedSince(state, capMinor);
  }
}
