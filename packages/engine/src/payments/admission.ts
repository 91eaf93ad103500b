/** Admits payments: what they refer to, the black list, the account that takes them, and room under its cap. */
import { type MerchantAccount, MonthlyCap, Routing, Transaction } from '@counterfoil/core';
import type { BlackLists } from '../black-list/index.ts';
import type { BillingAddress } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import type { Identities } from '../identities/index.ts';
import { refused } from '../refusal.ts';
import type { References } from '../tenants/index.ts';
import type { Cards } from './cards.ts';
import {
  areRefused,
  type CardEntry,
  type GatewayAccounts,
  type Order,
} from './gateway-accounts.ts';
import type { MonthlyCaps, Room } from './monthly-caps.ts';
import type { GivenOrder, PaymentRequest, Referring } from './payment-request.ts';
import { blackListingOf } from './screening.ts';

type Priced = Pick<GivenOrder, 'amountMinor' | 'currency' | 'captureMode'>;

/** The result of admission, before the payment is recorded. */
export interface Admitted {
  readonly applicationKind: number;
  readonly companyId: number;
  readonly card: Transaction.Card;
  /** The owner of the token; undefined for a typed card. */
  readonly tokenOwner: number | undefined;
  /** Mask of what of the payer is on the black list. */
  readonly blackListing: number;
  /** Undefined for a payer on the black list: no account is looked for. */
  readonly account: MerchantAccount.MerchantAccount | undefined;
  readonly skipped: Routing.Routing['skipped'];
  /** The reservation under the account's monthly cap. */
  readonly room: Room | undefined;
}

/** How a payment comes on record. */
export interface Entry {
  readonly name: { readonly commandId: string; readonly content: unknown };
  readonly isRepeat: () => Promise<boolean>;
  /** Business time; determines the month of a cap. */
  readonly at: string;
}

/** The payment is already recorded. */
class Repeated extends Error {}

export interface AdmissionServices {
  readonly identities: Identities;
  readonly references: References;
  readonly blackLists: BlackLists;
  readonly caps: MonthlyCaps;
  readonly gateways: GatewayRegistry;
  readonly gatewayAccounts: GatewayAccounts;
  readonly cards: Cards;
}

export class Admission {
  readonly #services: AdmissionServices;

  constructor(services: AdmissionServices) {
    this.#services = services;
  }

  /** Validates and routes a payment. Records only the reservation. */
  async admit(request: PaymentRequest, entry: Entry): Promise<Admitted> {
    const { applicationKind, companyId } = await this.referredTo(request);
    const routed = await this.#routed(request, companyId, entry);
    this.checkAmount(request);
    return { applicationKind, companyId, ...routed };
  }

  /** The domain checks this too, but after the customer would have been recorded. */
  checkAmount({ order, plans = [] }: Pick<PaymentRequest, 'plans'> & { readonly order: Priced }) {
    const { amountMinor, currency } = order;
    if (amountMinor <= 0n && !Transaction.isFreeTrial({ ...order, plans })) {
      throw refused({ type: 'AmountNotPositive', amountMinor, currency });
    }
  }

  /** What a request refers to. Refuses with `ReferenceUnknown` and `CompanyRequired`. */
  async referredTo(
    request: Referring,
  ): Promise<{ readonly applicationKind: number; readonly companyId: number }> {
    const { references } = this.#services;
    const { tenantId, order } = request;
    const applicationKind = await references.applicationKindOf(tenantId, order.applicationId);
    const companyId = await this.#companyOf(request);
    await references.check(tenantId, { ...order, companyId });
    return { applicationKind, companyId };
  }

  /** How a page takes the card of an order of a company. */
  async cardEntryOf(
    {
      companyId,
      ...request
    }: Pick<PaymentRequest, 'tenantId' | 'merchantAccountId'> & {
      readonly companyId: number;
    },
    order: Order,
    asksForScript: boolean,
  ): Promise<CardEntry> {
    const accounts = await this.#accountsFor(request, companyId);
    return this.#services.gatewayAccounts.cardEntryOf(accounts, order, asksForScript);
  }

