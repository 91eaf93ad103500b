/** Made-up payments as event streams: the same number gives the same events, for tests and measurements. */
import {
  type CommandId,
  type Event,
  encodeEvent,
  type Position,
  type StoredEvent,
  streamName,
  type TenantId,
  type Transaction,
  type TransactionId,
} from '@counterfoil/core';

const POSITION_DIGITS = 16;
const START_MS = Date.parse('2025-01-01T00:00:00.000Z');
const FIRST_NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Ken', 'Dennis', 'Radia', 'Tony'];
const LAST_NAMES = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Thompson', 'Perlman'];
const CURRENCIES = ['GBP', 'EUR', 'USD', 'JPY'];
const TERMS: Transaction.Terms = {
  feeCurrency: 'GBP',
  discountRatePercentage: '2.9',
  gatewayTransactionFeeMinor: 10n,
  bankAuthFeeMinor: 0n,
  bankDeclineFeeMinor: 0n,
  bankAvsFeeMinor: 0n,
  customFeeMinor: 0n,
  customFeeApprovedOnlyMinor: 0n,
  chargebackFeeMinor: 1500n,
  alertProviderFeeMinor: 0n,
  rdrFeeMinor: 0n,
  cdrnFeeMinor: 0n,
  reservePercentage: '5',
  reserveHoldDays: 180,
};

export interface SyntheticOptions {
  readonly payments: number;
  /** 1 when absent. */
  readonly tenants?: number;
  /** Time between two payments; chosen to spread over a year when absent. */
  readonly stepMs?: number;
  readonly seed?: number;
  /** The first number; batches of one log follow each other. 0 when absent. */
  readonly from?: number;
  /** Position before the first event. 0 when absent. */
  readonly afterPosition?: number;
}

/**
 * Streams of stored events in log order: three events a payment, 5 in 100 declined, 6 refunded, one
 * charged back, one with an alert, a few left pending. Names and emails repeat as they do in shops.
 */
export function* syntheticEvents(options: SyntheticOptions): Generator<StoredEvent> {
  const { payments, from = 0 } = options;
  let position = options.afterPosition ?? 0;
  for (let number = from; number < from + payments; number += 1) {
    const { tenantId, stream, events } = syntheticPayment(number, options);
    let revision = 0;
    for (const event of events) {
      position += 1;
      const commandId = uuidOf(START_MS + number, number, revision + 1) as CommandId;
      const at = 'at' in event ? event.at : '';
      yield {
        id: commandId,
        ...encodeEvent(event),
        tenantId,
        time: at,
        metadata: '{"actor":"shop@example.test"}',
        stream,
        revision,
        position: String(position).padStart(POSITION_DIGITS, '0') as Position,
        commandId,
        commandFingerprint: '0000000000000000',
      };
      revision += 1;
    }
  }
}

export interface SyntheticPayment {
  readonly tenantId: TenantId;
  readonly transactionId: TransactionId;
  readonly stream: StoredEvent['stream'];
  readonly events: readonly Event[];
}

/** The story of one payment. */
export function syntheticPayment(
  number: number,
  { payments, tenants = 1, stepMs, seed = 1 }: SyntheticOptions,
): SyntheticPayment {
  const random = randomOf(number * 2_654_435_761 + seed);
  const step = stepMs ?? Math.max(1, Math.floor((365 * 86_400_000) / Math.max(1, payments)));
  const sentMs = START_MS + number * step;
  const tenantId = (1 + (number % tenants)) as TenantId;
  const transactionId = uuidOf(sentMs, number, 0) as TransactionId;
  const submitted = submittedOf({ number, sentMs, transactionId, random });
  const events = storyOf({ submitted, number, sentMs, random });
  return {
    tenantId,
    transactionId,
    stream: streamName('transaction', tenantId, transactionId),
    events,
  };
}

type Random = (below: number) => number;

