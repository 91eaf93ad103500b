/** A club from its first order through ten years and every answer of the sandbox: charged once a cycle. */
import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Subscription, type TransactionId } from '@counterfoil/core';
import { PROJECTIONS } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { expectCaughtUp } from './audit.ts';
import { present } from './caller.ts';
import { Club, DAY_MS, faultsOf, readMembers, recordsOf, TENANT_ID, takenBy } from './club.ts';

const CYCLES = 120;
const LIMIT_MS = 120_000;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let club: Club;
afterEach(() => club.remove());

it(`bills ${CYCLES} cycles on the day and the millisecond, leap days and ends of months among them`, async () => {
  club = await Club.founded({ begin: '2028-02-29T23:59:59.999Z' });
  const begin = club.nowMs;
  const id = await club.join(1, { frequency: 31, trialDays: 14 });
  const due = (cycle: number) => begin + (14 + (cycle - 2) * 31) * DAY_MS;
  for (let cycle = 2; cycle <= CYCLES; cycle += 1) {
    club.nowMs = due(cycle) - 1;
    await club.round();
    club.nowMs = due(cycle);
    await club.round();
  }
  const member = (await readMembers(club.host.events)).get(id);
  expect(member?.dues.map(({ at }) => Date.parse(at))).toEqual(
    Array.from({ length: CYCLES - 1 }, (_, index) => due(index + 2)),
  );
  expect(member?.renewals.map(({ rebillAt }) => Date.parse(rebillAt ?? ''))).toEqual(
    Array.from({ length: CYCLES - 1 }, (_, index) => due(index + 3)),
  );
  const records = await recordsOf(club.caller, id);
  expect(records).toHaveLength(CYCLES);
  for (const [index, record] of records.entries()) {
    expect(record).toMatchObject({
      paymentNumber: index + 1,
      attempt: 1,
      totalAttempt: index + 1,
      subId: id,
      applicationId: index === 0 ? 1 : 3,
      amount: 19.95,
      status: 'Captured',
    });
  }
  await expectSoundBooks();
});

/** By the card: on which days after the first rebill is due there are tries, and what becomes of it. */
const FATES = [
  ['4000000000000341', [0], 'insufficient-funds'],
  ['4000000000000358', [0], 'hard-decline'],
  ['4000002760003184', [0], 'authentication-required'],
] as const;

/** Replacement cards with constant responses. */
const LATER = [
  ['4000000000000002', [0, 1, 3, 5, 7], 'retries-exhausted'],
  ['4000000000009995', [0], 'insufficient-funds'],
  ['4000000000009979', [0], 'hard-decline'],
  ['4000000000003220', [0], 'authentication-required'],
  ['4000000000000119', [0, 1, 3, 5, 7], 'retries-exhausted'],
  ['4000000000040826', [0, 1, 3, 5, 7], 'retries-exhausted'],
  ['4000000000040818', [0, 30, 60], undefined],
  ['4242424242424242', [0, 30, 60], undefined],
] as const;

it('takes every answer of the sandbox for what it is', async () => {
  club = await Club.founded({ onDisk: true, begin: '2026-01-31T09:00:00.000Z' });
  const begin = club.nowMs;
  const fates = new Map<number, readonly [readonly number[], string | undefined]>();
  for (const [index, [number, days, reason]] of FATES.entries()) {
    fates.set(await club.join(index, { number }), [days, reason]);
  }
  for (const [index, [number, days, reason]] of LATER.entries()) {
    const id = await club.join(100 + index);
    await club.changeCard(id, number);
    fates.set(id, [days, reason]);
  }
  const sometimes = await club.join(200, { number: '4000000000000366' });
  for (let day = 30; day < 100; day += 1) {
    club.nowMs = begin + day * DAY_MS;
    await club.round();
    await club.settle();
  }
  const members = await readMembers(club.host.events);
  for (const [id, [days, reason]] of fates) {
    const member = members.get(id);
    const tried = member?.dues.map(({ at }) => Math.floor((Date.parse(at) - begin) / DAY_MS) - 30);
    expect([id, tried, member?.freezes[0]?.reason]).toEqual([id, [...days], reason]);
  }
  expect(members.get(sometimes)?.renewals.length).toBeGreaterThan(0);
  for (const id of fates.keys()) {
    const records = await recordsOf(club.caller, id);
    const numbers = records.map(({ paymentNumber, attempt, totalAttempt, applicationId }) => [
      paymentNumber,
      attempt,
      totalAttempt,
      applicationId,
    ]);
    const dues = members.get(id)?.dues ?? [];
    expect(numbers).toEqual([
      [1, 1, 1, 1],
      ...dues.map(({ cycle, attempt, totalAttempt }) => [
        cycle,
        attempt,
        totalAttempt,
        attempt === 1 ? 3 : 4,
      ]),
    ]);
  }
  await expectSoundBooks();
});

