/** kill -9 at random instants under load: nothing that was acknowledged is lost, nothing is done twice. */
import { Transaction } from '@counterfoil/core';
import type { SandboxGateway } from '@counterfoil/engine/gateways';
import { type OpenIntent, openIntents, PROJECTIONS } from '@counterfoil/projections';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Deaths } from './crash-deaths.ts';
import { Dice } from './dice.ts';
import { type Beside, KilledHost } from './killed-host.ts';
import { Load, type Sent } from './load.ts';
import { expectAllInPlace } from './load-audit.ts';
import { isOpen, type Model, modelOf } from './model.ts';

const KILLS = Number(process.env['CRASH_KILLS'] ?? '8');
/** Of the run, so that it replays; the instants of the kernel's scheduler alone are its own. */
const SEED = Number(process.env['FC_SEED']);
const POLLING = { timeout: 60_000, interval: 25 };
const LIMIT_MS = 60_000 + KILLS * 30_000;
/** Keys that are repeated after each restart: all, until there are more. All of them at the end. */
const MOST_REPEATED = 2_000;
const AT_ONCE = 32;
const ROUNDS_BETWEEN_REPORTS = 10;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const host = new KilledHost();
beforeAll(() => host.onboard());
afterAll(() => host.remove());

it(`a host killed ${KILLS} times under load keeps its word`, async () => {
  // Each has dice of its own: how a host dies does not depend on how fast the last one answered.
  const dice = new Dice(SEED);
  const deaths = new Deaths(host, new Dice(SEED + 1));
  const load = new Load(host.caller, { dice: new Dice(SEED + 2), name: `crash-${SEED}` });
  await host.start();
  for (let round = 1; deaths.total < KILLS; round += 1) {
    await deaths.next(load);
    const restartedAt = new Date().toISOString();
    await host.start();
    const again = () => repeat(load, drawn(load.sent, dice));
    // The callers ask again after the sweeper has settled what was open, or while it does.
    if (dice.roll(2) === 0) await Promise.all([settled(restartedAt), again()]);
    else await settled(restartedAt).then(again);
    await expectAllInPlace(host, load.sent);
    if (round % ROUNDS_BETWEEN_REPORTS === 0) report(deaths, load);
  }
  await host.kill('SIGTERM');
  await host.start();
  await settled(undefined);
  await answered();
  await repeat(load, load.sent);
  await expectNothingOpen(await expectAllInPlace(host, load.sent));
  const { code, text } = await host.command('read-models', 'rebuild', '--keep');
  expect({ code, text }).toMatchObject({ code: 0 });
  expect(text.match(/equal to the live build/g)).toHaveLength(PROJECTIONS.length);
  expectEveryKindOf(load.sent);
  report(deaths, load);
});

function report({ counts, stopped, total }: Deaths, { sent }: Load): void {
  const ways = Object.entries(counts).map(([way, count]) => `${count} ${way}`);
  const facts = `${ways.join(', ')}; ${stopped} ended in order; ${sent.length} keys`;
  process.stdout.write(`seed ${SEED}: ${total} kills: ${facts}\n`);
}

/** The newest, which the last kill may have hit, and as many of the others as there is time for. */
function drawn(sent: readonly Sent[], dice: Dice): readonly Sent[] {
  if (sent.length <= MOST_REPEATED) return sent;
  const newest = sent.slice(-MOST_REPEATED / 2);
  const others = Array.from(newest, () => sent[dice.roll(sent.length - newest.length)] as Sent);
  return [...new Set(others), ...newest];
}

/** Every key again: what was answered is answered so again, what was not is answered now. */
async function repeat(load: Load, sent: readonly Sent[]): Promise<void> {
  await load.repeat(sent, AT_ONCE);
  expect(load.sent.filter(({ answer }) => answer === undefined)).toEqual([]);
}

/**
 * What was open before the restart is settled by asking the gateway; but a charge that it has not
 * heard of is not given up as long as the request may be on its way.
 */
async function settled(before: string | undefined): Promise<void> {
  await host.beside(async (files) => {
    let open: readonly OpenIntent[] = [];
    const isSettled = async (): Promise<boolean> => {
      open = await stillOpen(files, before);
      return open.length === 0;
    };
    await vi.waitUntil(isSettled, POLLING).catch(() => undefined);
    expect(open).toEqual([]);
  });
}

async function stillOpen(
  { events, store, gateway }: Beside,
  before: string | undefined,
): Promise<OpenIntent[]> {
  const { work } = await openIntents(store, { limit: 10_000 });
  const heard = await heardBy(gateway);
  const open: OpenIntent[] = [];
  for (const intent of work) {
    const { status, reasons, changedAt } = intent;
    // An unknown outcome has a schedule of its own, which may be longer than this test.
    if (status === 'Unknown' || reasons.every((reason) => reason === 'action')) continue;
    if (before !== undefined && changedAt >= before) continue;
    const { tenantId, transactionId } = intent as OpenIntent & Transaction.Command;
    const stored = await events.read(Transaction.streamOf({ tenantId, transactionId }));
    const attempts = stored.filter(({ type }) => type === 'AttemptStarted').length;
    const isLost = status === 'Processing' && !heard.has(chargeKey(transactionId, attempts));
    if (!isLost) open.push(intent);
  }
  return open;
}

/** The keys of everything that the gateway has been asked for. */
async function heardBy(gateway: SandboxGateway): Promise<Set<string>> {
  const records = await Array.fromAsync(gateway.records());
  return new Set(records.map(({ idempotencyKey }) => idempotencyKey));
}

/** The last attempt may be lost on its way where an earlier one has arrived. */
function chargeKey(id: string, attempts: number): string {
  return `${id}/charge/${attempts}`;
}

/** An outcome that got lost is asked for after five seconds. */
async function answered(): Promise<void> {
  await host.beside(({ events, gateway, keys: vault }) =>
    vi.waitUntil(async () => {
      const { payments } = await modelOf(events, { vault });
      const heard = await heardBy(gateway);
      return [...payments.values()]
        .filter(({ status }) => status === 'Unknown')
        .every(({ id, attempts }) => !heard.has(chargeKey(id, attempts)));
    }, POLLING),
  );
}

/** What is open at the end is what the gateway has never heard of: it may still be on its way. */
async function expectNothingOpen(model: Model): Promise<void> {
  const heard = await host.beside(async ({ gateway }) => heardBy(gateway));
  const open = [...model.payments.values()].filter(isOpen);
  for (const { id, status, attempts } of open) {
    expect({ id, status, heard: heard.has(chargeKey(id, attempts)) }).toEqual({
      id,
      status: 'Unknown',
      heard: false,
    });
  }
}

/** The load was worth its name: everything was asked for, and done. */
function expectEveryKindOf(sent: readonly Sent[]): void {
  const kinds = new Set(sent.map(({ deed, answer }) => `${deed} ${answer?.status}`));
  for (const each of ['payment 201', 'payment 402', 'capture 200', 'void 200', 'refund 201']) {
    expect(kinds).toContain(each);
  }
}