  async #companyOf({ tenantId, companyId, merchantAccountId, order }: Referring): Promise<number> {
    const { references } = this.#services;
    if (companyId !== undefined) return companyId;
    if (merchantAccountId !== undefined) {
      const account = await references.merchantAccount(tenantId, merchantAccountId);
      if (account !== null) return account.settings.companyId;
    }
    return references.companyOf(tenantId, order.shopId);
  }

  /** The candidate accounts: the named one, or all of the company. */
  async #accountsFor(
    { tenantId, merchantAccountId }: Pick<PaymentRequest, 'tenantId' | 'merchantAccountId'>,
    companyId: number,
  ): Promise<readonly MerchantAccount.MerchantAccount[]> {
    const { references } = this.#services;
    if (merchantAccountId === undefined) return references.merchantAccountsOf(tenantId, companyId);
    const account = await references.merchantAccount(tenantId, merchantAccountId);
    if (account?.settings.companyId === companyId) return [account];
    const unknown = { field: 'merchantAccountId', id: merchantAccountId, companyId };
    throw refused({ type: 'ReferenceUnknown', references: [unknown] });
  }

  /**
   * Chooses the account, and exchanges the card for a token there: its number is not needed after this.
   * Not for a payer on the black list, of whom no gateway hears.
   */
  async #routed(
    request: PaymentRequest,
    companyId: number,
    entry: Entry,
  ): Promise<Omit<Admitted, 'applicationKind' | 'companyId'>> {
    const allowed = await this.#accountsFor(request, companyId);
    // An account whose credentials are refused is passed over from then on.
    for (const _ of allowed) {
      try {
        return await this.#routedAmong(allowed, request, entry);
      } catch (error) {
        if (!areRefused(error)) throw error;
      }
    }
    return this.#routedAmong(allowed, request, entry);
  }

  async #routedAmong(
    allowed: readonly MerchantAccount.MerchantAccount[],
    request: PaymentRequest,
    { at, isRepeat }: Entry,
  ): Promise<Omit<Admitted, 'applicationKind' | 'companyId'>> {
    const { caps, cards, gateways, gatewayAccounts } = this.#services;
    const environment = { tenantId: request.tenantId, sandbox: request.order.sandbox };
    const { instrument, order, transactionId } = request;
    const tokenOwner = 'token' in instrument ? await this.#holderOf(request) : undefined;
    const owner = tokenOwner === undefined ? undefined : { ...environment, customerId: tokenOwner };
    const { currency, amountMinor, sandbox } = order;
    const known = await cards.find(owner, instrument, allowed, { sandbox, currency });
    const brought = { instrument, known };
    const customerId = async () =>
      tokenOwner ?? (await this.#holderOf(request)) ?? request.customerId;
    const blackListing = await blackListingOf({ ...request, brought, customerId }, this.#services);
    if (blackListing !== 0) {
      const nowhere = { account: undefined, skipped: [], room: undefined };
      return { ...nowhere, blackListing, card: cards.unkept(environment, brought), tokenOwner };
    }
    const { plans = [] } = request;
    const payable = {
      currency,
      amountMinor,
      brandId: cards.brandIdOf(brought),
      tried: [],
      gatewayIds: gateways.ids,
      gatewayId: known?.account.settings.gatewayId,
      refusing: gatewayAccounts.refusing(allowed, {
        sandbox,
        currency,
        amountsMinor: [amountMinor, ...plans.map(({ rebillAmountMinor }) => rebillAmountMinor)],
        hasCardNumber: 'card' in instrument,
        tokenAccount: known?.account,
      }),
    };
    // A repeated request would reserve again after the settlement.
    if (isCapped(allowed, payable) && (await isRepeat())) throw new Repeated();
    const attempt = { ...environment, transactionId, attempt: 1, at };
    const { account, skipped, room } = await caps.choose(allowed, payable, attempt);
    if (account === undefined) throw refused({ type: 'NoMerchantAccount', skipped });
    const place = { sandbox, currency };
    const card = await caps.holding(room, () =>
      cards.exchange(environment, brought, { account, place, billing: billingOf(order) }),
    );
    return { account, skipped, card, tokenOwner, room, blackListing };
  }

  /** The current customer of the order's email, not cached. */
  async #holderOf({ tenantId, order }: PaymentRequest): Promise<number | undefined> {
    const { sandbox, email } = order;
    return (await this.#services.identities.holderOf({ tenantId, sandbox, email }))?.customerId;
  }
}

/** Goods may go to somebody else: an address for shipping is none of the card. */
function billingOf({ addresses }: Pick<GivenOrder, 'addresses'>): BillingAddress | undefined {
  const found = addresses.find(({ addressType }) => addressType === 'DEFAULT');
  if (found === undefined) return undefined;
  const { address, city, postalCode, state, countryCode } = found;
  const billing = { address, city, postalCode, state, countryCode };
  return Object.values(billing).some((each) => each !== '') ? billing : undefined;
}

function isCapped(
  accounts: readonly MerchantAccount.MerchantAccount[],
  payment: Routing.Routable,
): boolean {
  const { account } = Routing.route(accounts, payment);
  return account !== undefined && MonthlyCap.capOf(account, payment.currency) !== undefined;
}