it('after a year without billing, charges each member once', async () => {
  club = await Club.founded({ onDisk: true, begin: '2027-11-30T00:00:00.000Z' });
  const ids = [await club.join(1), await club.join(2, { frequency: 1 })];
  await club.close();
  club.nowMs += 400 * DAY_MS;
  await club.open();
  for (let round = 0; round < 3; round += 1) await club.round();
  const members = await readMembers(club.host.events);
  for (const id of ids) expect(members.get(id)?.renewals).toHaveLength(1);
  // Set back, the clock finds nothing due.
  club.nowMs -= 400 * DAY_MS;
  await club.round();
  club.nowMs += 400 * DAY_MS;
  const again = await readMembers(club.host.events);
  for (const id of ids) expect(again.get(id)?.dues).toHaveLength(1);
  await expectSoundBooks();
});

it('charges no one who was erased, not even for a try that was begun', async () => {
  club = await Club.founded({ onDisk: true, begin: '2026-05-31T09:00:00.000Z' });
  const ids = [await club.join(1), await club.join(2)];
  const [begun = 0] = ids;
  const { commands } = club.host;
  const one = { tenantId: TENANT_ID, subscriptionId: begun, cycle: 2, attempt: 1 };
  // As a host leaves it that died before it made the payment. The clock follows: billing works beside the test.
  const transactionId = randomUUID() as TransactionId;
  const begin = {
    type: 'BeginRebill',
    ...one,
    transactionId,
    at: new Date(club.nowMs + 30 * DAY_MS).toISOString(),
  } as const;
  await commands.execute(Subscription, begin, { commandId: randomUUID() }, { actor: 'test' });
  for (const { started } of (await readMembers(club.host.events)).values()) {
    const erased = await club.caller.delete('/customers/{id}', {
      path: { id: started.customerId },
    });
    expect(erased).toMatchObject({ status: 200 });
  }
  club.nowMs += 30 * DAY_MS;
  for (let day = 0; day < 3; day += 1) {
    await club.round();
    await club.settle();
    club.nowMs += 30 * DAY_MS;
  }
  const members = await readMembers(club.host.events);
  expect(ids.map((id) => members.get(id)?.dues.length)).toEqual([1, 0]);
  expect(members.get(begun)?.failures).toMatchObject([{ declineCode: 'subscription_closed' }]);
  const { body } = await club.caller.get('/v1/payments/{id}', { path: { id: transactionId } });
  expect(body).toMatchObject({ status: 'Failed' });
  await expectSoundBooks();
});

it('does not charge again after the log was restored from a backup that is older than the charges', async () => {
  const former = await Club.founded({ onDisk: true, begin: '2026-04-30T09:00:00.000Z' });
  const ids = [await former.join(1), await former.join(2)];
  await former.close();
  club = new Club({ onDisk: true, begin: '2026-04-30T09:00:00.000Z' });
  for (const name of ['events.db', 'keys.db', 'secrets.json']) {
    copyFileSync(join(former.folder, name), join(club.folder, name));
  }
  await former.open();
  former.nowMs += 30 * DAY_MS;
  await former.round();
  expect((await takenBy(former.gateway)).size).toBe(4);
  await former.close();
  // What the gateway did, it did: it is another party.
  const books = 'sandbox-gateway.db';
  copyFileSync(join(former.folder, books), join(club.folder, books));
  await former.remove();
  await club.open();
  club.caller = former.callerOf(club);
  club.nowMs += 30 * DAY_MS;
  for (let round = 0; round < 2; round += 1) await club.round();
  const members = await readMembers(club.host.events);
  for (const id of ids) expect(members.get(id)?.renewals).toHaveLength(1);
  expect((await takenBy(club.gateway)).size).toBe(4);
  await expectSoundBooks();
});

/** Gateway, ledger and subscriptions agree; the read models equal a replay. */
async function expectSoundBooks(): Promise<void> {
  const { events, readModels } = club.host;
  await expectCaughtUp(events, readModels);
  const members = await readMembers(events);
  const taken = await takenBy(club.gateway);
  expect(faultsOf(members, taken)).toEqual([]);
  const renewed = [...members.values()].reduce((sum, { renewals }) => sum + renewals.length, 0);
  const trial = await club.caller.get('/api/ledger/trial-balance');
  expect(trial.body).toMatchObject({ success: true, balanced: true });
  const { body } = await club.caller.get('/api/ledger/accounts');
  const sales = present(body.accounts.find(({ account }) => account === 'sales'));
  expect(Math.round((sales.credit - sales.debit) * 100)).toBe(1_995 * (members.size + renewed));
  const { vault } = club.host.commands.executor;
  await club.withWritableReadModels((store) =>
    expectEqualToRebuilt({ events, store, vault, projections: PROJECTIONS }),
  );
}
