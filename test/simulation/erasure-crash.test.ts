/** A host that is killed while it erases persons finishes what it had begun, and no amount moves. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { present, type Schemas } from './caller.ts';
import { KilledHost } from './killed-host.ts';

/** `ERASURE_KILLS=50` kills it more often. */
const KILLS = Number(process.env['ERASURE_KILLS'] ?? '4');
const LIMIT_MS = 60_000 + KILLS * 30_000;
const POLLING = { timeout: 30_000, interval: 20 };
const CLUB = { name: 'Tea club', rebillAmount: 19.95, frequency: 30 };
const APPROVED = present(SANDBOX_CARDS.find(({ behaviour }) => behaviour === 'approve')).number;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let host: KilledHost;
beforeAll(async () => {
  host = new KilledHost();
  await host.onboard();
  await host.start();
});
afterAll(() => host.remove());

const emailOf = (round: number) => `person-${round}@analytical.example`;

/** A customer with a subscription; their payment. */
async function subscribed(round: number): Promise<Schemas['Payment']> {
  const payment = {
    amount: 30,
    currency: 'GBP',
    card: { number: APPROVED, expMonth: 12, expYear: 2040, cvv: '917', holder: 'Ada Lovelace' },
    email: emailOf(round),
    customer: { firstName: 'Augusta', lastName: 'Byron-King' },
    subscription: CLUB,
  };
  const { status, body } = await host.caller.post('/v1/payments', { body: payment });
  expect(status, JSON.stringify(body)).toBe(201);
  await vi.waitUntil(async () => (await customer(body.customerId)).status === 200, POLLING);
  return body;
}

function customer(id: number) {
  return host.caller.get('/customers/{id}', { path: { id } });
}

function erase(id: number) {
  return host.caller.delete('/customers/{id}', { path: { id } });
}

/** How often an erasure was requested, and how often it was recorded. */
async function erasuresOf(id: number): Promise<readonly [requested: number, erased: number]> {
  return host.beside(async ({ events }) => {
    const types = (await events.read(`customer_account-1-live-${id}` as never)).map(
      ({ type }) => type,
    );
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    return [count('CustomerErasureRequested'), count('CustomerErased')];
  });
}

it(`finishes over ${KILLS} kills`, async () => {
  const payments: Schemas['Payment'][] = [];
  for (let round = 0; round < KILLS; round += 1) payments.push(await subscribed(round));
  const books = (await host.caller.get('/api/ledger/trial-balance')).body.currencies;
  for (const [round, { customerId, subscriptions }] of payments.entries()) {
    // Each kill a little later in the life of the request.
    const dying = erase(customerId).catch(() => undefined);
    await sleep((round * 60) / KILLS);
    await host.kill();
    await dying;
    await host.start();
    const [requested] = await erasuresOf(customerId);
    if (requested === 0) {
      expect((await customer(customerId)).body).toMatchObject({ erased: false });
      expect((await erase(customerId)).status).toBe(200);
    }
    await vi.waitUntil(async () => (await customer(customerId)).body.erased, POLLING);
    expect(await erasuresOf(customerId)).toEqual([1, 1]);
    const { id } = present(subscriptions[0]);
    const { body } = await host.caller.get('/v1/subscriptions/{id}', { path: { id } });
    expect(body, JSON.stringify(body)).toMatchObject({ active: false });
  }
  for (const [round, { id }] of payments.entries()) {
    const search = { emails: [emailOf(round)], limit: 100 };
    const found = await host.caller.post('/api/transactions/search', { body: search });
    expect(found.body).toMatchObject({ count: 0, transactions: [] });
    const body = { ...host.caller.claims, id, getSearchData: true };
    const { transaction } = (await host.caller.post('/customerapi/detail', { body })).body;
    expect(transaction).toMatchObject({ email: '', name: '', priceVal: 30, status: 'Captured' });
  }
  const after = (await host.caller.get('/api/ledger/trial-balance')).body.currencies;
  expect(after).toEqual(books);
  expect(host.faults).toEqual([]);
  await host.kill('SIGTERM');
  const { code, text } = await host.command('doctor');
  expect({ code, text }).toMatchObject({ code: 0 });
});
