/** Cards that are paid with and kept for later: exchanged for a token at a gateway, and found by it. */
import type { MerchantAccount, Transaction } from '@counterfoil/core';
import type { CardBrandOf } from '../gateways/card-brands.ts';
import type { FingerprintOf } from '../gateways/card-fingerprint.ts';
import type { CardDetails, CardToken } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { refuse } from '../http/errors.ts';
import type { CardTokens, TokenOwner } from './card-tokens.ts';

/** A card as it is brought: typed in, or by the token of an earlier one. */
export type Instrument = { readonly card: CardDetails } | { readonly token: string };

/** What is brought, and what a gateway knows of its token. */
interface Brought {
  readonly instrument: Instrument;
  readonly known: CardToken | undefined;
}

type Account = MerchantAccount.MerchantAccount;

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

  /** Has a gateway of these accounts keep the card: the one that knows its token, else the first one's. */
  async keep(
    owner: TokenOwner,
    instrument: Instrument,
    accounts: readonly Account[],
  ): Promise<Transaction.Card> {
    const [account] = accounts;
    if (account === undefined) throw refuse('no_merchant_account');
    const known = await this.find(owner, instrument, accounts);
    return this.exchange(owner, { instrument, known }, account);
  }

  /**
   * What is known of a token; undefined for a card that is typed in. Tokens belong to the gateway
   * that made them: asks those of the accounts that may be used.
   */
  async find(
    owner: TokenOwner,
    instrument: Instrument,
    accounts: readonly Account[],
  ): Promise<CardToken | undefined> {
    if ('card' in instrument) return undefined;
    const { gateways, tokens } = this.#services;
    const opened = tokens.open(owner, instrument.token);
    if (opened === undefined) return undefined;
    for (const gatewayId of new Set(accounts.map(({ settings }) => settings.gatewayId))) {
      const known = await gateways.gateway(gatewayId).findToken(opened);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  /** The network: 1 to 6, 0 when it is unknown. */
  brandIdOf({ instrument, known }: Brought): number {
    const { brandOf } = this.#services;
    return brandOf('card' in instrument ? instrument.card.number : (known?.bin ?? ''));
  }

  /**
   * Exchanges a card that is typed in for a token of the account's gateway: from here on nobody needs
   * its number. Refuses a token that no gateway knows.
   */
  async exchange(
    owner: TokenOwner,
    brought: Brought,
    { settings }: Account,
  ): Promise<Transaction.Card> {
    const { gateways, fingerprintsOf } = this.#services;
    const { instrument, known } = brought;
    const gateway = gateways.gateway(settings.gatewayId);
    const token =
      'card' in instrument
        ? await gateway.tokenize(instrument.card, fingerprintsOf(owner)(instrument.card.number))
        : known;
    if (token === undefined) throw refuse('card_invalid', 'The token is not known to the gateway');
    return { ...token, brandId: this.brandIdOf(brought), binCountry: '' };
  }
}
