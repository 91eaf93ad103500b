/** kill -9 in the middle of each kind of call of a gateway: its books and the ledger's are the same after it. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type StripeServer, startStripeServer } from '../stripe-server/index.ts';
import { type Json, present } from './caller.ts';
import { Gate, type Point } from './gateway-gate.ts';
import { KilledHost } from './killed-host.ts';

const LIMIT_MS = 240_000;
const POLLING = { timeout: 30_000, interval: 50 };
const DAY_SECONDS = 86_400;
const STRIPE = 10;
const MOMENTS = ['before', 'after'] as const;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const CHARGE = { method: 'POST', path: /^\/v1\/payment_intents$/ } as const;
const CAPTURE = { method: 'POST', path: /^\/v1\/payment_intents\/\w+\/capture$/ } as const;
const VOID = { method: 'POST', path: /^\/v1\/payment_intents\/\w+\/cancel$/ } as const;
const REFUND = { method: 'POST', path: /^\/v1\/refunds$/ } as const;
const LOOK_UP = { method: 'GET', path: /^\/v1\/payment_intents$/ } as const;
const READ_REFUND = { method: 'GET', path: /^\/v1\/refunds\/\w+$/ } as const;
const LIST_EVENTS = { method: 'GET', path: /^\/v1\/events$/ } as const;
const FILE = { method: 'POST', path: /^\/v1\/files$/ } as const;
const EVIDENCE = { method: 'POST', path: /^\/v1\/disputes\/\w+$/ } as const;
const CLOSE = { method: 'POST', path: /^\/v1\/disputes\/\w+\/close$/ } as const;
const PAYOUTS = { method: 'GET', path: /^\/v1\/payouts$/ } as const;
const LINES = { method: 'GET', path: /^\/v1\/balance_transactions$/ } as const;
const READ_DISPUTE = { method: 'GET', path: /^\/v1\/disputes\/\w+$/ } as const;

const host = new KilledHost({ env: { TEST_CLOCK: '1', GATEWAYS: '@counterfoil/gateway-stripe' } });
let server: StripeServer;
let gate: Gate;
let account = 0;
let keys = 0;

beforeAll(async () => {
  server = await startStripeServer();
  gate = new Gate({ stripe: server.url, host: () => host.url });
  await gate.open();
  await host.onboard();
  await host.start();
  account = await openAccount();
});
afterAll(async () => {
  await host.remove();
  await gate.close();
  await server.close();
});

/** As the server charges them in pounds. */
const TERMS = { discountRatePercentage: 2.9, gatewayTransactionFee: 0.3, chargebackFee: 15 };

async function openAccount(): Promise<number> {
  const apiKey = JSON.stringify({ key: server.restrictedKey, apiBase: gate.url });
  const opened = {
    mid: '9001',
    title: 'Stripe',
    companyId: 1,
    gatewayId: STRIPE,
    descriptor: 'SHOP*LONDON',
    defaultCurrency: 'GBP',
    currencies: [{ currency: 'GBP', gatewayCredentials: { apiKey } }],
    ...TERMS,
  };
  const { status, body } = await host.caller.post('/api/admin/merchantaccounts', { body: opened });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.returnVal.id;
}

async function pay(more: Json = {}, key = newKey()): Promise<Json> {
  const paid = {
    amount: 19.99,
    currency: 'GBP',
    email: 'ann@example.com',
    gatewayToken: 'pm_card_visa',
    sandbox: true,
    applicationId: 1,
    merchantAccountId: account,
    ...more,
  };
  return (await host.caller.post('/v1/payments', { body: paid, key })).body;
}

const newKey = () => {
  keys += 1;
  return `key-${keys}`;
};

const statusOf = async (id: string) =>
  (await host.caller.get('/v1/payments/{id}', { path: { id } })).body.status;

/** The host dies when each of these points has been reached by a call. */
async function dieAt(points: readonly Point[], act: () => Promise<unknown>): Promise<void> {
  const held = gate.holding(points);
  const acting = act().catch(() => undefined);
  await held;
  await host.kill();
  gate.release();
  await acting;
}

/** The host dies in its start, or in what it does right after. */
async function dieOnceStarted(points: readonly Point[]): Promise<void> {
  const held = gate.holding(points);
  const starting = host.start().catch(() => undefined);
  await held;
  await host.kill();
  gate.release();
  await starting;
}

