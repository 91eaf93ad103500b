/** Merchant accounts as gateways see them: their credentials, and which of them take a charge. */
import { type MerchantAccount, Routing } from '@counterfoil/core';
import type { AccountContext, CardScript, PlannedCharge } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';
import { Refused, refused } from '../refusal.ts';

type Account = MerchantAccount.MerchantAccount;

/** The account rests from then on, and nothing was done there. */
export function areRefused(error: unknown): boolean {
  return error instanceof Refused && error.code === 'CredentialsRefused';
}

/** Throws where an account would take a rebill once it no longer rests: the rebill waits. */
export function expectNoneRests(
  skipped: Routing.Routing['skipped'],
  { gatewayId }: { readonly gatewayId: number },
): void {
  const resting = skipped.find(({ reason }) => reason === 'credentials-refused');
  if (resting === undefined) return;
  const { merchantAccountId } = resting;
  throw refused({ type: 'CredentialsRefused', gatewayId, merchantAccountId });
}

/** Where a call is made: an account has credentials for each of its currencies. */
export interface Place {
  readonly sandbox: boolean;
  /** Absent for a call that has none: the account's default. */
  readonly currency?: string | undefined;
}

type Asked = Place & Pick<PlannedCharge, 'amountsMinor' | 'hasCardNumber'>;

export interface Wanted extends Asked {
  /** The account that knows the token of the charge. */
  readonly tokenAccount?: Account | undefined;
}

/** How a page takes the card of an order. */
export type CardEntry =
  /** It is typed into the form of the host. */
  | { readonly by: 'form' }
  | { readonly by: 'script'; readonly script: CardScript }
  /** A script was asked for, and no account that takes the order has one. */
  | { readonly by: 'none' };

/** An order, before there is a card. */
export interface Order {
  readonly sandbox: boolean;
  readonly currency: string;
  /** The charge, then those of its plans. */
  readonly amountsMinor: readonly [bigint, ...bigint[]];
}

/** What a part of the port reads for an account, beside the calls. */
export interface ReadPlace {
  readonly context: AccountContext;
  /** Names it among all of a tenant. */
  readonly name: string;
}

export class GatewayAccounts {
  readonly #gateways: GatewayRegistry;
  readonly #vault: CredentialVault;

  constructor({ gateways, vault }: { gateways: GatewayRegistry; vault: CredentialVault }) {
    this.#gateways = gateways;
    this.#vault = vault;
  }

  contextOf(
    { merchantAccountId, settings }: Account,
    { sandbox, currency }: Place,
  ): AccountContext {
    const code = currency ?? settings.defaultCurrency;
    const held = settings.currencies.find((each) => each.currency === code);
    const credentials = this.#vault.open(held?.gatewayCredentials);
    return { sandbox, account: { merchantAccountId, mid: settings.mid, credentials } };
  }

  /** One for each set of credentials that can be used, by the scope that it has for the part of the port. */
  readPlacesOf(
    account: Account,
    part: { scopeOf(context: AccountContext): string | undefined },
  ): readonly ReadPlace[] {
    const byScope = new Map<string, ReadPlace>();
    for (const sandbox of [false, true]) {
      for (const { currency } of account.settings.currencies) {
        const context = this.contextOf(account, { sandbox, currency });
        const scope = part.scopeOf(context);
        if (scope === undefined || byScope.has(scope)) continue;
        const name = `${account.merchantAccountId}/${sandbox ? 'sandbox' : 'live'}/${currency}`;
        byScope.set(scope, { context, name });
      }
    }
    return [...byScope.values()];
  }

