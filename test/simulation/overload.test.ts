/** More than a host can do while its gateway stalls: refused early, nothing lost, and over when it is over. */
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Answer, requestOf } from './caller.ts';
import { Dice } from './dice.ts';
import { sampleOf } from './host-figures.ts';
import { KilledHost } from './killed-host.ts';
import { Load, type Sent } from './load.ts';
import { expectAllInPlace } from './load-audit.ts';
import { modelOf } from './model.ts';

const SEED = Number(process.env['FC_SEED']);
const MAX_IN_FLIGHT = 20;
const WAVES = 2;
const SLOW = 30;
const QUICK = 60;
/** Fewer than are refused, more than one by one. */
const AT_ONCE = 15;
const MOST_RESIDENT_MIB = 512;
const LIMIT_MS = 180_000;

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const host = new KilledHost({
  // However slow this machine is, only what is in flight is to be too much.
  env: {
    MAX_IN_FLIGHT: String(MAX_IN_FLIGHT),
    MAX_LOOP_DELAY_MS: '600000',
    LOG_LEVEL: 'warn',
  },
});
beforeAll(() => host.onboard());
afterAll(() => host.remove());

function numberOf(behaviour: string): string {
  return SANDBOX_CARDS.find((card) => card.behaviour === behaviour)?.number ?? '';
}

function paymentOf(number: string, key: string): Sent {
  const card = { number, expMonth: 12, expYear: 2040, cvv: '9173', holder: 'Ada Lovelace' };
  const body = { amount: 100, currency: 'GBP', capture: true, card, email: 'ada@example.com' };
  return { deed: 'payment', key, request: requestOf('post', '/v1/payments', { body, key }) };
}

it('a host with a stalled gateway refuses early, loses nothing, and recovers', async () => {
  await host.start();
  const load = new Load(host.caller, { dice: new Dice(SEED), name: 'overload' });
  const answers: Answer[] = [];
  for (let wave = 0; wave < WAVES; wave += 1) {
    const numbers = [
      ...Array.from({ length: SLOW }, () => numberOf('slow')),
      ...Array.from({ length: QUICK }, () => numberOf('approve')),
    ];
    const sent = numbers.map((number, index) => paymentOf(number, `wave-${wave}-${index}`));
    load.sent.push(...sent);
    const asked = sent.map(({ request }) => host.caller.send(request));
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect((await fetch(host.url + path)).status, path).toBe(200);
    }
    answers.push(...(await Promise.all(asked)));
  }

  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, headers } of refused) {
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toEqual({
      success: false,
      code: 'overloaded',
      message: expect.any(String),
      requestId: expect.any(String),
    });
  }
  const accepted = answers.filter((each) => !refused.includes(each));
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([201]));
  // Of what was refused nothing was done.
  const model = await host.beside(({ events, keys: vault }) => modelOf(events, { vault }));
  const ids = [...model.payments.values()].map(({ id }) => id);
  expect(ids.sort()).toEqual(accepted.map(({ body }) => body.id).sort());

  await load.repeat(load.sent, AT_ONCE);
  expect(new Set(load.sent.map(({ answer }) => answer?.status))).toEqual(new Set([201]));
  await expectAllInPlace(host, load.sent);
  const { inFlight, residentMib } = await sampleOf(host);
  // The question for the figures itself.
  expect(inFlight).toBe(1);
  expect(residentMib).toBeLessThan(MOST_RESIDENT_MIB);
  expect(await host.kill('SIGTERM')).toBe(false);
});
