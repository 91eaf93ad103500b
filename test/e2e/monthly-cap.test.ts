/** Monthly caps over HTTP: what fits is taken, what does not goes to another account or to none. */
import { MonthlyCap, Transaction, type TransactionId } from '@counterfoil/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  CARDS,
  type Caller,
  callerWith,
  card,
  eventually,
  expectRefusal,
  type Json,
  openAccount,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from './running-host.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JANUARY = Date.parse('2026-01-10T12:00:00.000Z');

let now = JANUARY;
let running: Running;
let caller: Caller;
let tenant = 100;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
});
afterAll(async () => running.close());

/** A new tenant whose first account has this cap. */
async function capped(monthlyCap: number, settings: Json = {}): Promise<Caller> {
  tenant += 1;
  return openTenant(running, tenant, { account: { monthlyCap, ...settings } });
}

const first = () => tenant * 10 + 1;
const second = () => tenant * 10 + 2;

async function openSecond(settings: Json = {}): Promise<void> {
  await openAccount(running, tenant, second(), settings);
  await running.host.readSide.caughtUp(tenant);
}

/** The book of an account's month. */
async function bookOf({
  account = first(),
  month = '2026-01',
  sandbox = false,
} = {}): Promise<MonthlyCap.State> {
  const tenantId = tenant as TenantId;
  const stream = MonthlyCap.streamOf({ tenantId, sandbox, merchantAccountId: account, month });
  return running.host.commands.stateOf(MonthlyCap, stream);
}

/** Once every outcome has found its way into the book. */
async function settled(of: Parameters<typeof bookOf>[0] = {}): Promise<MonthlyCap.State> {
  return eventually(
    () => bookOf(of),
    ({ reservations }) => reservations.size === 0,
  );
}

const accountOf = ({ body }: Answer): number => body.attempts.at(-1).merchantAccountId;

async function storyOf(transactionId: TransactionId): Promise<string[]> {
  const stream = Transaction.streamOf({ tenantId: tenant as TenantId, transactionId });
  return (await running.host.events.read(stream)).map(({ type }) => type);
}

/** Every account was passed over, this one for want of room. */
function expectNoRoom(answer: Answer, account = first()): void {
  expectRefusal(answer, 400, 'no_merchant_account');
  expect(answer.body.errors).toContainEqual({
    in: 'body',
    pointer: '/merchantAccountId',
    detail: `${account}: over-monthly-cap`,
  });
}

beforeEach(() => {
  now = JANUARY;
});

describe('a capped account', () => {
  it('takes payments up to its cap, and leaves the others to the next account', async () => {
    caller = await capped(250);
    await openSecond();
    const answers = [await caller.pay(), await caller.pay(), await caller.pay()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.map(accountOf)).toEqual([first(), first(), second()]);
    expect(answers[2]?.body.attempts[0]?.skipped).toEqual([
      { merchantAccountId: first(), reason: 'over-monthly-cap' },
    ]);
    // What is smaller still fits.
    const small = await caller.pay({ amount: 50 });
    expect(accountOf(small)).toBe(first());
    expect(await settled()).toMatchObject({ usedMinor: 25_000n, reservedMinor: 0n });
    expect(await settled({ account: second() })).toMatchObject({ usedMinor: 0n });
  });

  it('refuses what no account has room for, and says so', async () => {
    caller = await capped(100);
    await caller.paid();
    expectNoRoom(await caller.pay({ amount: 0.01 }));
    expectNoRoom(await caller.pay({ amount: 0.01, merchantAccountId: first() }));
    expect(await caller.found({})).toHaveLength(1);
  });

  it('notes once when it became limited, and not for a payment that never fits', async () => {
    caller = await capped(100);
    expectNoRoom(await caller.pay({ amount: 100.01 }));
    expect(await bookOf()).toMatchObject({ limit: null });
    await caller.paid();
    now += HOUR_MS;
    const at = new Date(now).toISOString();
    expectNoRoom(await caller.pay());
    now += HOUR_MS;
    expectNoRoom(await caller.pay());
    expect(await bookOf()).toMatchObject({ limit: { at } });
  });

  it('has room again on the first of the month, in GMT', async () => {
    caller = await capped(100);
    now = Date.parse('2026-01-31T23:59:59.998Z');
    await caller.paid();
    now += 1;
    expectNoRoom(await caller.pay());
    now += 1;
    await caller.paid();
    expectNoRoom(await caller.pay());
    expect(await settled({ month: '2026-02' })).toMatchObject({ usedMinor: 10_000n });
    expect(await settled()).toMatchObject({ usedMinor: 10_000n });
  });

  it('is not limited in other currencies, nor by test data', async () => {
    caller = await capped(100);
    await caller.paid();
    await caller.paid({ currency: 'USD' });
    const tester = await callerWith(running, tenant, { environment: 'test' });
    await tester.paid();
    expectNoRoom(await tester.pay());
    expectNoRoom(await caller.pay());
    expect(await settled({ sandbox: true })).toMatchObject({ usedMinor: 10_000n });
  });

  it('leaves no account to a payment that names it', async () => {
    caller = await capped(100);
    await openSecond();
    await caller.paid();
    expectNoRoom(await caller.pay({ merchantAccountId: first() }));
    expect(accountOf(await caller.pay({ merchantAccountId: second() }))).toBe(second());
  });
});

