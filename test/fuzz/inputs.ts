/** What each operation takes: by its schemas alone, and so that it also makes sense. */
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import fc from 'fast-check';
import {
  AFFILIATE,
  CAMPAIGN,
  CHECKOUT,
  ECOMMERCE,
  PLATES,
  PRICE_POINT,
  PRODUCT,
  SHOP,
  USER_EMAIL,
} from '../e2e/running-host.ts';
import type { Operation } from '../http-host/documented.ts';
import { administered, COMPANY, changesPayments, isRefusedOnly } from './administration.ts';
import {
  collectionOf,
  idTypeOf,
  isAboutCustomer,
  isAboutSubscription,
  JSON_TYPE,
  NOWHERE,
  nowhereFor,
  parametersIn,
} from './operations.ts';
import { namedIn, type Pool } from './pools.ts';
import {
  ABSENT,
  always,
  type Json,
  maybe,
  type Overrides,
  type SchemaArbitraries,
} from './schema-arbitrary.ts';

/** The values of one request, before they become bytes. */
export interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Undefined where no body is sent. */
  readonly body: Json;
}

/**
 * An order or customer may bring an id of its own beside those that the service allocates. Not of 15
 * digits and more: some of those look like card numbers, and are refused.
 */
const OWN_ID = fc.oneof(
  fc.integer({ min: 1, max: 999_999_999 }),
  fc.integer({ min: 2_147_483_648, max: 99_999_999_999_999 }),
);

const EXPONENTS = { GBP: 2, USD: 2, EUR: 2, JPY: 0, KWD: 3 };

export const CARD = fc.record({
  number: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...SANDBOX_CARDS.slice(0, 6).map((each) => each.number)),
    },
    {
      weight: 2,
      // The answer of the slow one takes as long as that of one that never comes.
      arbitrary: fc.constantFrom(...SANDBOX_CARDS.map((each) => each.number)),
    },
  ),
  expMonth: fc.integer({ min: 1, max: 12 }),
  expYear: fc.integer({ min: 2040, max: 2060 }),
  cvv: fc.constantFrom('000', '123', '9999'),
  holder: fc.constantFrom('', 'Ada Lovelace', 'Zoë 山田', 'x'.repeat(200)),
});

/** Amounts with at most the decimals of the currency. */
function amountsIn(exponent: number, { min, max }: { min: number; max: number }) {
  const scale = 10 ** exponent;
  return fc.integer({ min: min * scale, max: max * scale }).map((minor) => minor / scale);
}

/** Every field of a payment that the tenant can make, by currency. */
function payments({ tenancy }: Pool): Overrides[] {
  return Object.entries(EXPONENTS).map(([currency, exponent]) => {
    const paid = fc
      .oneof(
        amountsIn(exponent, { min: 0, max: 10_000 }),
        amountsIn(exponent, { min: 0, max: 9_000_000_000 }),
      )
      .map((amount) => (amount === 0 ? 1 : amount));
    const price = maybe(amountsIn(exponent, { min: 0, max: 10_000 }));
    const rebill = amountsIn(exponent, { min: 1, max: 10_000 });
    return {
      '/amount': always(paid),
      '/currency': always(fc.constant(currency)),
      '/card': always(CARD),
      '/token': ABSENT,
      '/subscription/rebillAmount': always(rebill),
      '/subscription/intervalCount': ABSENT,
      // A payment starts two at most, of which the schemas say nothing.
      '/items/*/subscription': ABSENT,
      '/orderId': maybe(OWN_ID),
      '/customer/id': maybe(OWN_ID),
      '/items/*/UnitPrice': price,
      '/items/*/UnitCost': price,
      '/items/*/DiscountAmount': price,
      '/items/*/CustomDiscountAmount': price,
      '/applicationId': maybe(fc.constantFrom(1, 2, 3, 4, 5, ECOMMERCE, CHECKOUT)),
      '/companyId': maybe(fc.constant(COMPANY)),
      '/shopId': maybe(fc.constant(SHOP)),
      '/campaignId': maybe(fc.constant(CAMPAIGN)),
      '/affiliateId': maybe(fc.constant(AFFILIATE)),
      '/productId': maybe(fc.constant(PRODUCT)),
      '/pricePointId': maybe(fc.constant(PRICE_POINT)),
      '/merchantAccountId': maybe(fc.constant(tenancy.id * 10 + 1)),
    };
  });
}

