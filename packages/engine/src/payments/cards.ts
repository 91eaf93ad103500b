/** Exchanges cards for gateway tokens, and finds cards by token. */
import {
  Customer,
  type MerchantAccount,
  type Routing,
  type Subject,
  type Transaction,
} from '@counterfoil/core';
import type { CardBrandOf } from '../gateways/card-brands.ts';
import type { FingerprintOf } from '../gateways/card-fingerprint.ts';
import type { BillingAddress, CardDetails, CardToken } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { type Refused, refused } from '../refusal.ts';
import type { CardTokens } from './card-tokens.ts';
import { areRefused, type GatewayAccounts, type Place } from './gateway-accounts.ts';

/** A typed card, the token of an earlier one, or what a gateway's script made in the browser. */
export type Instrument =
  | { readonly card: CardDetails }
  | { readonly token: string }
  | { readonly gatewayToken: string };

/** A card that a gateway keeps for an account, and for those that know its tokens. */
interface KnownCard {
  readonly account: Account;
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
  readonly gatewayAccounts: GatewayAccounts;
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
    // One whose credentials are refused is passed over from then on.
    for (const _ of accounts) {
      try {
        return await this.#keep(owner, instrument, accounts);
      } catch (error) {
        if (!areRefused(error)) throw error;
      }
    }
    return this.#keep(owner, instrument, accounts);
  }

  async #keep(
    owner: Subject,
    instrument: Instrument,
    accounts: readonly Account[],
  ): Promise<Transaction.Card> {
    const { gateways, gatewayAccounts } = this.#services;
    const place = { sandbox: owner.sandbox };
    const known = await this.find(owner, instrument, accounts, place);
    const hasCardNumber = 'card' in instrument;
    const wanted = { ...place, amountsMinor: [], hasCardNumber, tokenAccount: known?.account };
    const refusing = gatewayAccounts.refusing(accounts, wanted);
    const account = accounts.find(
      ({ settings, merchantAccountId: id }) =>
        gateways.ids.has(settings.gatewayId) && !refusing.has(id),
    );
    if (account === undefined) throw this.#withoutGateway(accounts, refusing);
    return this.exchange(owner, { instrument, known }, { account, place });
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
    place: Place,
  ): Promise<KnownCard | undefined> {
    if ('card' in instrument) return undefined;
    if ('gatewayToken' in instrument) return this.#adopt(instrument.gatewayToken, accounts, place);
    const { gateways, tokens, gatewayAccounts } = this.#services;
    const opened = owner && tokens.open(owner, instrument.token);
    if (owner === undefined || opened === undefined) throw refused({ type: 'TokenUnknown' });
    for (const account of gatewayAccounts.apart(accounts, place)) {
      const gateway = gateways.gateway(account.settings.gatewayId);
      const context = gatewayAccounts.contextOf(account, place);
      const card = await gateway.findToken(opened.gatewayToken, context);
      if (card === undefined) continue;
      if (await this.#mayUse(owner, card, opened.namesCustomer)) return { account, card };
      throw refused({ type: 'TokenUnknown' });
    }
    throw this.#unknownTo(accounts, place);
  }

  /** What a gateway's script made belongs to no customer yet, so it is no token of the ledger. */
  async #adopt(
    gatewayToken: string,
    accounts: readonly Account[],
    place: Place,
  ): Promise<KnownCard> {
    const { gateways, gatewayAccounts } = this.#services;
    for (const account of gatewayAccounts.apart(accounts, place)) {
      const gateway = gateways.gateway(account.settings.gatewayId);
      const context = gatewayAccounts.contextOf(account, place);
      const card = await gateway.adopt?.(gatewayToken, context);
      if (card !== undefined) return { account, card };
    }
    throw this.#unknownTo(accounts, place);
  }

  /** An account that cannot be asked may be the one that knows the token. */
  #unknownTo(accounts: readonly Account[], place: Place): Refused {
    const { gateways, gatewayAccounts } = this.#services;
    const refusing = gatewayAccounts.unusable(accounts, place);
    const areAsked = accounts.every(
      ({ settings, merchantAccountId: id }) =>
        gateways.ids.has(settings.gatewayId) && !refusing.has(id),
    );
    return areAsked ? refused({ type: 'TokenUnknown' }) : this.#withoutGateway(accounts, refusing);
  }

  #withoutGateway(
    accounts: readonly Account[],
    refusing: ReadonlyMap<number, Routing.GatewayReason> = new Map(),
  ): Refused {
    const { ids } = this.#services.gateways;
    const skipped = accounts.flatMap(({ merchantAccountId, settings }) => {
      const isAbsent = !ids.has(settings.gatewayId);
      const reason = isAbsent ? ('gateway-absent' as const) : refusing.get(merchantAccountId);
      return reason === undefined ? [] : [{ merchantAccountId, reason }];
    });
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
    if ('card' in instrument) return brandOf(instrument.card.number);
    return known?.card.brandId ?? brandOf(known?.card.bin ?? '');
  }

  /** The card of a payment that is blocked: what is known of it without giving it to a gateway. */
  unkept(owner: Environment, brought: Brought): Transaction.Card {
    const { instrument, known } = brought;
    if (!('card' in instrument)) {
      if (known === undefined) throw refused({ type: 'TokenUnknown' });
      return this.#cardOf(known.card, brought);
    }
    const { number, expMonth, expYear } = instrument.card;
    return {
      token: '',
      fingerprint: this.#services.fingerprintsOf(owner)(number),
      bin: number.slice(0, BIN_LENGTH),
      last4: number.slice(-LAST_DIGITS),
      expMonth,
      expYear,
      brandId: this.brandIdOf(brought),
      binCountry: '',
    };
  }

  #cardOf({ brandId: _, country = '', ...token }: CardToken, brought: Brought): Transaction.Card {
    return { ...token, brandId: this.brandIdOf(brought), binCountry: country };
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
    {
      account,
      place,
      billing,
    }: {
      readonly account: Account;
      readonly place: Place;
      readonly billing?: BillingAddress | undefined;
    },
  ): Promise<Transaction.Card> {
    const { gateways, gatewayAccounts, fingerprintsOf } = this.#services;
    const { instrument, known } = brought;
    if (!('card' in instrument)) {
      if (known === undefined) throw refused({ type: 'TokenUnknown' });
      return this.#cardOf(known.card, brought);
    }
    const card = { ...instrument.card, ...(billing !== undefined && { billing }) };
    const gateway = gateways.gateway(account.settings.gatewayId);
    const context = gatewayAccounts.contextOf(account, place);
    const token = await gateway.tokenize(card, fingerprintsOf(owner)(card.number), context);
    return this.#cardOf(token, brought);
  }
}
