/** Mixed traffic for a while: no request is lost, memory stays flat, read models keep up. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { growthOf, type Sample, sampleOf, watch } from './host-figures.ts';
import { KilledHost } from './killed-host.ts';
import { Dice, Load } from './load.ts';
import { expectAllInPlace } from './load-audit.ts';
import { Traffic } from './load-traffic.ts';

const SECONDS = Number(process.env['LOAD_SECONDS'] ?? '20');
const RATE = Number(process.env['LOAD_RATE'] ?? '200');
const SEED = Number(process.env['FC_SEED']);
const POLLING = { timeout: 60_000, interval: 50 };
const LIMIT_MS = 300_000 + SECONDS * 2_000;
/** A run this long has filled every cache that has a bound. */
const LONG_SECONDS = 600;
/** What the heap may grow by: caches that are not full yet in a short run, next to nothing in a long one. */
const MOST_HEAP_GROWTH_MIB = SECONDS < LONG_SECONDS ? 100 : 24;
const MOST_GROWTH_MIB = SECONDS < LONG_SECONDS ? 250 : 64;
/** Searches wait 5 s for what was written; far more than that is no wait but a queue. */
const MOST_BEHIND_SECONDS = 30;

const host = new KilledHost({ env: { LOG_LEVEL: 'warn' } });
beforeAll(() => host.onboard());
afterAll(() => host.remove());

it(
  `a host under mixed traffic for ${SECONDS} s loses nothing and does not grow`,
  async () => {
    await host.start();
    const load = new Load(host.caller, { dice: new Dice(SEED), name: `load-${SEED}` });
    const dice = new Dice(SEED + 1);
    const traffic = new Traffic({ caller: host.caller, load, dice, ratePerSecond: RATE });
    const end = AbortSignal.timeout(SECONDS * 1_000);
    const [samples] = await Promise.all([watch(host.url, end), traffic.run(end)]);

    report(traffic, samples);
    await vi.waitUntil(async () => (await sampleOf(host.url)).behindEvents === 0, POLLING);
    await expectAllInPlace(host, load.sent);
    expect(Math.max(...samples.map(({ behindSeconds }) => behindSeconds))).toBeLessThan(
      MOST_BEHIND_SECONDS,
    );
    expect(growthOf(samples, ({ heapMib }) => heapMib)).toBeLessThan(MOST_HEAP_GROWTH_MIB);
    expect(growthOf(samples, ({ residentMib }) => residentMib)).toBeLessThan(MOST_GROWTH_MIB);
    expect(await host.kill('SIGTERM')).toBe(false);
  },
  LIMIT_MS,
);

function report(traffic: Traffic, samples: readonly Sample[]): void {
  const most = (figure: (sample: Sample) => number) => Math.max(...samples.map(figure));
  const grown = (figure: (sample: Sample) => number) => growthOf(samples, figure).toFixed(1);
  const heap = ({ heapMib }: Sample) => heapMib;
  const resident = ({ residentMib }: Sample) => residentMib;
  const perSecond = (traffic.count / SECONDS).toFixed(0);
  const lines = [
    `seed ${SEED}: ${traffic.count} requests in ${SECONDS} s (${perSecond} a second), ${traffic.refused} refused`,
    ...traffic.lines(),
    `heap at most ${most(heap).toFixed(0)} MiB, grown by ${grown(heap)}`,
    `resident at most ${most(resident).toFixed(0)} MiB, grown by ${grown(resident)}`,
    `projections at most ${most(({ behindEvents }) => behindEvents)} events and ${most(({ behindSeconds }) => behindSeconds)} s behind`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
