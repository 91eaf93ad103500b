/** How long an account rests whose credentials are refused, and what ends it. */
import { expect, it } from 'vitest';
import { RestingAccounts, registerRestMetrics } from './resting-accounts.ts';

const MINUTE_MS = 60_000;

const contextOf = (apiKey: string, sandbox = false) => ({
  sandbox,
  account: {
    merchantAccountId: 3,
    mid: '3',
    credentials: { apiKey, username: '', password: '', emailAddress: '' },
  },
});
const A = contextOf('a');

function resting() {
  let nowMs = Date.parse('2026-01-31T12:00:00.000Z');
  const lines: (readonly [object, string])[] = [];
  const log = (facts: object, message: string) => void lines.push([facts, message]);
  const clock = { now: () => new Date(nowMs).toISOString() };
  const rests = new RestingAccounts({ clock, logger: { warn: log, info: log } });
  const pass = (minutes: number) => {
    nowMs += minutes * MINUTE_MS;
  };
  return { rests, lines, pass };
}

it('rests twice as long each time, at most an hour, and is logged once', () => {
  const { rests, lines, pass } = resting();
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    rests.refused(1, A, 'charge');
    pass(minutes - 0.01);
    expect(rests.isResting(1, A)).toBe(true);
    pass(0.01);
    expect(rests.isResting(1, A)).toBe(false);
  }
  expect(lines).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain('"a"');
});

it('takes calls that were under way together as one refusal', () => {
  const { rests, pass } = resting();
  for (let call = 0; call < 10; call += 1) rests.refused(1, A, 'charge');
  pass(1);
  expect(rests.isResting(1, A)).toBe(false);
});

it('ends with a success of the call that was refused, and begins anew', () => {
  const { rests, pass } = resting();
  rests.refused(1, A, 'charge');
  pass(1);
  rests.refused(1, A, 'charge');
  rests.accepted(1, A, 'tokenize');
  expect(rests.isResting(1, A)).toBe(true);
  rests.accepted(1, A, 'charge');
  expect(rests.isNone(1)).toBe(true);
  rests.refused(1, A, 'charge');
  pass(1);
  expect(rests.isResting(1, A)).toBe(false);
});

it('knows accounts by gateway, credentials and environment', () => {
  const { rests } = resting();
  rests.refused(1, A, 'charge');
  expect([
    rests.isResting(1, { ...A, account: { ...A.account, merchantAccountId: 4 } }),
    rests.isResting(1, contextOf('b')),
    rests.isResting(1, contextOf('a', true)),
    rests.isResting(2, A),
  ]).toEqual([true, false, false, false]);
});

it('is to be checked once after each rest', () => {
  const { rests, pass } = resting();
  rests.refused(1, A, 'charge');
  expect(rests.isToBeChecked(1, A)).toBe(false);
  pass(1);
  expect(rests.isToBeChecked(1, A)).toBe(true);
  rests.checked(1, A);
  expect(rests.isToBeChecked(1, A)).toBe(false);
  // The check was too little, so the next rest is longer.
  rests.refused(1, A, 'charge');
  pass(1);
  expect(rests.isResting(1, A)).toBe(true);
});

it('does not outlast a clock that was set back', () => {
  const { rests, pass } = resting();
  rests.refused(1, A, 'charge');
  pass(-1_000);
  expect(rests.isResting(1, A)).toBe(false);
});

it('is shown by gateway', async () => {
  const { rests } = resting();
  rests.refused(10, A, 'charge');
  const gateways = [
    { gatewayId: 1, name: 'Sandbox' },
    { gatewayId: 10, name: 'Stripe' },
  ];
  const looks: (() => Promise<ReadonlyMap<string, unknown>>)[] = [];
  const metrics = {
    gauge: () => undefined,
    counter: () => undefined,
    gauges: ({ look }: { look: () => Promise<ReadonlyMap<string, unknown>> }) => {
      looks.push(look);
    },
  };
  registerRestMetrics(metrics, gateways, rests);
  const shown = await looks[0]?.();
  expect(Object.fromEntries(shown ?? [])).toEqual({ Sandbox: 0, Stripe: 1 });
});
