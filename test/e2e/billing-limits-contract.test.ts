/** What billing must not do too often: more tries than the networks allow, or a cycle twice when clocks jump. */
import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, PLAN, startTimedHost, Timed } from './contract-host.ts';
import {
  CARDS,
  card,
  eventually,
  expectRefusal,
  type Json,
  openTenant,
  startHost,
} from './running-host.ts';

const { doNotHonour: SOFT, insufficientFunds: POOR, approve: GOOD } = CARDS;
const MOST = 15;
let timed: Timed;

afterEach(() => timed.close());

const days = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

describe('the limit of the networks', () => {
  const bring = (id: number, number: string) => timed.act(id, 'card', { card: card(number) });

  /** A member whose card is declined each time. */
  async function declined(frequency = 3): Promise<number> {
    const id = await timed.subscribed({ subscription: { ...PLAN, frequency } });
    expect((await bring(id, SOFT)).status).toBe(200);
    return id;
  }

  /** No 30 days may hold more failed tries of one card than the limit. */
  function expectWithinLimit(rebills: readonly Json[]): void {
    for (const tries of Map.groupBy(rebills, ({ last4 }) => last4).values()) {
      const at = tries.filter(({ success }) => !success).map(({ sent }) => Date.parse(sent));
      for (const from of at) {
        const within = at.filter((each) => each >= from && each < from + 30 * DAY_MS);
        expect(within.length).toBeLessThanOrEqual(MOST);
      }
    }
  }

  test.each([
    ['unfrozen by an admin', (id: number, _turn: number) => timed.act(id, 'unfreeze')],
    ['typed in once more', (id: number, _turn: number) => bring(id, SOFT)],
    [
      'brought back after another one',
      (id: number, turn: number) => bring(id, turn % 2 === 0 ? POOR : SOFT),
    ],
  ])('a card fails at most 15 times within 30 days, however often it is %s', async (_, again) => {
    timed = await startTimedHost();
    const id = await declined();
    for (let turn = 0; turn < 25; turn += 1) {
      await timed.moveDays(2);
      expect((await again(id, turn)).status).toBe(200);
    }
    const rebills = await timed.rebills(id);
    expect(rebills.filter(({ success }) => !success).length).toBeGreaterThan(MOST - 5);
    expectWithinLimit(rebills);
  });

  test('nor within one hour, when two cards are brought to and fro', async () => {
    timed = await startTimedHost();
    const id = await declined(30);
    await timed.moveDays(40);
    for (let turn = 0; turn < 40; turn += 1) {
      expect((await bring(id, turn % 2 === 0 ? POOR : SOFT)).status).toBe(200);
      await timed.moveTo((await timed.now()) + 90_000);
    }
    expectWithinLimit(await timed.rebills(id));
    expect(await timed.subscription(id)).toMatchObject({ freezeReason: 'network-limit' });
  });

  test('another card is not held to what the first one did', async () => {
    timed = await startTimedHost();
    const id = await declined();
    for (let turn = 0; turn < 12; turn += 1) {
      await timed.moveDays(2);
      await timed.act(id, 'unfreeze');
    }
    await bring(id, GOOD);
    await timed.moveDays(4);
    expect((await timed.rebills(id)).at(-1)).toMatchObject({ success: true, last4: '4242' });
  });
});

describe('a clock that jumps', () => {
  /** A host whose clock is set by hand, as a machine's may be, and not moved step by step. */
  async function startJumping() {
    const clock = { at: Date.parse('2031-01-31T10:00:00.000Z'), offset: 0 };
    const running = await startHost({
      clock: { now: () => new Date(clock.at + clock.offset).toISOString() },
    });
    timed = new Timed(running, await openTenant(running, 70));
    return {
      jump: (by: number) => {
        clock.offset += by * DAY_MS;
      },
    };
  }

  const billed = (id: number, count: number) =>
    eventually(
      () => timed.rebills(id),
      (rebills) => rebills.filter(({ success }) => success).length >= count,
    );

  test('ahead over several cycles charges one of them, and continues by the grid', async () => {
    const { jump } = await startJumping();
    const id = await timed.subscribed();
    const { realStartDate } = await timed.subscription(id);
    jump(75);
    const rebills = await billed(id, 1);
    expect(rebills).toMatchObject([{ paymentNumber: 2, attempt: 1, amount: 19.95 }]);
    const { rebillDate } = await timed.subscription(id);
    expect(days(realStartDate, rebillDate)).toBe(90);

    jump(16);
    const [, second, ...more] = await billed(id, 2);
    expect(second).toMatchObject({ application: 'Rebill', attempt: 1 });
    expect(more).toEqual([]);
    const after = await timed.subscription(id);
    expect(days(realStartDate, after.rebillDate)).toBe(120);
  });

  test('back and ahead again does not charge twice', async () => {
    const { jump } = await startJumping();
    const [id, witness] = [await timed.subscribed(), await timed.subscribed()];
    await timed.act(witness, 'plan', { frequency: 10 });
    jump(31);
    await billed(id, 1);
    await billed(witness, 1);
    jump(-31);
    jump(31);
    jump(-20);
    jump(30);
    // The witness is due again, so that the worker is known to have looked.
    await billed(witness, 2);
    expect(await timed.rebills(id)).toMatchObject([{ paymentNumber: 2, success: true }]);
    expect((await timed.caller.balances())['sales']).toBeCloseTo(-200 - 3 * 19.95, 6);
  });

  test('is not moved over HTTP unless the host is in test mode', async () => {
    await startJumping();
    const asked = { advanceSeconds: 86_400 };
    expectRefusal(await timed.caller.post('/v1/test/clock', asked), 404, 'route_not_found');
    const read = await timed.caller.get('/v1/test/clock');
    expectRefusal(read, 404, 'route_not_found');
  });
});
