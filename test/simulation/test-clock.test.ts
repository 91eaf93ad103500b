/** kill -9 while the test clock is moved: it never goes back, and what was due is done once. */
import { decodeEvent } from '@counterfoil/core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Json } from './caller.ts';
import { Dice } from './dice.ts';
import { KilledHost } from './killed-host.ts';

const KILLS = 4;
/** Of the run, so that it replays; the instants of the kernel's scheduler alone are its own. */
const SEED = Number(process.env['FC_SEED']);
const LIMIT_MS = 240_000;
const POLLING = { timeout: 60_000, interval: 2 };
const CLOCK = '/v1/test/clock';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORIZATIONS = 40;
const HOURS_BETWEEN = 5;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const host = new KilledHost({ env: { TEST_CLOCK: '1' } });
beforeAll(() => host.onboard());
afterAll(() => host.remove());

const dice = new Dice(SEED);

async function authorize(changes: Json = {}): Promise<void> {
  const card = { number: '4242424242424242', expMonth: 12, expYear: 2049, cvv: '123' };
  const body = { amount: 10, currency: 'GBP', email: 'ada@shop.example', card, ...changes };
  const answer = await host.caller.post('/v1/payments', { body });
  expect(answer).toMatchObject({ status: 201 });
}

async function move(seconds: number): Promise<Json> {
  const answer = await host.caller.post(CLOCK, { body: { advanceSeconds: seconds } });
  expect(answer).toMatchObject({ status: 200, body: { unfinished: [] } });
  return answer.body;
}

async function shown(): Promise<number> {
  return Date.parse((await host.caller.get(CLOCK)).body.now);
}

interface Progress {
  /** When each payment was authorized, and when it expired, by its stream. */
  readonly authorized: ReadonlyMap<string, number>;
  readonly expired: ReadonlyMap<string, readonly number[]>;
  readonly latestMs: number;
}

/** The progress in the log, read beside the host. */
async function progress(): Promise<Progress> {
  return host.beside(async ({ events }) => {
    const authorized = new Map<string, number>();
    const expired = new Map<string, number[]>();
    let latestMs = 0;
    for await (const batch of events.subscribe({ untilHead: true })) {
      for (const stored of batch) {
        const { stream, time, type } = stored;
        expect(Date.parse(time), 'times go forward').toBeGreaterThanOrEqual(latestMs);
        latestMs = Date.parse(time);
        if (type === 'PaymentAuthorized')
          authorized.set(stream, Date.parse(decodeEvent(stored).at));
        if (type !== 'AuthorizationExpired') continue;
        expired.set(stream, [...(expired.get(stream) ?? []), Date.parse(decodeEvent(stored).at)]);
      }
    }
    return { authorized, expired, latestMs };
  });
}

it(`a host killed ${KILLS} times on the way comes back to the step it had reached`, async () => {
  await host.start();
  for (let made = 0; made < AUTHORIZATIONS; made += 1) {
    await authorize({ capture: false });
    await move(HOURS_BETWEEN * 3_600);
  }
  for (let killed = 0; killed < KILLS; killed += 1) {
    const before = await shown();
    const body = { advanceSeconds: 3 * 86_400 };
    const moving = host.caller.post(CLOCK, { body }).catch(() => undefined);
    // As soon as it is somewhere on the way; a fast machine may have arrived by then.
    const aimMs = before + dice.roll(60) * HOUR_MS;
    let last = before;
    await vi.waitUntil(async () => {
      last = Math.max(last, await shown());
      return last > aimMs;
    }, POLLING);
    await host.kill();
    await moving;
    await host.start();
    expect(await shown()).toBeGreaterThanOrEqual(last);
    // First what was due at the step that was reached, and nothing that is not.
    const { now } = await move(0);
    await expectEnded(Date.parse(now));
  }
  await move(30 * 86_400);
  await expectEnded(await shown());
  const { authorized, expired } = await progress();
  expect([authorized.size, expired.size]).toEqual([AUTHORIZATIONS, AUTHORIZATIONS]);
  expect(host.faults).toEqual([]);
});

/** Exactly those authorizations have expired that stood for seven days, each of them once. */
async function expectEnded(nowMs: number): Promise<void> {
  const { authorized, expired } = await progress();
  for (const [stream, atMs] of authorized) {
    const ends = expired.get(stream) ?? [];
    const dueMs = atMs + 7 * DAY_MS;
    // One that became due since the clock was read may have expired or not.
    if (Math.abs(dueMs - nowMs) > HOUR_MS) expect(ends).toHaveLength(dueMs <= nowMs ? 1 : 0);
    for (const endMs of ends) expect(endMs).toBeGreaterThanOrEqual(dueMs);
  }
}
