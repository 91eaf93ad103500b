/** Exchanges cards for gateway tokens, and finds cards by token. */
import { Customer, type MerchantAccount, type Subject, type Transaction } from '@counterfoil/core';
import type { CardBrandOf } from '../gateways/card-brands.ts';
import type { FingerprintOf } from '../gateways/card-fingerprint.ts';
import type { CardDetails, CardToken } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { type Refused, refused } from '../refusal.ts';
import type { CardTokens } from './card-tokens.ts';

/** A typed card, or the token of an earlier one. */
export type Instrument = { readonly card: CardDetails } | { readonly token: string };

/** A card that a gateway keeps. Its token is valid at that gateway only. */
interface KnownCard {
  readonly gatewayId: number;
  readonly card: CardToken;
}

/** The instrument, and the gateway's data of its token. */
export interface Brought {
  readonly instrument: Instrument;
  readonly known: KnownCard | undefined;
}

const BIN_LENGTH = 6;
const EXTENDED_BIN_LENGTH = 8;
const LAST_DIGITS = 4;
/** Of a shorter number the extended BIN and the last four digits would be nearly all. */
const SHORTEST_WITH_EXTENDED_BIN = 16;

type Account = MerchantAccount.MerchantAccount;
type Environment = Omit<Subject, 'customerId'>;

interface CardServices {
  readonly gateways: GatewayRegistry;
  readonly brandOf: CardBrandOf;
  readonly tokens: CardTokens;
  /** A fingerprint function of the owner's own: it does not reveal that two tenants share a customer. */
  readonly fingerprintsOf: (owner: Environment) => FingerprintOf;
  /** The current state, including writes of other hosts. */
  readonly customerOf: (named: Subject) => Promise<Customer.State>;
}

export class Cards {
  readonly #services: CardServices;

  constructor(services: CardServices) {
    this.#services = services;
  }

  /** The token of a card, for its owner. */
  tokenOf(owner: Subject, { token }: Transaction.Card): string {
    return this.#services.tokens.issue(owner, token);
  }

  /** Stores the card at a gateway of these accounts: the one that knows its token, else the first. */
  async keep(
    owner: Subject,
    instrument: Instrument,
    accounts: readonly Account[],
  ): Promise<Transaction.Card> {
    const { ids } = this.#services.gateways;
    const account = accounts.find(({ settings }) => ids.has(settings.gatewayId));
    if (account === undefined) throw this.#withoutGateway(accounts);
    const known = await this.find(owner, instrument, accounts);
    return this.exchange(owner, { instrument, known }, account);
  }

  /**
   * The card of a token; undefined for a typed card. Queries the gateways of the usable accounts. Refuses
   * with `TokenUnknown` the token of another customer or of a removed card, and with `NoMerchantAccount`
   * one that may belong to an absent gateway.
   */
  async find(
    owner: Subject | undefined,
    instrument: Instrument,
    accounts: readonly Account[],
  ): Promise<KnownCard | undefined> {
    if ('card' in instrument) return undefined;
    const { gateways, tokens } = this.#services;
    const opened = owner && tokens.open(owner, instrument.token);
    if (owner === undefined || opened === undefined) throw refused({ type: 'TokenUnknown' });
    const wanted = [...new Set(accounts.map(({ settings }) => settings.gatewayId))];
    const present = wanted.filter((gatewayId) => gateways.ids.has(gatewayId));
    for (const gatewayId of present) {
      const card = await gateways.gateway(gatewayId).findToken(opened.gatewayToken);
      if (card === undefined) continue;
      if (await this.#mayUse(owner, card, opened.namesCustomer)) return { gatewayId, card };
      throw refused({ type: 'TokenUnknown' });
    }
    throw present.length === wanted.length
      ? refused({ type: 'TokenUnknown' })
      : this.#withoutGateway(accounts);
  }

  #withoutGateway(accounts: readonly Account[]): Refused {
    const { ids } = this.#services.gateways;
    const skipped = accounts
      .filter(({ settings }) => !ids.has(settings.gatewayId))
      .map(({ merchantAccountId }) => ({ merchantAccountId, reason: 'gateway-absent' as const }));
    return refused({ type: 'NoMerchantAccount', skipped });
  }

  /** A token that is not bound to its customer must belong to a payment method. */
  async #mayUse(owner: Subject, card: CardToken, namesCustomer: boolean): Promise<boolean> {
    const customer = await this.#services.customerOf(owner);
    if (customer === null) return namesCustomer;
    const isKept = Customer.methodOf(customer, card) !== undefined;
    return Customer.mayPayWith(customer, card) && (namesCustomer || isKept);
  }

  /** The network: 1 to 6; 0 when unknown. */
  brandIdOf({ instrument, known }: Brought): number {
    const { brandOf } = this.#services;
    return brandOf('card' in instrument ? instrument.card.number : (known?.card.bin ?? ''));
  }

  /** The card of a payment that is blocked: what is known of it without giving it to a gateway. */
  unkept(owner: Environment, brought: Brought): Transaction.Card {
    const { instrument, known } = brought;
    const kept = { brandId: this.brandIdOf(brought), binCountry: '' };
    if (!('card' in instrument)) {
      if (known === undefined) throw refused({ type: 'TokenUnknown' });
      return { ...known.card, ...kept };
    }
    const { number, expMonth, expYear } = instrument.card;
    return {
      token: '',
      fingerprint: this.#services.fingerprintsOf(owner)(number),
      bin: number.slice(0, BIN_LENGTH),
      last4: number.slice(-LAST_DIGITS),
      expMonth,
      expYear,
      ...kept,
    };
  }

  /** The first eight digits of a typed card; undefined for a kept one. */
  extendedBinOf({ instrument }: Brought): string | undefined {
    if (!('card' in instrument)) return undefined;
    const { number } = instrument.card;
    const isLong = number.length >= SHORTEST_WITH_EXTENDED_BIN;
    return isLong ? number.slice(0, EXTENDED_BIN_LENGTH) : undefined;
  }

  /**
   * Exchanges a card that is typed in for a token of the account's gateway: its number is not needed
   * after this.
   */
  async exchange(
    owner: Environment,
    brought: Brought,
    { settings }: Account,
  ): Promise<Transaction.Card> {
    const { gateways, fingerprintsOf } = this.#services;
    const { instrument, known } = brought;
    const gateway = gateways.gateway(settings.gatewayId);
    const token =
      'card' in instrument
        ? await gateway.tokenize(instrument.card, fingerprintsOf(owner)(instrument.card.number))
        : known?.card;
    if (token === undefined) throw refused({ type: 'TokenUnknown' });
    return { ...token, brandId: this.brandIdOf(brought), binCountry: '' };
  }
}
