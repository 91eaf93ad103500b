/** Subscribers of one club, written directly into a host's log in the form in which orders write them. */
import { randomUUID } from 'node:crypto';
import {
  type CommandId,
  type Event,
  encodeEvent,
  type StreamName,
  Subscription,
  sealerOf,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import type { Host } from '@counterfoil/http-host';
import { randomOf, timeOrderedUuid } from './random.ts';

export const FREQUENCY_DAYS = 30;
export const STARTED_AT = '2026-01-01T00:00:00.000Z';

const TENANT_ID = 1 as TenantId;
const COMPANY_ID = 1;
const ACCOUNT_ID = 1;
const CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };
/** What the gateway is asked on behalf of. */
const CONTEXT = {
  account: { merchantAccountId: ACCOUNT_ID, mid: 'MID1', credentials: CREDENTIALS },
  sandbox: false,
};
const GATEWAY_ID = 1;
const FIRST_ID = 1_000_000_000;
const FEE_MINOR = 1_995n;
const OPERATOR = { actor: 'bench@example.com' };
const CARD = {
  number: '4242424242424242',
  expMonth: 12,
  expYear: 2049,
  cvv: '123',
  holder: 'Ada Lovelace',
};
const PLAN: Subscription.Plan = {
  name: 'Tea club',
  description: 'A tin of tea every month',
  rebillAmountMinor: FEE_MINOR,
  interval: 'day',
  intervalCount: FREQUENCY_DAYS,
  trialDays: 0,
};
/** Fewer than the calls that a gateway takes at once. */
const WRITTEN_AT_ONCE = 256;
const SAY_EVERY = 10_000;

interface Wanted {
  readonly count: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

export async function writeSubscribers(host: Host, { count, seed, say }: Wanted): Promise<void> {
  const route = await onboard(host);
  const random = randomOf(seed);
  let next = 0;
  const write = async () => {
    while (next < count) {
      const number = next;
      next += 1;
      if (number % SAY_EVERY === 0) say(`rebills: writing subscriptions: ${number} of ${count}`);
      const transactionId = timeOrderedUuid(random, Date.parse(STARTED_AT) + number);
      await subscribe(host, { number, transactionId: transactionId as TransactionId, route });
    }
  };
  await Promise.all(Array.from({ length: WRITTEN_AT_ONCE }, write));
}

async function onboard({ tenants, merchantAccounts, commands }: Host): Promise<Transaction.Route> {
  const at = commands.clock.now();
  await tenants.onboard(TENANT_ID, { name: 'Bench Group' }, OPERATOR);
  const company = { companyId: COMPANY_ID, name: 'Bench Ltd' };
  await tenants.define({ type: 'DefineCompany', tenantId: TENANT_ID, ...company, at }, OPERATOR);
  const account = { mid: 'MID1', title: 'Main', descriptor: 'TEA CLUB LONDON' };
  await merchantAccounts.openOnce(
    TENANT_ID,
    ACCOUNT_ID,
    {
      ...account,
      companyId: COMPANY_ID,
      gatewayId: GATEWAY_ID,
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials: CREDENTIALS }],
    },
    OPERATOR,
  );
  return {
    merchantAccountId: ACCOUNT_ID,
    companyId: COMPANY_ID,
    gatewayId: GATEWAY_ID,
    gateway: 'Sandbox',
    mid: account.mid,
    midName: account.title,
    descriptor: account.descriptor,
    terms: {
      feeCurrency: 'GBP',
      discountRatePercentage: '0',
      gatewayTransactionFeeMinor: 0n,
      bankAuthFeeMinor: 0n,
      bankDeclineFeeMinor: 0n,
      bankAvsFeeMinor: 0n,
      customFeeMinor: 0n,
      customFeeApprovedOnlyMinor: 0n,
      chargebackFeeMinor: 0n,
      alertProviderFeeMinor: 0n,
      rdrFeeMinor: 0n,
      cdrnFeeMinor: 0n,
      reservePercentage: '0',
      reserveHoldDays: 180,
    },
    skipped: [],
  };
}

interface Subscriber {
  readonly number: number;
  readonly transactionId: TransactionId;
  readonly route: Transaction.Route;
}

async function subscribe(host: Host, { number, transactionId, route }: Subscriber): Promise<void> {
  const id = FIRST_ID + number;
  const at = STARTED_AT;
  const gateway = host.gateways.gateway(GATEWAY_ID);
  const token = await gateway.tokenize(CARD, `fp-${number}`, CONTEXT);
  const order = Transaction.orderOf({
    orderId: id,
    customerId: id,
    email: `subscriber-${number}@example.com`,
    firstName: 'Ada',
    lastName: `Lovelace ${number}`,
    amountMinor: FEE_MINOR,
    currency: 'GBP',
    companyId: COMPANY_ID,
    subscriptionId: id,
    plans: [{ subscriptionId: id, ...PLAN }],
    card: { ...token, brandId: 1, binCountry: 'GB' },
  });
  const books = { sandbox: false, merchantAccountId: ACCOUNT_ID, currency: 'GBP' };
  await append(host, Transaction.streamOf({ tenantId: TENANT_ID, transactionId }), [
    { type: 'PaymentSubmitted', transactionId, ...order, at },
    { type: 'AttemptStarted', attempt: 1, route, at },
    {
      type: 'PaymentCaptured',
      ...books,
      cardBrandId: 1,
      amountMinor: FEE_MINOR,
      authCode: 'A1B2C3',
      gatewayTransactionId: `written-${number}`,
      arn: '',
      note: 'approved',
      fees: [],
      reserveMinor: 0n,
      at,
    },
  ]);
  const { email, customerId, orderId, companyId, sandbox, currency, card } = order;
  const rebillAt = Subscription.later(at, FREQUENCY_DAYS);
  const known = { email, customerId, orderId, companyId, sandbox, currency, card };
  const stream = Subscription.streamOf({ tenantId: TENANT_ID, subscriptionId: id });
  await append(host, stream, [
    {
      type: 'SubscriptionStarted',
      subscriptionId: id,
      ...known,
      transactionId,
      merchantAccountId: ACCOUNT_ID,
      ...PLAN,
      realStartAt: at,
      rebillAt,
      at,
    },
  ]);
}

async function append(
  { commands, events: log }: Host,
  stream: StreamName,
  events: readonly Event[],
): Promise<void> {
  const vault = await sealerOf(commands.executor.vault, { tenantId: TENANT_ID, events });
  if (vault === undefined) throw new Error('a host encrypts the personal data of its events');
  const { outcome } = await log.append({
    stream,
    events: events.map((event) => ({
      id: randomUUID(),
      ...encodeEvent(event, { tenantId: TENANT_ID, vault }),
      tenantId: TENANT_ID,
      time: STARTED_AT,
      metadata: '{"actor":"bench@example.com"}',
    })),
    expected: { kind: 'noStream' },
    command: { id: randomUUID() as CommandId, fingerprint: '0000000000000000' },
  });
  if (outcome !== 'appended') throw new Error(`${stream} was not written: ${outcome}`);
}
