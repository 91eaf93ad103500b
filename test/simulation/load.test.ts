/** Mixed traffic for a while: no request is lost, memory stays flat, read models keep up. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Dice } from './dice.ts';
import { type CountedSample, growthOf, sampleOf, watch } from './host-figures.ts';
import { KilledHost } from './killed-host.ts';
import { Load } from './load.ts';
import { expectAllInPlace } from './load-audit.ts';
import { Traffic } from './load-traffic.ts';

const SECONDS = Number(process.env['LOAD_SECONDS'] ?? '12');
const RATE = Number(process.env['LOAD_RATE'] ?? '200');
const SEED = Number(process.env['FC_SEED']);
const POLLING = { timeout: 60_000, interval: 50 };
const LIMIT_MS = 300_000 + SECONDS * 2_000;
/** What memory may grow by for no reason that is known. */
const MOST_GROWTH_MIB = 48;
const MOST_RESIDENT_MIB = 1_536;
/** As many payments are kept in memory as they were used last, each in about so much. */
const CACHED_PAYMENTS = 20_000;
const HEAP_A_PAYMENT_MIB = 0.01;
/** What V8 sets aside for a heap is a multiple of what is used. */
const RESIDENT_A_PAYMENT_MIB = 4 * HEAP_A_PAYMENT_MIB;
/** Searches wait 5 s for what was written; far more than that is no wait but a queue. */
const MOST_BEHIND_SECONDS = Math.min(30, SECONDS / 2);

vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const host = new KilledHost({ env: { LOG_LEVEL: 'warn' } });
beforeAll(() => host.onboard());
afterAll(() => host.remove());

it(`a host under mixed traffic for ${SECONDS} s loses nothing and does not grow`, async () => {
  await host.start();
  const load = new Load(host.caller, { dice: new Dice(SEED), name: `load-${SEED}` });
  const dice = new Dice(SEED + 1);
  const traffic = new Traffic({ caller: host.caller, load, dice, ratePerSecond: RATE });
  const end = AbortSignal.timeout(SECONDS * 1_000);
  const [samples] = await Promise.all([
    watch(host, end, () => traffic.figures.get('payment')?.count ?? 0),
    traffic.run(end),
  ]);

  report(traffic, samples);
  await vi.waitUntil(async () => (await sampleOf(host)).behindEvents === 0, POLLING);
  await expectAllInPlace(host, load.sent);
  expect(Math.max(...samples.map(({ behindSeconds }) => behindSeconds))).toBeLessThan(
    MOST_BEHIND_SECONDS,
  );
  const cached = growthOf(samples, ({ payments }) => Math.min(payments, CACHED_PAYMENTS));
  expect(growthOf(samples, heap)).toBeLessThan(MOST_GROWTH_MIB + cached * HEAP_A_PAYMENT_MIB);
  const residentGrowth = growthOf(samples, resident) - growthOf(samples, files);
  expect(residentGrowth).toBeLessThan(MOST_GROWTH_MIB + cached * RESIDENT_A_PAYMENT_MIB);
  expect(Math.max(...samples.map(resident))).toBeLessThan(MOST_RESIDENT_MIB);
  expect(await host.kill('SIGTERM')).toBe(false);
});

const heap = ({ heapMib }: CountedSample) => heapMib;
const resident = ({ residentMib }: CountedSample) => residentMib;
/** SQLite keeps pages of them, at most all, up to a bound that half an hour does not reach. */
const files = ({ filesMib }: CountedSample) => filesMib;

function report(traffic: Traffic, samples: readonly CountedSample[]): void {
  const most = (figure: (sample: CountedSample) => number) => Math.max(...samples.map(figure));
  const grown = (figure: (sample: CountedSample) => number) => growthOf(samples, figure).toFixed(1);
  const perSecond = (traffic.count / SECONDS).toFixed(0);
  const lines = [
    `seed ${SEED}: ${traffic.count} requests in ${SECONDS} s (${perSecond} a second), ${traffic.refused} refused`,
    ...traffic.lines(),
    `heap at most ${most(heap).toFixed(0)} MiB, grown by ${grown(heap)}`,
    `resident at most ${most(resident).toFixed(0)} MiB, grown by ${grown(resident)}; files by ${grown(files)}`,
    `projections at most ${most(({ behindEvents }) => behindEvents)} events and ${most(({ behindSeconds }) => behindSeconds)} s behind`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