/** What a body must say for its request to be about something of the tenant. */
function addressed(pool: Pool, { id }: Operation): Overrides {
  return {
    '/clientId': maybe(fc.constant(pool.tenancy.id)),
    '/parentCompanyId': always(fc.constant(pool.tenancy.id)),
    '/*/parentCompanyId': always(fc.constant(pool.tenancy.id)),
    '/userEmail': always(fc.constantFrom(USER_EMAIL, USER_EMAIL.toUpperCase())),
    '/messageId': always(fc.constantFrom(...pool.captured, ...pool.orders, ...pool.payments)),
    ...(id === 'getTransactionDetail' && {
      '/id': always(fc.constantFrom(...pool.payments, ...pool.refunds)),
    }),
    '/refundItems/*/StorefrontVariantId': always(fc.constantFrom(PLATES.small, PLATES.large, 999)),
    '/refundItems/*/Adjustment': ABSENT,
  };
}

const REFUNDED = maybe(
  fc.oneof(fc.constant(0), amountsIn(2, { min: 0, max: 20 }), amountsIn(2, { min: 0, max: 500 })),
);

/** Days in order, of which the schemas say nothing. */
function searched(pool: Pool): Overrides[] {
  const spans = [
    ['2001-02-03', '2039-12-31'],
    ['2024-02-29', '2024-02-29'],
    ['2026-11-21', '2039-12-31'],
  ];
  return spans.map(([from, to]) => ({
    '/dateFrom': maybe(fc.constant(from)),
    '/dateTo': maybe(fc.constant(to)),
    '/transactionIds/*': maybe(
      fc.oneof(fc.constantFrom(...pool.payments, ...pool.refunds), fc.uuid()),
    ),
    '/pageNumber': maybe(fc.integer({ min: 1, max: 20 })),
  }));
}

/** Cursors are the host's own; whatever else looks like a text is refused. */
function listed(pool: Pool, operation: Operation): Overrides {
  const { paymentCursors: listPayments, accountCursors: listLedgerAccounts } = pool;
  const known: Readonly<Record<string, readonly string[]>> = { listPayments, listLedgerAccounts };
  const cursors = known[operation.id] ?? [];
  return { '/cursor': cursors.length === 0 ? ABSENT : maybe(fc.constantFrom(...cursors)) };
}

/** What a request about a customer of the tenant says; a live key names live ones. */
const CUSTOMERS: Overrides = {
  // That of the path, of which the schemas say nothing.
  '/id': ABSENT,
  '/sandbox': ABSENT,
  // Each change wants the right version: the cards of the pool's customers have made theirs 4.
  '/rowVersion': always(fc.oneof(fc.constantFrom(4, 5), fc.integer({ min: 1, max: 8 }))),
  '/card': always(CARD),
  '/token': ABSENT,
  '/companyId': maybe(fc.constant(COMPANY)),
};

/** What a change of a subscription says; those of the pool are in pounds. */
const SUBSCRIPTIONS: Overrides = {
  '/card': always(CARD),
  '/token': ABSENT,
  '/rebillAmount': maybe(amountsIn(2, { min: 1, max: 10_000 })),
  // Either this or an interval, which the schema of a change does not say.
  '/frequency': ABSENT,
  '/intervalCount': ABSENT,
};

/** Lists of ids as text, which the schemas admit with numbers that are not exact as well. */
const ID_LISTS = maybe(
  fc
    .array(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { minLength: 1, maxLength: 5 })
    .map((ids) => `[${ids.join(', ')}]`),
);
const UNSUBSCRIBED: Overrides = {
  '/sandbox': ABSENT,
  '/orderIds': ID_LISTS,
  '/subscriberIds': ID_LISTS,
};

/** Ordered months, within the limit of a report. */
const REPORTED: Overrides = {
  '/from': maybe(fc.constantFrom('2020-02', '2026-01')),
  '/to': maybe(fc.constantFrom('2026-01', '2029-12')),
};

/** Ordered days, within the limit of a report by hour. */
const SOLD: Overrides = {
  '/from': always(fc.constantFrom('2026-02-27', '2026-03-01')),
  '/to': always(fc.constantFrom('2026-03-01', '2026-03-12')),
};

/** Ordered days, and an account that may have entries. */
const POSTED: Overrides = {
  '/account': maybe(fc.constantFrom('sales', 'acquirer-receivable')),
  '/from': maybe(fc.constantFrom('2026-02-27', '2026-03-01')),
  '/to': maybe(fc.constantFrom('2026-03-01', '2039-12-31')),
};

