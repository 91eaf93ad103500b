/** kill -9 at random instants under load: nothing that was acknowledged is lost, nothing is done twice. */
import { SANDBOX_CARDS, type SandboxGateway } from '@counterfoil/http-host/gateways';
import { type OpenIntent, openIntents } from '@counterfoil/projections';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectAgreement, strangersOf } from './agreement.ts';
import { expectBooks, expectEqualToRebuilt, expectMoneyOutRule } from './audit.ts';
import { KilledHost } from './killed-host.ts';
import { Dice, Load, type Sent } from './load.ts';
import { isOpen, readStory, refundsOf, type Story } from './told.ts';

const KILLS = Number(process.env['CRASH_KILLS'] ?? '10');
/** Of the run, so that it replays; the instants of the kernel's scheduler alone are its own. */
const SEED = Number(process.env['FC_SEED']);
const MOST_ANSWERS = 100;
const LONGEST_DELAY_MS = 20;
const POLLING = { timeout: 20_000, interval: 25 };
const LIMIT_MS = 30_000 + KILLS * 20_000;
/** Requests of earlier rounds that are repeated after each kill. */
const EARLIER = 30;
const QUIET_TRIES = 10;

const host = new KilledHost();
beforeAll(() => host.onboard());
afterAll(() => host.remove());

it(
  `a host killed ${KILLS} times under load keeps its word`,
  async () => {
    const dice = new Dice(SEED);
    const load = new Load(host.caller, { dice, name: `crash-${SEED}` });
    await host.start();
    for (let round = 0; round < KILLS; round += 1) {
      const first = load.sent.length;
      await untilKilled(load, dice);
      const restartedAt = new Date().toISOString();
      await host.start();
      await settled(restartedAt);
      await repeat(load, [...drawn(load.sent.slice(0, first), dice), ...load.sent.slice(first)]);
      await expectAllInPlace(load);
    }
    await host.kill('SIGTERM');
    await host.start();
    await settled(undefined);
    await answered();
    await repeat(load, load.sent);
    const story = await expectAllInPlace(load);
    await expectNothingOpen(story);
    const { code, text } = await host.command('read-models', 'rebuild', '--keep');
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(text.match(/equal to the live build/g)).toHaveLength(3);
    expectEveryKindOf(load.sent);
    expectCleanOutput();
  },
  LIMIT_MS,
);

/** Kills after a drawn number of answers and some milliseconds more, wherever the host is then. */
async function untilKilled(load: Load, dice: Dice): Promise<void> {
  const answers = 1 + dice.roll(MOST_ANSWERS);
  const delayMs = dice.roll(LONGEST_DELAY_MS);
  let killed: Promise<void> | undefined;
  await load.run((count) => {
    if (count < answers || killed !== undefined) return;
    killed = new Promise((resolve) => setTimeout(resolve, delayMs)).then(() => host.kill());
  });
  await killed;
}

function drawn(sent: readonly Sent[], dice: Dice): Sent[] {
  return Array.from(
    { length: Math.min(EARLIER, sent.length) },
    () => sent[dice.roll(sent.length)],
  ).filter((each) => each !== undefined);
}

/** Every key again: what was answered is answered so again, what was not is answered now. */
async function repeat(load: Load, sent: readonly Sent[]): Promise<void> {
  for (let start = 0; start < sent.length; start += 16) {
    const alive = await Promise.all(sent.slice(start, start + 16).map((each) => load.ask(each)));
    expect(alive).not.toContain(false);
  }
  expect(sent.filter(({ answer }) => answer === undefined)).toEqual([]);
}

/**
 * What was open before the restart is settled by asking the gateway; but a charge that it has not
 * heard of is not given up as long as the request may be on its way.
 */
async function settled(before: string | undefined): Promise<void> {
  await host.beside(async ({ store, gateway }) => {
    let open: readonly OpenIntent[] = [];
    const isSettled = async (): Promise<boolean> => {
      const { work } = await openIntents(store, { limit: 10_000 });
      const heard = heardOf(gateway);
      open = work.filter(
        ({ transactionId, status, reasons, changedAt }) =>
          reasons.some((reason) => reason !== 'action') &&
          // An unknown outcome has a schedule of its own, which may be longer than this test.
          status !== 'Unknown' &&
          (status !== 'Processing' || heard.has(transactionId)) &&
          (before === undefined || changedAt < before),
      );
      return open.length === 0;
    };
    await vi.waitUntil(isSettled, POLLING).catch(() => undefined);
    expect(open).toEqual([]);
  });
}

