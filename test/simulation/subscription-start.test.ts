/** kill -9 at captures: every plan of a captured payment has started with it, once. */
import { join } from 'node:path';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Answer, Json } from './caller.ts';
import { Dice } from './dice.ts';
import { KilledHost } from './killed-host.ts';

const SEED = Number(process.env['FC_SEED']);
const ROUNDS = 6;
const PAYMENTS = 24;
const POLLING = { timeout: 60_000, interval: 25 };
const HOOK_MS = 60_000;
const CLUB = { name: 'Tea club', rebillAmount: 19.95, frequency: 30 };
const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

const host = new KilledHost();
beforeAll(() => host.onboard(), HOOK_MS);
afterAll(() => host.remove(), HOOK_MS);

/** The plans of payments in the log, by subscription. */
interface Progress {
  /** Of payments that were captured. */
  readonly paid: ReadonlySet<number>;
  /** How often each was started. */
  readonly starts: ReadonlyMap<number, number>;
  /** Customers of captured payments, and those on record. */
  readonly buyers: ReadonlySet<number>;
  readonly customers: ReadonlySet<number>;
}

it('starts exactly the paid subscriptions, however often the host is killed', async () => {
  const dice = new Dice(SEED);
  const asked = new Map<string, Json>();
  let interrupted = 0;
  await host.start();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const dead = diesAfter(1 + dice.roll(PAYMENTS / 2));
    const sent = Array.from({ length: PAYMENTS }, async (_, index) => {
      const key = `${round}-${index}`;
      const number = dice.roll(4) === 0 ? DECLINED : APPROVED;
      const body = payment(key, { number, plans: 1 + dice.roll(2) });
      asked.set(key, body);
      await host.caller.post('/v1/payments', { body, key });
    });
    await Promise.allSettled(sent);
    await dead;
    const { paid, starts } = await progress();
    interrupted += [...paid].filter((id) => !starts.has(id)).length;
    await host.start();
    await vi.waitUntil(async () => isComplete(await progress()), POLLING);
  }
  // The log appends a capture and what follows from it as one.
  expect(interrupted).toBe(0);
  await expectSameAgain(asked);
  // A charge that was sent again may be a customer's first: the follower of the log learns of them.
  await vi.waitUntil(async () => isComplete(await progress()), POLLING);
  const { paid, starts, buyers, customers } = await progress();
  expect([...starts.keys()].toSorted()).toEqual([...paid].toSorted());
  for (const [id, times] of starts) expect({ id, times }).toEqual({ id, times: 1 });
  expect(customers).toEqual(buyers);
  expect(host.faults).toEqual([]);
}, 300_000);

function payment(key: string, { number, plans }: { number: string; plans: number }): Json {
  const mug = { StorefrontVariantId: 1, StorefrontProductId: 1, Quantity: 1, UnitPrice: 1 };
  return {
    amount: 10,
    currency: 'GBP',
    card: { number, expMonth: 12, expYear: 2039, cvv: '737' },
    email: `${key}@example.com`,
    subscription: CLUB,
    ...(plans > 1 && { items: [{ ...mug, subscription: CLUB }] }),
  };
}

/** Kills the host after that many more captures in the log. */
async function diesAfter(captures: number): Promise<void> {
  const events = await openSqliteEventStore({
    path: join(host.folder, 'events.db'),
    follow: true,
    pollIntervalMs: 1,
  });
  const after = await events.head();
  let left = captures;
  for await (const batch of events.subscribe(after === undefined ? {} : { after })) {
    left -= batch.filter(({ type }) => type === 'PaymentCaptured').length;
    if (left > 0) continue;
    await host.kill();
    break;
  }
  await events.close();
}

async function progress(): Promise<Progress> {
  return host.beside(async ({ events }) => {
    const orders = new Map<string, { plans: number[]; customerId: number }>();
    const paid = new Set<number>();
    const starts = new Map<number, number>();
    const buyers = new Set<number>();
    const customers = new Set<number>();
    for await (const batch of events.subscribe({ untilHead: true })) {
      for (const { stream, type, data } of batch) {
        const facts = JSON.parse(data);
        if (type === 'PaymentSubmitted') {
          const plans = facts.plans.map((plan: Json) => plan.subscriptionId);
          orders.set(stream, { plans, customerId: facts.customerId });
        } else if (type === 'PaymentCaptured') {
          const order = orders.get(stream);
          for (const id of order?.plans ?? []) paid.add(id);
          buyers.add(order?.customerId ?? 0);
        } else if (type === 'SubscriptionStarted') {
          const { subscriptionId } = facts;
          starts.set(subscriptionId, (starts.get(subscriptionId) ?? 0) + 1);
        } else if (type === 'CustomerRegistered') customers.add(facts.customerId);
      }
    }
    return { paid, starts, buyers, customers };
  });
}

function isComplete({ paid, starts, buyers, customers }: Progress): boolean {
  return [...paid].every((id) => starts.has(id)) && [...buyers].every((id) => customers.has(id));
}

/** Every key again: the payment of the first time, with the subscriptions of the first time. */
async function expectSameAgain(asked: ReadonlyMap<string, Json>): Promise<void> {
  const ids = new Set<number>();
  for (const [key, body] of asked) {
    const { status, body: answered } = await settled(key, body);
    const again = await host.caller.get('/v1/payments/{id}', { path: { id: answered.id } });
    expect(again.body.subscriptions).toEqual(answered.subscriptions);
    for (const { id, started } of answered.subscriptions) {
      expect({ key, started }).toEqual({ key, started: status === 201 });
      expect(ids).not.toContain(id);
      ids.add(id);
      const read = await host.caller.get('/v1/subscriptions/{id}', { path: { id } });
      expect({ key, status: read.status }).toEqual({ key, status: started ? 200 : 404 });
    }
  }
}

/** A charge that got lost on its way is sent again under its key. */
async function settled(key: string, body: Json): Promise<Answer> {
  return vi.waitUntil(async () => {
    const answer = await host.caller.post('/v1/payments', { body, key });
    return answer.status === 201 || answer.status === 402 ? answer : undefined;
  }, POLLING);
}