function submittedOf(about: {
  number: number;
  sentMs: number;
  transactionId: TransactionId;
  random: Random;
}): Transaction.EventOf<'PaymentSubmitted'> {
  const { number, sentMs, transactionId, random } = about;
  const customer = random(Math.max(1, Math.floor(number / 3)) + 10);
  const firstName = pick(FIRST_NAMES, customer) + Math.floor(customer / 9_000);
  const lastName = pick(LAST_NAMES, customer * 7) + (customer % 4_000);
  const email = `${firstName}.${lastName}.${customer}@example.test`;
  const at = new Date(sentMs).toISOString();
  return {
    type: 'PaymentSubmitted',
    transactionId,
    sandbox: random(50) === 0,
    orderId: 1_000_000_000 + number,
    customerId: 1_000_000_000 + customer,
    email,
    firstName,
    lastName,
    amountMinor: BigInt(100 + random(5_000)),
    currency: pick(CURRENCIES, random(20) < 14 ? 0 : random(4)),
    captureMode: 'automatic',
    applicationId: 1 + random(5),
    applicationKind: 1 + random(5),
    companyId: 1 + random(5),
    pinnedMerchantAccountId: null,
    shopId: 1 + random(8),
    campaignId: random(3) === 0 ? null : 1 + random(60),
    affiliateId: random(3) === 0 ? 1 + random(200) : null,
    productId: 1 + random(300),
    pricePointId: null,
    subscriptionId: random(10) === 0 ? 1_000_000_000 + random(100_000) : null,
    plans: [],
    paymentNumber: 1,
    attempt: 1,
    totalAttempt: 1,
    card: {
      token: `tok_${number}`,
      fingerprint: `fp_${customer}`,
      bin: String(400_000 + random(2_000)),
      last4: String(random(10_000)).padStart(4, '0'),
      brandId: 1 + random(6),
      expMonth: 1 + random(12),
      expYear: 2030,
      binCountry: 'GB',
    },
    walletPayA: false,
    walletPayB: random(20) === 0,
    partnerSession: null,
    serviceSession: `s-${number}`,
    items: [
      {
        storefrontVariantId: 1 + random(5_000),
        storefrontProductId: 1 + random(1_000),
        quantity: 1,
        unitPriceMinor: 1_000n,
        unitCostMinor: 0n,
        discountCodeId: 0,
        discountMinor: 0n,
        salesStrategyId: 0,
        customDiscountMinor: 0n,
      },
    ],
    addresses: [
      {
        addressType: 'DEFAULT',
        email,
        firstName,
        lastName,
        address: `${1 + random(200)} High Street`,
        city: 'London',
        postalCode: 'N1 9GU',
        state: '',
        countryCode: 'GB',
        phone: '',
      },
    ],
    session: {
      id: `visit-${number}`,
      ip: `10.0.${random(256)}.${random(256)}`,
      useragent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
      url: 'https://shop.example.test/checkout',
      timestamp: at,
      ipCity: 'London',
      ipCountryCode: 'GB',
    },
    at,
  };
}

