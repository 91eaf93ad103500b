/** kill -9 while a club is billed: after each restart nothing is lost and no cycle was paid twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Json, present } from './caller.ts';
import { DAY_MS, faultsOf, type Member, readMembers, takenBy } from './club.ts';
import { Dice } from './dice.ts';
import { KilledHost } from './killed-host.ts';

const KILLS = Number(process.env['BILLING_KILLS'] ?? '5');
const MEMBERS = 24;
/** Of the run, so that it replays; the instants of the kernel's scheduler alone are its own. */
const SEED = Number(process.env['FC_SEED']);
const LIMIT_MS = 120_000 + KILLS * 40_000;
const LONGEST_LIFE_MS = 4_000;
const MOVE_DAYS = 40;
const AT_ONCE = 8;

/** Nearly all of them work, so that there is something to be lost. */
const CARDS = [
  '4242424242424242',
  '4242424242424242',
  '5555555555554444',
  '4000000000000366',
  '4000000000000341',
  '4000002760003184',
];

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const host = new KilledHost({ env: { TEST_CLOCK: '1', GATEWAY_TIMEOUT_MS: '2000' } });
beforeAll(() => host.onboard());
afterAll(() => host.remove());

it(`a host killed ${KILLS} times while it bills charges each cycle once`, async () => {
  const dice = new Dice(SEED);
  await host.start();
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => joinAll(lane, dice)));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const moving = move(MOVE_DAYS).catch(() => undefined);
    await sleep(dice.roll(LONGEST_LIFE_MS));
    await host.kill();
    await moving;
    await host.start();
    await expectNoFaults({ stillOpen: true });
  }
  // Wait for pending work, including charges whose responses were lost.
  await move(1);
  await host.kill('SIGTERM');
  const members = await expectNoFaults({ stillOpen: false });
  expect(members.size).toBe(MEMBERS);
  const renewals = [...members.values()].reduce((sum, { renewals: each }) => sum + each.length, 0);
  process.stdout.write(`seed ${SEED}: ${KILLS} kills, ${renewals} renewals\n`);
  expect(renewals).toBeGreaterThan(0);
  const { code, text } = await host.command('doctor');
  expect({ code, text }).toMatchObject({ code: 0 });
  expect(host.faults).toEqual([]);
});

async function joinAll(lane: number, dice: Dice): Promise<void> {
  for (let member = lane; member < MEMBERS; member += AT_ONCE) {
    const number = present(CARDS[member % CARDS.length]);
    const payment = {
      amount: 19.95,
      currency: 'GBP',
      card: { number, expMonth: 12, expYear: 2035, cvv: '123' },
      email: `member-${member}@example.com`,
      applicationId: 1,
      subscription: { name: 'Tea club', rebillAmount: 19.95, frequency: 3 + dice.roll(28) },
    };
    const { status, body } = await host.caller.post('/v1/payments', { body: payment });
    expect({ status, body }).toMatchObject({ status: 201 });
  }
}

async function move(days: number): Promise<Json> {
  const advanceSeconds = (days * DAY_MS) / 1_000;
  const { status, body } = await host.caller.post('/v1/test/clock', { body: { advanceSeconds } });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function expectNoFaults({
  stillOpen,
}: {
  readonly stillOpen: boolean;
}): Promise<ReadonlyMap<number, Member>> {
  return host.beside(async ({ events, gateway }) => {
    // The host keeps running: a fault must be in the gateway's records both before and after the log is read.
    const before = await takenBy(gateway);
    const members = await readMembers(events);
    const after = new Set(faultsOf(members, await takenBy(gateway)));
    const open = stillOpen ? openOf(members) : [];
    const faults = faultsOf(members, before).filter(
      (fault) => after.has(fault) && !open.some((name) => fault.startsWith(name)),
    );
    expect(faults).toEqual([]);
    return members;
  });
}

/** The tries whose outcome is not on record: what the gateway has of them is no fault yet. */
function openOf(members: ReadonlyMap<number, Member>): readonly string[] {
  return [...members].flatMap(([id, { dues, renewals, failures }]) => {
    const settled = new Set([...renewals, ...failures].map(({ transactionId }) => transactionId));
    return dues
      .filter(({ transactionId }) => !settled.has(transactionId))
      .map(({ cycle, attempt }) => `try ${attempt} of cycle ${cycle} of ${id}`);
  });
}