describe('room', () => {
  it('that a capture leaves is free again from its answer on', async () => {
    caller = await capped(100);
    const { id } = await caller.paid({ capture: false });
    expect(
      (await caller.post('/v1/payments/{id}/capture', { path: { id }, body: { amount: 40 } }))
        .status,
    ).toBe(200);
    expect(await bookOf()).toMatchObject({ usedMinor: 4_000n, reservations: new Map() });
    expectNoRoom(await caller.pay({ amount: 60.01 }));
    await caller.paid({ amount: 60 });
  });

  it.each([
    ['timeoutApprove', 10_000n],
    ['timeoutDecline', 0n],
    ['timeoutNothing', 0n],
  ] as const)('of %s is held until the gateway was asked', async (name, usedMinor) => {
    caller = await capped(100);
    const { body } = await caller.pay({ card: card(CARDS[name]) });
    expect(body).toMatchObject({ status: 'Unknown' });
    expectNoRoom(await caller.pay());
    await eventually(
      () => {
        now += DAY_MS / 2;
        return caller.get('/v1/payments/{id}', { path: { id: body.id } });
      },
      (answer) => answer.body.status !== 'Unknown',
    );
    expect(await settled()).toMatchObject({ usedMinor });
  });
});

describe('a repetition', () => {
  const key = { 'Idempotency-Key': 'order-1' };

  it('takes no room, however late it comes', async () => {
    caller = await capped(200);
    const paid = await caller.pay({}, key);
    expect(paid.status).toBe(201);
    await settled();
    // Beyond the 24 hours for which answers are kept.
    now += 2 * DAY_MS;
    for (const repeated of [await caller.pay({}, key), await caller.pay({}, key)]) {
      expect(repeated.status).toBe(201);
      expect(repeated.body.id).toBe(paid.body.id);
    }
    expect(await bookOf()).toMatchObject({ usedMinor: 10_000n, reservedMinor: 0n });
    await caller.paid();
    // The month is full by now, and the payment is still the one that was taken.
    const late = await caller.pay({}, key);
    expect(late.body).toMatchObject({ id: paid.body.id, status: 'Captured' });
    expect(await settled()).toMatchObject({ usedMinor: 20_000n, reservedMinor: 0n });
  });
});

describe('an attempt on another account', () => {
  const retries = { allowRetriesFromOtherMids: true };

  it('reserves its amount, and releases it when it is declined', async () => {
    caller = await capped(100, retries);
    await openSecond({ monthlyCap: 100 });
    const declined = await caller.pay({ card: card(CARDS.insufficientFunds) });
    expect(declined.status).toBe(402);
    expect(declined.body.attempts.map(({ merchantAccountId }: Json) => merchantAccountId)).toEqual([
      first(),
      second(),
    ]);
    expect((await settled()).usedMinor).toBe(0n);
    expect((await settled({ account: second() })).usedMinor).toBe(0n);
    const answers = [await caller.pay(), await caller.pay()];
    expect(answers.map(accountOf)).toEqual([first(), second()]);
  });

  it('is not made where there is no room', async () => {
    caller = await capped(100, retries);
    await openSecond({ monthlyCap: 50 });
    const declined = await caller.pay({ card: card(CARDS.insufficientFunds) });
    expect(declined.status).toBe(402);
    expect(declined.body.attempts).toHaveLength(1);
    const detail = await caller.detail(declined.body.id, { getSearchData: true });
    expect(detail.body.routing).toMatchObject({
      attempts: [{ merchantAccountId: first(), outcome: 'declined', skipped: [] }],
      skipped: [
        { merchantAccountId: first(), reason: 'already-tried' },
        { merchantAccountId: second(), reason: 'over-monthly-cap' },
      ],
    });
    // The decline was the last word at once: no attempt was promised that could not be made.
    expect(await storyOf(declined.body.id as TransactionId)).toEqual([
      'PaymentSubmitted',
      'AttemptStarted',
      'PaymentDeclined',
    ]);
    await caller.paid();
  });
});

describe('a crowd', () => {
  it('of 64 at 10 rooms is 10 payments', async () => {
    caller = await capped(1_000);
    const answers = await Promise.all(Array.from({ length: 64 }, () => caller.pay()));
    const taken = answers.filter(({ status }) => status === 201);
    expect(taken).toHaveLength(10);
    for (const answer of answers) if (answer.status !== 201) expectNoRoom(answer);
    expect(await settled()).toMatchObject({ usedMinor: 100_000n, reservedMinor: 0n });
    expect(await caller.balances()).toMatchObject({ sales: -1_000 });
  });

  it('spreads over the accounts that have room', async () => {
    caller = await capped(500);
    await openSecond({ monthlyCap: 700 });
    const answers = await Promise.all(Array.from({ length: 32 }, () => caller.pay()));
    const taken = answers.filter(({ status }) => status === 201).map(accountOf);
    expect(taken.filter((account) => account === first())).toHaveLength(5);
    expect(taken.filter((account) => account === second())).toHaveLength(7);
  });

  it('of declines leaves the room to the others', async () => {
    caller = await capped(1_000);
    const numbers = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0 ? CARDS.stolen : CARDS.approve,
    );
    await Promise.all(numbers.map((number) => caller.pay({ card: card(number) })));
    for (;;) {
      const { status } = await caller.pay();
      if (status !== 201) break;
    }
    expect(await settled()).toMatchObject({ usedMinor: 100_000n });
  });
});