function storyOf(about: {
  submitted: Transaction.EventOf<'PaymentSubmitted'>;
  number: number;
  sentMs: number;
  random: Random;
}): readonly Event[] {
  const { submitted, number, sentMs, random } = about;
  const { sandbox, currency, amountMinor, companyId } = submitted;
  const merchantAccountId = companyId * 10 + random(3);
  const books = { sandbox, merchantAccountId, currency };
  let ms = sentMs;
  const at = () => {
    ms += 1_000;
    return new Date(ms).toISOString();
  };
  const started: Event = {
    type: 'AttemptStarted',
    attempt: 1,
    route: {
      merchantAccountId,
      companyId,
      gatewayId: 1,
      gateway: 'sandbox',
      mid: `MID${merchantAccountId}`,
      midName: `Account ${merchantAccountId}`,
      descriptor: `SHOP*${merchantAccountId} ${pick(LAST_NAMES, random(7))}`,
      terms: TERMS,
      skipped: [],
    },
    at: at(),
  };
  const cardBrandId = submitted.card?.brandId ?? 0;
  const outcome = random(100);
  const gatewayTransactionId = `gw_${random(2 ** 31)}_${number}`;
  if (outcome < 2) return [submitted, started];
  if (outcome < 7) {
    const declined: Event = {
      type: 'PaymentDeclined',
      ...books,
      cardBrandId,
      declineCode: 'insufficient_funds',
      hard: false,
      gatewayTransactionId,
      note: 'Insufficient funds',
      fees: [],
      skipped: [],
      at: at(),
    };
    return [submitted, started, declined];
  }
  const captured: Event = {
    type: 'PaymentCaptured',
    ...books,
    cardBrandId,
    amountMinor,
    authCode: String(random(1_000_000)).padStart(6, '0'),
    gatewayTransactionId,
    arn: '',
    note: 'Approved',
    fees: [{ account: 'fees:gateway', amountMinor: 10n, currency: 'GBP' }],
    reserveMinor: amountMinor / 20n,
    at: at(),
  };
  const story: Event[] = [submitted, started, captured];
  if (outcome < 13) story.push(...refundStory({ outcome, number, amountMinor, books, at }));
  if (outcome === 13) story.push(chargeback({ number, amountMinor, books, at }));
  if (outcome === 14) story.push(alert({ number, amountMinor, books, at }));
  return story;
}

interface ChildAbout {
  readonly number: number;
  readonly amountMinor: bigint;
  readonly books: { sandbox: boolean; merchantAccountId: number; currency: string };
  readonly at: () => string;
}

function refundStory(about: ChildAbout & { outcome: number }): readonly Event[] {
  const { outcome, number, books, at } = about;
  const refundId = uuidOf(START_MS + number, number, 901) as TransactionId;
  const amountMinor = outcome < 10 ? about.amountMinor : about.amountMinor / 2n;
  const requested: Event = {
    type: 'RefundRequested',
    refundId,
    amountMinor,
    items: [],
    adjustments: [],
    source: 'CustomerService',
    reason: null,
    notifyCustomer: false,
    requestedBy: 'agent@example.test',
    at: at(),
  };
  if (outcome === 12) return [requested];
  const refunded: Event = {
    type: 'Refunded',
    refundId,
    ...books,
    amountMinor,
    gatewayTransactionId: `gwr_${number}`,
    arn: `7400${number}`,
    note: '',
    at: at(),
  };
  return [requested, refunded];
}

function chargeback({ number, amountMinor, books, at }: ChildAbout): Event {
  const openedAt = at();
  return {
    type: 'ChargebackOpened',
    chargebackId: uuidOf(START_MS + number, number, 902) as TransactionId,
    provider: '',
    reference: `cb-${number}`,
    ...books,
    amountMinor,
    reasonCode: '10.4',
    arn: `7500${number}`,
    beyondCapturedMinor: 0n,
    openedAt,
    respondBy: new Date(Date.parse(openedAt) + 30 * 86_400_000).toISOString(),
    note: '',
    fees: [{ account: 'fees:chargeback', amountMinor: 1500n, currency: 'GBP' }],
    at: openedAt,
  };
}

function alert({ number, amountMinor, books, at }: ChildAbout): Event {
  const receivedAt = at();
  return {
    type: 'AlertReceived',
    alertId: uuidOf(START_MS + number, number, 903) as TransactionId,
    provider: '',
    reference: `alert-${number}`,
    source: 'CDRN',
    alertType: 'CustomerDispute',
    ...books,
    amountMinor,
    arn: '',
    deadline: new Date(Date.parse(receivedAt) + 72 * 3_600_000).toISOString(),
    note: '',
    fees: [],
    at: receivedAt,
  };
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}

/** A UUID of version 7 whose random part is the payment's number: unique, ordered, repeatable. */
function uuidOf(ms: number, number: number, part: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const rest = number.toString(16).padStart(12, '0');
  const middle = part.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${middle}-8000-${rest}`;
}

/** Repeatable numbers below a bound (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
