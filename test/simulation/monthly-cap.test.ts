/** kill -9 while payments fill a monthly cap: it holds, and no room of it is lost. */
import { decodeEvent, fold, MonthlyCap, type TenantId } from '@counterfoil/core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Answer, Json } from './caller.ts';
import { Dice } from './dice.ts';
import { KilledHost } from './killed-host.ts';

const KILLS = 4;
/** Of the run, so that it replays; the instants of the kernel's scheduler alone are its own. */
const SEED = Number(process.env['FC_SEED']);
const POLLING = { timeout: 60_000, interval: 50 };
const LIMIT_MS = 240_000;
const CAP = 1_500;
const AMOUNT = 10;
const AT_ONCE = 16;
/** A day ahead within its month, so that the run ends in the month in which it began. */
const DAY = `${new Date().getUTCFullYear() + 1}-05-10T12:00:00.000Z`;
const LEASE_AND_MORE_S = 3_600;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const host = new KilledHost({ env: { TEST_CLOCK: '1' } });
beforeAll(() => host.onboard({ monthlyCap: CAP }));
afterAll(() => host.remove());

const dice = new Dice(SEED);
const sent: Json[] = [];
const answers = new Map<string, Answer>();

const APPROVE = '4242424242424242';
/** Declined softly, so that the other account is tried; declined for good; found approved later. */
const OTHERS = ['4000000000009995', '4000000000009979', '4000000000040818'];

function draw(): Json {
  const number = dice.roll(3) === 0 ? OTHERS[dice.roll(OTHERS.length)] : APPROVE;
  const card = { number, expMonth: 12, expYear: 2049, cvv: '123' };
  const body = { amount: AMOUNT, currency: 'GBP', email: 'ada@shop.example', card };
  const payment = { key: `cap-${SEED}-${sent.length}`, body };
  sent.push(payment);
  return payment;
}

/** Undefined when the host died over it. */
async function send({ key, body }: Json): Promise<Answer | undefined> {
  const answer = await host.caller.post('/v1/payments', { body, key }).catch(() => undefined);
  if (answer !== undefined && answer.status < 500) answers.set(key, answer);
  return answer;
}

/** Callers that run until the host is killed; resolves after that many responses. */
async function crowd(count: number): Promise<{ ended: Promise<unknown> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  const call = async () => {
    while ((await send(draw())) !== undefined) {
      left -= 1;
      if (left === 0) resolve();
    }
  };
  const ended = Promise.all(Array.from({ length: AT_ONCE }, call));
  await promise;
  return { ended };
}

async function move(to: Json): Promise<void> {
  const { status, body } = await host.caller.post('/v1/test/clock', { body: to });
  expect({ status, body }).toMatchObject({ status: 200 });
}

interface Taken {
  readonly capturedMinor: bigint;
  readonly book: MonthlyCap.State;
}

/** What the log says of the account. */
async function taken(): Promise<Taken> {
  const tenantId = 1 as TenantId;
  const month = MonthlyCap.monthOf(DAY);
  const stream = MonthlyCap.streamOf({ tenantId, sandbox: false, merchantAccountId: 1, month });
  return host.beside(async ({ events }) => {
    // The book first: what is captured after it was read cannot be missing from the sum.
    const past = (await events.read(stream)).map((stored) => decodeEvent(stored));
    let capturedMinor = 0n;
    for await (const batch of events.subscribe({ untilHead: true })) {
      for (const stored of batch) {
        if (stored.type !== 'PaymentCaptured') continue;
        const event = decodeEvent(stored);
        if (event.type === 'PaymentCaptured' && event.merchantAccountId === 1) {
          capturedMinor += event.amountMinor;
        }
      }
    }
    return { capturedMinor, book: fold(MonthlyCap, past as MonthlyCap.Event[]) };
  });
}

it(`is kept to, and can be used up, by a host that is killed ${KILLS} times`, async () => {
  await host.start();
  await move({ now: DAY });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { ended } = await crowd(1 + dice.roll(20));
    await host.kill();
    await ended;
    const { capturedMinor } = await taken();
    expect(capturedMinor).toBeLessThanOrEqual(BigInt(CAP) * 100n);
    await host.start();
    // Half of the requests without a response are retried under their key.
    const lost = sent.filter(({ key }) => !answers.has(key) && dice.roll(2) === 0);
    await Promise.all(lost.map(send));
  }
  await move({ advanceSeconds: LEASE_AND_MORE_S });
  for (;;) {
    const { key, body } = draw();
    const answer = await send({ key, body: { ...body, merchantAccountId: 1 } });
    if (answer?.status === 400) break;
  }
  let last: Taken | undefined;
  const isSettled = async () => {
    last = await taken();
    return [...last.book.reservations.values()].every(({ lapsed }) => lapsed);
  };
  await vi.waitUntil(isSettled, POLLING).catch(() => undefined);
  expect(last).toMatchObject({
    capturedMinor: BigInt(CAP) * 100n,
    book: { usedMinor: BigInt(CAP) * 100n, reservedMinor: 0n },
  });
  const lapsed = [...(last?.book.reservations.keys() ?? [])].length;
  process.stdout.write(`seed ${SEED}: ${sent.length} keys, ${lapsed} reservations lapsed\n`);
  expect(host.faults).toEqual([]);
});
