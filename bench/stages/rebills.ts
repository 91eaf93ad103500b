/** Rebills per second, end to end: a month of subscriptions that are due at the same time. */
import { join } from 'node:path';
import type { Position, StoredEvent } from '@counterfoil/core';
import type { Host } from '@counterfoil/http-host';
import { dueRebills } from '@counterfoil/projections';
import { MonthlyClock, openBillingHost } from '../data/billing-host.ts';
import type { Row, Stage } from '../harness/stage.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';

const SUBSCRIPTIONS = 100_000;
const QUICK_SUBSCRIPTIONS = 5_000;
/** The peer inserts this many of a round's events: enough for a steady rate. */
const RAW_EVENTS = 50_000;
const RAW_PER_COMMIT = 64;
const LOOK_MS = 20;
const MIB = 2 ** 20;

const rate: Row = {
  id: 'rebills',
  what: 'rebills end to end with the sandbox gateway, all due at once',
  unit: 'rebills/s',
  better: 'higher',
  reach: { 'raw-sqlite': 0.3 },
  durability: 'synchronous=FULL with WAL on both sides; each step durable before the next',
};
const memory: Row = {
  id: 'rebills-memory',
  what: 'the largest resident memory while they are made',
  unit: 'MiB',
  better: 'lower',
  reach: { 'own-idle': 2 },
  durability: 'as above',
};

export const rebills: Stage = {
  name: 'rebills',
  rows: [rate, memory],

  async prepare(setting) {
    const count = setting.quick ? QUICK_SUBSCRIPTIONS : SUBSCRIPTIONS;
    const clock = new MonthlyClock();
    const host = await openBillingHost(setting, count, clock);
    const months = new Months(host, clock, count);
    const idleMib = process.memoryUsage().rss / MIB;
    const raw = join(setting.folder, 'raw');
    let rawRounds = 0;
    /** Months whose memory is not reported yet: they need not be billed again for it. */
    const billed: Billed[] = [];
    const bill = async () => {
      const month = await months.bill();
      billed.push(month);
      return month;
    };
    return {
      sides: {
        [rate.id]: {
          own: async () => (await bill()).rate,
          peers: {
            'raw-sqlite': async () => {
              const { sample, eventsOfOne } = await months.latest();
              rawRounds += 1;
              return rawRate(`${raw}-${rawRounds}.db`, sample) / eventsOfOne;
            },
          },
        },
        [memory.id]: {
          own: async () => (billed.shift() ?? (await months.bill())).largestMib,
          peers: { 'own-idle': async () => idleMib },
        },
      },
      facts: {
        subscriptions: `${count}, of as many customers, all due at one instant`,
        eventsOfARebill:
          'RebillDue, PaymentSubmitted and AttemptStarted; PaymentCaptured and SubscriptionRenewed',
        end: 'every renewal in the log, and no rebill due or pending in the read models',
        memory:
          'the whole process: host, sandbox gateway and bench; the projections in a thread of it',
      },
      close: () => host.close(),
    };
  },
};

interface Billed {
  readonly rate: number;
  readonly largestMib: number;
}

/** Bills month after month, with the host's own worker. */
class Months {
  readonly #host: Host;
  readonly #clock: MonthlyClock;
  readonly #count: number;
  #before: Position | undefined;

  constructor(host: Host, clock: MonthlyClock, count: number) {
    this.#host = host;
    this.#clock = clock;
    this.#count = count;
  }

  async bill(): Promise<Billed> {
    this.#before = await this.#host.events.head();
    let largest = 0;
    const watch = setInterval(() => {
      largest = Math.max(largest, process.memoryUsage().rss);
    }, LOOK_MS);
    const begin = performance.now();
    this.#clock.leap();
    await this.#renewed();
    const seconds = (performance.now() - begin) / 1_000;
    clearInterval(watch);
    return { rate: this.#count / seconds, largestMib: largest / MIB };
  }

  /** Waits until every subscription is renewed, and the read models show it. */
  async #renewed(): Promise<void> {
    let renewals = 0;
    const stop = new AbortController();
    const after = this.#before;
    const options = { signal: stop.signal, ...(after !== undefined && { after }) };
    for await (const batch of this.#host.events.subscribe(options)) {
      renewals += batch.filter(({ type }) => type === 'SubscriptionRenewed').length;
      if (renewals >= this.#count) break;
    }
    stop.abort();
    const query = { limit: 1, now: this.#clock.now() };
    while ((await dueRebills(this.#host.readModels, query)).work.length > 0) await pause();
  }

  /** A sample of the latest month's events, and their number per rebill. */
  async latest(): Promise<{ sample: readonly StoredEvent[]; eventsOfOne: number }> {
    const sample: StoredEvent[] = [];
    let events = 0;
    const after = this.#before;
    const options = { untilHead: true, ...(after !== undefined && { after }) };
    for await (const batch of this.#host.events.subscribe(options)) {
      events += batch.length;
      if (sample.length < RAW_EVENTS) sample.push(...batch);
    }
    return { sample, eventsOfOne: events / this.#count };
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function rawRate(path: string, events: readonly StoredEvent[]): number {
  const raw = new RawSqlite(path);
  const begin = performance.now();
  raw.insert(events, RAW_PER_COMMIT);
  const seconds = (performance.now() - begin) / 1_000;
  raw.close();
  return events.length / seconds;
}
