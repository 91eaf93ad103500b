/** Cards that are kept for later: exchanged for a token at a gateway, and found again by it. */
import type { MerchantAccount, Transaction } from '@counterfoil/core';
import type { CardBrandOf } from '../gateways/card-brands.ts';
import type { FingerprintOf } from '../gateways/card-fingerprint.ts';
import type { CardDetails, CardToken } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { refuse } from '../http/errors.ts';
import type { CardTokens, TokenOwner } from './card-tokens.ts';

/** A card as it is brought: typed in, or by the token of an earlier one. */
export type Instrument = { readonly card: CardDetails } | { readonly token: string };

type Accounts = readonly MerchantAccount.MerchantAccount[];

interface CardServices {
  readonly gateways: GatewayRegistry;
  readonly brandOf: CardBrandOf;
  readonly tokens: CardTokens;
  /** A fingerprint function of the owner's own: nobody learns that two tenants share a customer. */
  readonly fingerprintsOf: (owner: TokenOwner) => FingerprintOf;
}

export class Cards {
  readonly #services: CardServices;

  constructor(services: CardServices) {
    this.#services = services;
  }

  /** The token of a card as its owner may use it again. */
  tokenOf(owner: TokenOwner, { token }: Transaction.Card): string {
    return this.#services.tokens.issue(owner, token);
  }

  /**
   * Has a gateway of these accounts keep the card, the first one's when it is typed in. From here on
   * nobody needs its number. Refuses when there is no account, or none that knows the token.
   */
  async keep(
    owner: TokenOwner,
    instrument: Instrument,
    accounts: Accounts,
  ): Promise<Transaction.Card> {
    const { gateways, brandOf, fingerprintsOf } = this.#services;
    const [account] = accounts;
    if (account === undefined) throw refuse('no_merchant_account');
    if ('token' in instrument) {
      const known = await this.find(owner, instrument.token, accounts);
      if (known === undefined)
        throw refuse('card_invalid', 'The token is not known to the gateway');
      return { ...known, brandId: brandOf(known.bin), binCountry: '' };
    }
    const { card } = instrument;
    const gateway = gateways.gateway(account.settings.gatewayId);
    const kept = await gateway.tokenize(card, fingerprintsOf(owner)(card.number));
    return { ...kept, brandId: brandOf(card.number), binCountry: '' };
  }

  /** Tokens belong to the gateway that made them: asks those of the accounts that may be used. */
  async find(owner: TokenOwner, token: string, accounts: Accounts): Promise<CardToken | undefined> {
    const { gateways, tokens } = this.#services;
    const opened = tokens.open(owner, token);
    if (opened === undefined) return undefined;
    for (const gatewayId of new Set(accounts.map(({ settings }) => settings.gatewayId))) {
      const known = await gateways.gateway(gatewayId).findToken(opened);
      if (known !== undefined) return known;
    }
    return undefined;
  }
}