/** A name that is free, mostly, and filters that name nobody. */
const SAVED: Overrides = {
  '/name': always(fc.uuid()),
  '/search': always(fc.record({ currency: fc.constantFrom('GBP', 'EUR') })),
};

/** Enough to search for, of which the schemas say nothing. */
function mitigated(pool: Pool): Overrides[] {
  return searched(pool).map((each) => ({ ...each, '/email': always(fc.emailAddress()) }));
}

/** A dispute of a payment of the tenant: all of the pool are in pounds. */
function disputed(pool: Pool): Overrides[] {
  return [
    {
      '/sandbox': ABSENT,
      '/transactionId': always(fc.constantFrom(...pool.payments)),
      '/openedAt': maybe(fc.constant('2020-02-03T04:05:06.000Z')),
      '/amount': always(amountsIn(2, { min: 1, max: 100 })),
      '/currency': always(fc.constant('GBP')),
    },
  ];
}

function reported(): Overrides[] {
  return [
    {
      '/data/transaction/sandbox': ABSENT,
      '/data/transaction/amount': always(amountsIn(2, { min: 1, max: 100 })),
      '/data/transaction/currency': always(fc.constant('GBP')),
    },
  ];
}

function stated({ tenancy }: Pool): Overrides[] {
  return [{ '/merchantAccountId': always(fc.constant(tenancy.id * 10 + 1)) }];
}

/** What some operations take so that it makes sense; of several, one. */
const SENSIBLE: Readonly<Record<string, (pool: Pool) => readonly Overrides[]>> = {
  createPayment: payments,
  submitCard: payments,
  createCheckoutSession: payments,
  searchTransactions: searched,
  searchCustomerTransactions: searched,
  listPayments: searched,
  listLeads: searched,
  listActivity: searched,
  listWebhookDeliveries: searched,
  listMitigationTransactions: searched,
  searchMitigation: mitigated,
  reportChargeback: disputed,
  reportAlert: disputed,
  receiveTransaction: reported,
  getStatement: stated,
  listDisputes: () => [
    { '/status': maybe(fc.constantFrom([], ['ChargebackOpen'], ['Unmatched', 'AlertOpen'])) },
  ],
  getSettlement: () => [{ '/sandbox': ABSENT }],
  getRecurringRevenue: () => [REPORTED],
  getDisputeRates: () => [REPORTED],
  getSales: () => [SOLD],
  listLedgerEntries: () => [POSTED],
  createSavedSearch: () => [SAVED],
  unsubscribeCustomer: () => [UNSUBSCRIBED],
};

export class Inputs {
  readonly #schemas: SchemaArbitraries;
  readonly #pool: Pool;

  constructor(schemas: SchemaArbitraries, pool: Pool) {
    this.#schemas = schemas;
    this.#pool = pool;
  }

  /** Values that the schemas admit, about payments of the tenant where there has to be one. */
  bySchema(operation: Operation): fc.Arbitrary<Input> {
    const anywhere = {
      id: this.#anyId(operation),
      customer: this.#customers(operation, fc.uuid()),
    };
    return this.#inputs(operation, addressed(this.#pool, operation), anywhere);
  }

