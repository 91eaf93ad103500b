/** Synthetic commands as a shop would send them: with card, cart, address and session. */
import {
  type CommandContext,
  type CommandId,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { below, pickOf, type Random, randomOf, timeOrderedUuid } from './random.ts';

const FIRST_NAMES = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Tony', 'Frances'];
const LAST_NAMES = ['Lovelace', 'Hopper', 'Dijkstra', 'Liskov', 'Knuth', 'Perlman', 'Hoare'];
const CITIES = ['London', 'Leeds', 'Bristol', 'Glasgow', 'Cardiff', 'Belfast'];
const TENANT_ID = 1 as TenantId;
const FIRST_TIME_MS = Date.UTC(2026, 0, 1);
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

/** A command with the arguments of `execute`. */
export interface Sent<Command extends Transaction.Command = Transaction.Command> {
  readonly command: Command;
  readonly context: CommandContext;
}

/** `count` submitted payments, each in its own stream, one per millisecond. */
export function submissions(count: number, seed: number): Sent<Submission>[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, n) => submission(random, FIRST_TIME_MS + n));
}

export type Submission = Transaction.CommandOf<'SubmitPayment'>;

/** One event: `PaymentSubmitted`. A later command starts the attempt. */
function submission(random: Random, timeMs: number): Sent<Submission> {
  const transactionId = timeOrderedUuid(random, timeMs) as TransactionId;
  const at = new Date(timeMs).toISOString();
  return sent(random, timeMs, {
    type: 'SubmitPayment',
    tenantId: TENANT_ID,
    transactionId,
    at,
    ...orderOf(random, at),
    route: null,
    blackListing: 0,
  });
}

function sent<Command extends Transaction.Command>(
  random: Random,
  timeMs: number,
  command: Command,
): Sent<Command> {
  const metadata = {
    actor: 'checkout@example.com',
    keyId: '0192f000-0000-7000-8000-0000000000aa',
    requestId: timeOrderedUuid(random, timeMs),
    correlationId: command.transactionId,
  };
  const commandId = timeOrderedUuid(random, timeMs) as CommandId;
  return { command, context: { commandId, metadata, recordedAt: new Date(timeMs).toISOString() } };
}

/**
 * One payment with that many events: captured and settled, then refunded in small parts. The
 * gateway refuses every other refund. Events come from commands, as in production.
 */
export function longHistory(events: number, seed: number): Sent[] {
  const random = randomOf(seed);
  const first = submission(random, FIRST_TIME_MS);
  const history: Sent[] = [{ ...first, command: { ...first.command, amountMinor: 10_000_000n } }];
  const { tenantId, transactionId } = first.command;
  let timeMs = FIRST_TIME_MS;
  const next = () => {
    timeMs += 1_000;
    return { tenantId, transactionId, at: new Date(timeMs).toISOString() };
  };
  const add = (command: Transaction.Command) => history.push(sent(random, timeMs, command));
  add({ type: 'StartAttempt', ...next(), attempt: 1, route: ROUTE });
  add({ type: 'RecordOutcome', ...next(), attempt: 1, outcome: captured(timeMs) });
  add({ type: 'SettlePayment', ...next(), amountMinor: 9_900_000n, reference: 'payout-1' });
  while (history.length < events) {
    const refundId = timeOrderedUuid(random, timeMs) as TransactionId;
    add({
      type: 'RequestRefund',
      ...next(),
      refundId,
      amountMinor: BigInt(1 + below(random, 1_000)),
      items: [],
      source: 'CustomerService',
      notifyCustomer: true,
      requestedBy: 'agent@example.com',
      policy: { refundWindowDays: 180, forceAllowRefunds: false },
    });
    const gatewayTransactionId = `gateway-${refundId}`;
    if (history.length % 4 === 1) {
      add({ type: 'RecordRefundFailure', ...next(), refundId, note: 'refused by the issuer' });
    } else {
      const arn = '74537604221222132710572';
      add({
        type: 'RecordRefund',
        ...next(),
        refundId,
        gatewayTransactionId,
        arn,
        note: 'approved',
      });
    }
  }
  return history;
}

function captured(timeMs: number): Transaction.Outcome {
  return {
    result: 'captured',
    authCode: '123456',
    gatewayTransactionId: 'gateway-1',
    arn: '74537604221222132710571',
    avsChecked: true,
    note: 'approved',
    at: new Date(timeMs).toISOString(),
  };
}

const ROUTE: Transaction.Route = {
  merchantAccountId: 31,
  companyId: 11,
  gatewayId: 41,
  gateway: 'sandbox',
  mid: '123456',
  midName: 'Main',
  descriptor: 'EXAMPLE SHOP',
  terms: {
    feeCurrency: 'GBP',
    discountRatePercentage: '2.9',
    gatewayTransactionFeeMinor: 10n,
    bankAuthFeeMinor: 5n,
    bankDeclineFeeMinor: 5n,
    bankAvsFeeMinor: 2n,
    customFeeMinor: 0n,
    customFeeApprovedOnlyMinor: 0n,
    chargebackFeeMinor: 1_500n,
    alertProviderFeeMinor: 1_000n,
    rdrFeeMinor: 500n,
    cdrnFeeMinor: 500n,
    reservePercentage: '0',
    reserveHoldDays: 180,
  },
  skipped: [],
};

function orderOf(random: Random, at: string): Transaction.Order {
  const number = 1 + below(random, 1_000_000);
  const firstName = pickOf(random, FIRST_NAMES);
  const lastName = pickOf(random, LAST_NAMES);
  const email = `${firstName}.${lastName}.${number}@example.com`.toLowerCase();
  const last4 = String(number % 10_000).padStart(4, '0');
  const city = pickOf(random, CITIES);
  const amountMinor = BigInt(500 + below(random, 20_000));
  return Transaction.orderOf({
    orderId: number,
    customerId: number,
    email,
    firstName,
    lastName,
    amountMinor,
    currency: 'GBP',
    companyId: 11,
    shopId: 21,
    campaignId: 1 + (number % 40),
    productId: 1 + (number % 200),
    partnerSession: `click-${number}`,
    serviceSession: `session-${number}`,
    card: {
      token: `tok_${number.toString(36).padStart(24, '0')}`,
      fingerprint: number.toString(16).padStart(64, '0'),
      bin: '424242',
      last4,
      brandId: 1,
      expMonth: 1 + (number % 12),
      expYear: 2030,
      binCountry: 'GB',
    },
    items: [
      {
        storefrontVariantId: number,
        storefrontProductId: 1 + (number % 200),
        quantity: 1,
        unitPriceMinor: amountMinor,
        unitCostMinor: amountMinor / 2n,
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
        address: `${1 + (number % 300)} High Street`,
        city,
        postalCode: 'AB1 2CD',
        state: '',
        countryCode: 'GB',
        phone: '+440000000000',
      },
    ],
    session: {
      id: `session-${number}`,
      ip: `192.0.2.${number % 256}`,
      useragent: USER_AGENT,
      url: 'https://shop.example.com/checkout',
      timestamp: at,
      ipCity: city,
      ipCountryCode: 'GB',
    },
  });
}