  /** Why the gateway does not take such a charge, capture or refund of the account. */
  refusalOf(account: Account, { amountsMinor, hasCardNumber, ...place }: Asked) {
    const { gatewayId, defaultCurrency } = account.settings;
    if (!this.#gateways.ids.has(gatewayId)) return undefined;
    const gateway = this.#gateways.gateway(gatewayId);
    // Nearly all gateways take everything, and opening credentials takes time.
    if (gateway.refusalOf === undefined) return undefined;
    const { currency = defaultCurrency } = place;
    const context = this.contextOf(account, place);
    return gateway.refusalOf({ ...context, currency, amountsMinor, hasCardNumber });
  }

  /** Checks the accounts again that rested, where their gateway can, so that no payment has to. */
  async checkRested(accounts: readonly Account[], place: Place): Promise<void> {
    for (const account of accounts) {
      const { gatewayId } = account.settings;
      const context = () => this.contextOf(account, place);
      if (!this.#gateways.isToBeChecked(gatewayId, context)) continue;
      try {
        await this.#gateways.gateway(gatewayId).checkCredentials?.(context());
      } catch (error) {
        // It rests again, or the gateway cannot be asked and the payment tells.
        if (!(error instanceof Refused)) throw error;
      }
    }
  }

  #isResting(account: Account, place: Place): boolean {
    const { gatewayId } = account.settings;
    return this.#gateways.isResting(gatewayId, () => this.contextOf(account, place));
  }

  /** Why no new payment is sent there. */
  #reasonAgainst(account: Account, wanted: Wanted): Routing.GatewayReason | undefined {
    const refusal = this.refusalOf(account, wanted);
    if (refusal !== undefined) return refusal;
    if (this.#isResting(account, wanted)) return 'credentials-refused';
    return this.#strangerTo(account, wanted);
  }

  /** The accounts that a charge cannot be routed to for the sake of their gateway. */
  refusing(
    accounts: readonly Account[],
    wanted: Wanted,
  ): ReadonlyMap<number, Routing.GatewayReason> {
    const refusing = new Map<number, Routing.GatewayReason>();
    for (const account of accounts) {
      const reason = this.#reasonAgainst(account, wanted);
      if (reason !== undefined) refusing.set(account.merchantAccountId, reason);
    }
    return refusing;
  }

  /** By the script of a gateway where no account takes typed cards, and where it is asked for. */
  cardEntryOf(accounts: readonly Account[], order: Order, asksForScript: boolean): CardEntry {
    const takesCards = this.#takerOf(accounts, order, true) !== undefined;
    if (takesCards && !asksForScript) return { by: 'form' };
    const scripted = accounts.filter((each) => this.#scriptOf(each, order) !== undefined);
    // Where none takes the order at present, the host is given no card number for nothing.
    const taker = this.#takerOf(scripted, order, false) ?? scripted[0];
    const script = taker && this.#scriptOf(taker, order);
    if (script !== undefined) return { by: 'script', script };
    return { by: asksForScript ? 'none' : 'form' };
  }

  #takerOf(
    accounts: readonly Account[],
    { amountsMinor, ...place }: Order,
    hasCardNumber: boolean,
  ): Account | undefined {
    return Routing.route(accounts, {
      currency: place.currency,
      amountMinor: amountsMinor[0],
      brandId: 0,
      tried: [],
      gatewayIds: this.#gateways.ids,
      refusing: this.refusing(accounts, { ...place, amountsMinor, hasCardNumber }),
    }).account;
  }

  #scriptOf(account: Account, place: Place): CardScript | undefined {
    const { gatewayId } = account.settings;
    if (!this.#gateways.ids.has(gatewayId)) return undefined;
    const gateway = this.#gateways.gateway(gatewayId);
    return gateway.cardScriptOf?.(this.contextOf(account, place));
  }

  #strangerTo(account: Account, { tokenAccount, ...place }: Wanted): 'other-gateway' | undefined {
    if (tokenAccount === undefined) return undefined;
    const isKnown = this.#scopeOf(account, place) === this.#scopeOf(tokenAccount, place);
    return isKnown ? undefined : 'other-gateway';
  }

  /** The accounts that their gateway cannot be asked for at all. */
  unusable(accounts: readonly Account[], place: Place): ReadonlyMap<number, Routing.GatewayReason> {
    return this.refusing(accounts, { ...place, amountsMinor: [], hasCardNumber: false });
  }

  /** One account of each set of accounts that know each other's tokens, where their gateway is present. */
  apart(accounts: readonly Account[], place: Place): readonly Account[] {
    const byScope = new Map<string, Account>();
    const unusable = this.unusable(accounts, place);
    for (const account of accounts) {
      const { settings, merchantAccountId } = account;
      if (!this.#gateways.ids.has(settings.gatewayId) || unusable.has(merchantAccountId)) continue;
      const scope = this.#scopeOf(account, place);
      if (!byScope.has(scope)) byScope.set(scope, account);
    }
    return [...byScope.values()];
  }

  #scopeOf(account: Account, place: Place): string {
    const { gatewayId } = account.settings;
    if (!this.#gateways.ids.has(gatewayId)) return `${gatewayId}`;
    const gateway = this.#gateways.gateway(gatewayId);
    if (gateway.tokenScope === undefined) return `${gatewayId}`;
    return `${gatewayId} ${gateway.tokenScope(this.contextOf(account, place))}`;
  }
}