/** What the server took, gave back and lost to disputes is what is booked, and nobody was charged twice. */
async function expectSameBooks(): Promise<void> {
  const taken = server.paymentIntents().filter(({ amount_received: amount }) => amount > 0);
  const payments = taken.map(({ metadata }) => metadata['counterfoil_payment']);
  expect(new Set(payments).size).toBe(payments.length);
  await vi.waitFor(async () => {
    const { currencies, balanced } = await trialBalance();
    expect(balanced).toBe(true);
    const booked = (name: string) =>
      pence(currencies[0]?.accounts.find(({ account: each }) => each === name)?.balance);
    const books = [booked('sales'), booked('refunds'), booked('chargebacks')];
    const disputed = moved('dispute', 'dispute_reversal');
    const ofServer = [moved('charge'), moved('refund', 'refund_failure'), disputed];
    expect(books).toEqual(ofServer.map((amount) => (amount === 0 ? 0 : -amount)));
  }, POLLING);
}

const SANDBOX = { query: { sandbox: true } };

async function trialBalance() {
  return (await host.caller.get('/api/ledger/trial-balance', SANDBOX)).body;
}

async function balance(account: string): Promise<number> {
  const { currencies } = await trialBalance();
  return pence(currencies[0]?.accounts.find((each) => each.account === account)?.balance);
}

const paidOut = () => server.payouts().reduce((sum, { amount }) => sum + amount, 0);

const pence = (amount: Json) => Math.round(Number(amount ?? 0) * 100);