  /** Values that the host has no reason to refuse, but for the state that a payment is in. */
  sound(operation: Operation): fc.Arbitrary<Input> {
    const pool = this.#pool;
    const base = { ...addressed(pool, operation), ...listed(pool, operation) };
    const ids = {
      id: fc.constantFrom(...this.#idsFor(operation)),
      customer: this.#customers(operation, fc.constant(NOWHERE)),
    };
    if (isAboutCustomer(operation)) return this.#inputs(operation, { ...base, ...CUSTOMERS }, ids);
    if (isAboutSubscription(operation)) {
      return this.#inputs(operation, { ...base, ...SUBSCRIPTIONS }, ids);
    }
    const anyOf = (overrides: readonly Overrides[]) =>
      fc.oneof(...overrides.map((each) => this.#inputs(operation, { ...base, ...each }, ids)));
    const sensible = SENSIBLE[operation.id];
    if (sensible !== undefined) return anyOf(sensible(pool));
    if (changesPayments(operation) || isRefusedOnly(operation)) {
      return this.#inputs(operation, { ...administered(operation, this.#schemas), ...base }, ids);
    }
    const amounts = {
      '/amount': REFUNDED,
      '/refundItems/*/Amount': REFUNDED,
      // An element is an item or an adjustment, of which the schemas say nothing.
      '/refundItems/*/StorefrontVariantId': always(fc.constantFrom(PLATES.small, 999)),
      '/refundItems/*/Quantity': always(fc.integer({ min: 1, max: 3 })),
      '/refundItems/*/Adjustment': ABSENT,
    };
    return this.#inputs(operation, { ...base, ...amounts }, ids);
  }

  /** One that may name nothing; of a collection, mostly one that is there. */
  #anyId(operation: Operation): fc.Arbitrary<string> {
    const collection = collectionOf(operation);
    if (collection === undefined) return fc.uuid();
    const unknown = fc.constant(nowhereFor(operation));
    const known = fc.constantFrom(...namedIn(operation, this.#pool));
    return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: unknown });
  }

  #idsFor(operation: Operation): readonly string[] {
    const { captured, authorized, orders, waiting } = this.#pool;
    switch (operation.id) {
      case 'confirmPayment':
        return waiting;
      case 'capturePayment':
        return authorized;
      case 'voidPayment':
        return [...authorized, ...captured];
      case 'refundPayment':
        return [...captured, ...orders];
      default:
        return namedIn(operation, this.#pool);
    }
  }

  /** A customer of the tenant with one of their cards, or another one. */
  #customers(
    operation: Operation,
    other: fc.Arbitrary<string>,
  ): fc.Arbitrary<{ id: string; methodId: string }> {
    const { customers, leaving } = this.#pool;
    const named = operation.id === 'eraseCustomer' ? leaving : customers;
    return fc.constantFrom(...named).chain(({ id, methodIds }) =>
      fc.record({
        id: fc.constant(id),
        methodId: fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom(...methodIds) },
          { weight: 1, arbitrary: other },
        ),
      }),
    );
  }

  #params(operation: Operation, { id, customer }: Ids): fc.Arbitrary<Input['params']> {
    const parameters = parametersIn(operation, 'path');
    const names = parameters.map(({ name }) => name);
    if (names.length === 0) return fc.constant({});
    if (operation.id === 'takeGatewayEvent') {
      const values = parameters.map(({ name, schema }) => [
        name,
        this.#schemas.of(schema).map((value) => String(value).toWellFormed()),
      ]);
      return fc.record(Object.fromEntries(values));
    }
    if (isAboutCustomer(operation)) {
      return customer.map((given) => (names.includes('methodId') ? given : { id: given.id }));
    }
    if (isAboutSubscription(operation)) {
      return fc.record({ id: fc.constantFrom(...this.#pool.subscriptions) });
    }
    if (idTypeOf(operation) !== 'uuid') return fc.record({ id });
    const written = fc.oneof(
      { weight: 9, arbitrary: id },
      { weight: 1, arbitrary: id.map(capitals) },
    );
    return fc.record({ id: written });
  }

  #inputs(operation: Operation, overrides: Overrides, ids: Ids) {
    return fc.record({
      params: this.#params(operation, ids),
      query: this.#queries(operation, overrides),
      body: this.#bodies(operation, overrides),
    });
  }

  #bodies({ node }: Operation, overrides: Overrides): fc.Arbitrary<Json> {
    const schema = node.requestBody?.content[JSON_TYPE].schema;
    if (schema === undefined) return fc.constant(undefined);
    const bodies = this.#schemas.of(schema, overrides);
    return node.requestBody.required ? bodies : fc.option(bodies, { nil: undefined });
  }

  #queries(operation: Operation, overrides: Overrides): fc.Arbitrary<Input['query']> {
    const parameters = parametersIn(operation, 'query');
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const required = parameters.filter((each) => each.required).map(({ name }) => name);
    const values = this.#schemas.of(
      { type: 'object', properties, required, additionalProperties: false },
      overrides,
    );
    return values.map((given) =>
      Object.entries<Json>(given).flatMap(([name, value]) =>
        [value]
          .flat()
          .map((each) => [name, String(each).replaceAll(',', '').toWellFormed()] as const),
      ),
    );
  }
}

/** What a path may name. */
interface Ids {
  readonly id: fc.Arbitrary<string>;
  readonly customer: fc.Arbitrary<{ readonly id: string; readonly methodId: string }>;
}

function capitals(text: string): string {
  return text.toUpperCase();
}