/** The payments that the gateway has been asked to charge. */
function heardOf(gateway: SandboxGateway): Set<string | undefined> {
  return new Set([...gateway.records()].map((each) => each.idempotencyKey.split('/')[0]));
}

/** An outcome that got lost is asked for after five seconds. */
async function answered(): Promise<void> {
  await host.beside(({ events, gateway }) =>
    vi.waitUntil(async () => {
      const unknown = [...(await readStory(events)).payments.values()].filter(
        ({ status }) => status === 'Unknown',
      );
      const heard = heardOf(gateway);
      return unknown.every(({ id }) => !heard.has(id));
    }, POLLING),
  );
}

/** All invariants, at a moment in which the log did not move. */
async function expectAllInPlace(load: Load): Promise<Story> {
  return host.beside(async ({ events, store, gateway }) => {
    for (let tried = 1; ; tried += 1) {
      const head = await events.head();
      try {
        const story = await readStory(events);
        expectAcknowledged(story, load.sent);
        expectMoneyOutRule(story);
        expectAgreement(story, gateway);
        expect(strangersOf(story, gateway)).toEqual([]);
        await expectBooks(story, host.caller);
        await expectEqualToRebuilt(events, store);
        return story;
      } catch (error) {
        if (tried === QUIET_TRIES || (await events.head()) === head) throw error;
      }
    }
  });
}

/** What was acknowledged is there, once; and nothing is there that nobody asked for. */
function expectAcknowledged(story: Story, sent: readonly Sent[]): void {
  const payments = new Map([...story.payments.values()].map((told) => [told.id, told]));
  const refunds = new Map(
    [...payments.values()].flatMap((told) =>
      refundsOf(told, 'RefundPending', 'Refunded', 'RefundFailed').map((each) => [each.id, each]),
    ),
  );
  const done = sent.filter(({ answer }) => answer?.body.id !== undefined);
  const idsOf = (deed: Sent['deed']) =>
    done.filter((each) => each.deed === deed).map(({ answer }) => answer?.body.id as string);
  expect(idsOf('payment').sort()).toEqual([...payments.keys()].sort());
  expect(idsOf('refund').sort()).toEqual([...refunds.keys()].sort());
  for (const { deed, answer, key } of done) {
    if (answer?.status !== 200) continue;
    const told = payments.get(answer.body.id);
    if (deed === 'capture') expect(told?.capturedMinor, key).toBe(10_000n);
    if (deed === 'void') expect(told?.status, key).toBe('Voided');
  }
}

/** What is open at the end is what the gateway has never heard of: it may still be on its way. */
async function expectNothingOpen(story: Story): Promise<void> {
  const heard = await host.beside(async ({ gateway }) =>
    [...gateway.records()].map(({ idempotencyKey }) => idempotencyKey.split('/')[0] ?? ''),
  );
  const open = [...story.payments.values()].filter(isOpen);
  for (const { id, status } of open) {
    expect({ id, status, heard: heard.includes(id) }).toEqual({
      id,
      status: 'Unknown',
      heard: false,
    });
  }
}

/** The load was worth its name: everything was asked for, and done. */
function expectEveryKindOf(sent: readonly Sent[]): void {
  const answered = new Set(sent.map(({ deed, answer }) => `${deed} ${answer?.status}`));
  for (const each of ['payment 201', 'payment 402', 'capture 200', 'void 200', 'refund 201']) {
    expect(answered).toContain(each);
  }
}

/** Nothing went wrong inside, and no card was written out. */
function expectCleanOutput(): void {
  const output = host.output.join('');
  for (const { number } of SANDBOX_CARDS) expect(output).not.toContain(number);
  const bad = output.split('\n').filter((line) => /"level":(50|60)/.test(line));
  expect(bad).toEqual([]);
}