function moved(...categories: readonly string[]): number {
  return server
    .balanceTransactions()
    .filter(({ reporting_category: category }) => categories.includes(category))
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** One call of each kind under way, on payments that were made before. */
async function openCalls() {
  const [toCapture, toVoid, toRefund] = [
    await pay({ capture: false }),
    await pay({ capture: false }),
    await pay(),
  ];
  const [charge, capture, release, refund] = [newKey(), newKey(), newKey(), newKey()];
  const { caller } = host;
  const make = () =>
    Promise.allSettled([
      pay({}, charge),
      caller.post('/v1/payments/{id}/capture', {
        path: { id: toCapture.id },
        body: {},
        key: capture,
      }),
      caller.post('/v1/payments/{id}/void', { path: { id: toVoid.id }, key: release }),
      caller.post('/customerapi/refund', {
        body: { ...caller.claims, messageId: toRefund.id },
        key: refund,
      }),
    ]);
  const settled = async () => {
    expect(await statusOf(toCapture.id)).toBe('Captured');
    expect(await statusOf(toVoid.id)).toBe('Voided');
  };
  return { make, settled, charge };
}

it('charge, capture, void, refund, and the look-up after them', async () => {
  const intents = () => server.paymentIntents().length;
  for (const when of MOMENTS) {
    const { make, settled, charge } = await openCalls();
    const before = intents();
    const points = [CHARGE, CAPTURE, VOID, REFUND].map((each) => ({ ...each, when }));
    await dieAt(points, make);
    // The sweeper asks about all that is open at a start.
    await dieOnceStarted([{ ...LOOK_UP, when }]);
    await host.start();
    // The caller knows nothing of the charge, and sends it again.
    await vi.waitFor(async () => expect((await pay({}, charge)).status).toBe('Captured'), POLLING);
    await vi.waitFor(settled, POLLING);
    expect(intents()).toBe(before + 1);
    await expectSameBooks();
  }
});

it('rebill', async () => {
  const subscription = { name: 'Tea club', rebillAmount: 9.99, frequency: 30 };
  expect((await pay({ subscription })).status).toBe('Captured');
  const intents = server.paymentIntents().length;
  for (const [cycle, when] of MOMENTS.entries()) {
    const advanceSeconds = 31 * DAY_SECONDS;
    server.advance(advanceSeconds * 1_000);
    await dieAt([{ ...CHARGE, when }], () =>
      host.caller.post('/v1/test/clock', { body: { advanceSeconds } }),
    );
    await host.start();
    await vi.waitFor(
      () => expect(server.paymentIntents()).toHaveLength(intents + cycle + 1),
      POLLING,
    );
    await expectSameBooks();
  }
});

it('a webhook, and the list of those that were lost', async () => {
  const path = `/v1/gateways/stripe/${account}/events?clientId=${host.caller.tenantId}`;
  const { secret } = server.addWebhookEndpoint({ url: gate.url + path });
  const apiKey = JSON.stringify({
    key: server.restrictedKey,
    apiBase: gate.url,
    signingSecrets: [secret],
  });
  const currencies = [{ currency: 'GBP', gatewayCredentials: { apiKey } }];
  const amended = await host.caller.patch('/api/admin/merchantaccounts/{id}', {
    path: { id: account },
    body: { currencies },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  });
  expect(amended.status, JSON.stringify(amended.body)).toBe(200);
  const { claims } = host.caller;
  for (const when of MOMENTS) {
    const { id } = await pay();
    await host.caller.post('/customerapi/refund', { body: { ...claims, messageId: id } });
    await expectSameBooks();
    server.dropWebhooks();
    server.failRefund(server.refunds()[0]?.id ?? '');
    await dieAt([{ ...READ_REFUND, when }], () => server.deliverWebhooks());
    await host.start();
    await server.deliverWebhooks();
    await expectSameBooks();
  }
  const paid = await pay();
  const [intent] = server.paymentIntents();
  expect(intent?.metadata['counterfoil_payment']).toBe(paid.id);
  await host.kill();
  server.createDispute({ of: intent?.id ?? '' });
  server.dropWebhooks();
  await dieOnceStarted([{ ...LIST_EVENTS, when: 'before' }]);
  await dieOnceStarted([{ ...LIST_EVENTS, when: 'after' }]);
  await dieOnceStarted([{ ...READ_DISPUTE, when: 'after' }]);
  await host.start();
  await expectSameBooks();
  expect(moved('dispute')).toBe(-1_999);
  expect(host.faults).toEqual([]);
});

/** A payment that is disputed at Stripe and here. */
async function disputed() {
  const paid = await pay();
  const [intent] = server.paymentIntents();
  expect(intent?.metadata['counterfoil_payment']).toBe(paid.id);
  const reference = server.createDispute({ of: intent?.id ?? '' });
  await server.deliverWebhooks();
  const { items } = (await host.caller.get('/api/admin/disputes', SANDBOX)).body;
  const { disputeId } = present(items.find(({ transactionId }) => transactionId === paid.id));
  const path = { id: disputeId };
  return {
    path,
    atStripe: () => server.disputes().find(({ id }) => id === reference),
    sent: async () =>
      (await host.caller.get('/api/admin/disputes/{id}', { path })).body.evidence.sent,
  };
}

it('evidence with its file, and giving up', async () => {
  for (const point of [FILE, EVIDENCE]) {
    for (const when of MOMENTS) {
      const { path, atStripe, sent } = await disputed();
      const kept = await host.caller.wire.send(
        'POST',
        `/api/admin/disputes/${path.id}/evidence?name=receipt.pdf`,
        '%PDF-1.7 receipt',
        { 'Content-Type': 'application/octet-stream' },
      );
      expect(kept.status, JSON.stringify(kept.body)).toBe(200);
      await dieAt([{ ...point, when }], () =>
        host.caller.post('/api/admin/disputes/{id}/represent', {
          path,
          body: { fields: { remark: 'She was there' } },
          key: newKey(),
        }),
      );
      await host.start();
      await takenOnce(sent, 'evidence');
      const { status, evidence, evidence_details: details } = atStripe() ?? {};
      expect([status, details?.submission_count]).toEqual(['under_review', 1]);
      expect(evidence?.uncategorized_text).toBe('remark: She was there');
    }
  }
  for (const when of MOMENTS) {
    const { path, atStripe, sent } = await disputed();
    await dieAt([{ ...CLOSE, when }], () =>
      host.caller.post('/api/admin/disputes/{id}/accept', { path, key: newKey() }),
    );
    await host.start();
    await takenOnce(sent, 'acceptance');
    expect(atStripe()?.status).toBe('lost');
  }
  await expectSameBooks();
  expect(host.faults).toEqual([]);
});

/** Waits until Stripe has taken the only answer to a dispute. */
async function takenOnce(sent: () => Promise<Json[]>, answer: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await sent()).toMatchObject([{ answer, result: 'taken' }]),
    POLLING,
  );
}

it('the payouts, and the lines of one', async () => {
  const query = { merchantAccountId: account, sandbox: true };
  const settle = () => host.caller.post('/api/admin/settlements/payouts', { query });
  for (const point of [PAYOUTS, LINES]) {
    for (const when of MOMENTS) {
      await pay({ gatewayToken: 'pm_card_bypassPending' });
      const id = server.createPayout({ currency: 'gbp' });
      const advanceSeconds = 3 * DAY_SECONDS;
      server.advance(advanceSeconds * 1_000);
      await dieAt([{ ...point, when }], settle);
      await host.start();
      await vi.waitFor(async () => {
        expect((await settle()).status).toBe(200);
        const { items } = (await host.caller.get('/api/admin/settlements', SANDBOX)).body;
        expect(items.filter(({ name }) => name === id)).toMatchObject([{ status: 'finished' }]);
        expect(await balance('bank')).toBe(paidOut());
      }, POLLING);
      await expectSameBooks();
    }
  }
  expect(host.faults).toEqual([]);
});
