/** A host that is killed under load has a record of every request that it answered. */
import { randomUUID } from 'node:crypto';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { present } from './caller.ts';
import { KilledHost } from './killed-host.ts';

const KILLS = Number(process.env['ACTIVITY_KILLS'] ?? '3');
const CALLERS = 16;
/** Answers before each kill. */
const ANSWERS = 150;
const LIMIT_MS = 60_000 + KILLS * 20_000;
const APPROVED = present(SANDBOX_CARDS.find(({ behaviour }) => behaviour === 'approve')).number;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let host: KilledHost;
beforeAll(async () => {
  host = new KilledHost();
  await host.onboard();
  await host.start();
});
afterAll(() => host.remove());

/** Every second request is refused. */
async function submitUntilKilled(answered: Set<string>, isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    const payment = {
      amount: turn % 2 === 0 ? 10 : 0,
      currency: 'GBP',
      card: { number: APPROVED, expMonth: 12, expYear: 2040, cvv: '917' },
      email: `person-${turn}@example.com`,
    };
    try {
      const { body } = await host.caller.post('/v1/payments', { body: payment, key: randomUUID() });
      answered.add(body.id ?? body.requestId);
    } catch {
      return;
    }
  }
}

async function recorded(): Promise<Set<string>> {
  const found = new Set<string>();
  for (let from: { cursor?: string } = {}; ; ) {
    const query = { action: 'payments.submit', limit: 100, ...from };
    const { body } = await host.caller.get('/api/admin/activity', { query });
    for (const { subject, requestId } of body.items) found.add(present(subject ?? requestId));
    if (body.next === null) return found;
    from = { cursor: body.next };
  }
}

it(`has them all after ${KILLS} kills`, async () => {
  const answered = new Set<string>();
  for (let round = 1; round <= KILLS; round += 1) {
    const goal = answered.size + ANSWERS;
    let isKilled = false;
    const callers = Array.from({ length: CALLERS }, () =>
      submitUntilKilled(answered, () => isKilled),
    );
    await vi.waitUntil(() => answered.size >= goal, { timeout: LIMIT_MS, interval: 1 });
    await host.kill('SIGKILL');
    isKilled = true;
    await Promise.all(callers);
    await host.start();
  }
  const found = await recorded();
  expect([...answered].filter((each) => !found.has(each))).toEqual([]);
});
