/** Payments per second through the engine in process, beside bare inserts of the same events. */
import { join } from 'node:path';
import type { Position, StoredEvent } from '@counterfoil/core';
import type { Host } from '@counterfoil/http-host';
import { ACTOR, openOwnHost, TENANT } from '../data/own-host.ts';
import type { Row, Stage } from '../harness/stage.ts';
import { RawSqlite } from '../peers/raw-sqlite.ts';

const PAYMENTS = 20_000;
const QUICK_PAYMENTS = 3_000;
const CUSTOMERS = 1_000;
const IN_FLIGHT = 64;
const CARD = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvv: '123' };
const SECOND_MS = 1_000;
const REST_MS = 600_000;

const row: Row = {
  id: 'submit',
  what: 'payments of known customers through the engine in process, 64 at once, sandbox gateway',
  unit: 'payments/s',
  better: 'higher',
  reach: { 'raw-sqlite': 0.4 },
  durability: 'synchronous=FULL on both sides: intent and outcome durable before the answer',
};

const cpu: Row = {
  id: 'submit-cpu',
  what: 'processor time of the main thread for a payment of submit, its followers included',
  unit: 'µs/payment',
  better: 'lower',
  reach: { absolute: null },
  durability: row.durability,
};

export const submit: Stage = {
  name: 'submit',
  rows: [row, cpu],

  async prepare({ folder, quick, say }) {
    const count = quick ? QUICK_PAYMENTS : PAYMENTS;
    const host = await openOwnHost(join(folder, 'host'));
    const payments = new Payments(host);
    say(`submit: the first payments of ${CUSTOMERS} customers`);
    await payments.make(CUSTOMERS);
    let rounds = 0;
    return {
      sides: {
        [row.id]: {
          own: async () => (await payments.make(count)).perSecond,
          peers: {
            'raw-sqlite': async () => {
              rounds += 1;
              const path = join(folder, `raw-${rounds}.db`);
              return rawRate(path, payments.latest) / (payments.latest.length / count);
            },
          },
        },
        [cpu.id]: {
          own: async () => (await payments.make(count)).cpuUs,
          peers: { absolute: async () => 1 },
        },
      },
      facts: { payments: `${count} of ${CUSTOMERS} customers who have paid before` },
      close: () => host.close(),
    };
  },
};

class Payments {
  readonly #host: Host;
  #made = 0;
  /** The events of the last round. */
  latest: readonly StoredEvent[] = [];

  constructor(host: Host) {
    this.#host = host;
  }

  /** Takes payments, and rests; `cpuUs` is the processor time of this thread for each. */
  async make(count: number): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
    const { engine, events } = this.#host;
    const before = await events.head();
    const { payments } = engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
    const end = this.#made + count;
    const cpuBefore = process.threadCpuUsage();
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (this.#made < end) {
          const number = this.#made;
          this.#made += 1;
          const email = `customer-${number % CUSTOMERS}@shop.example`;
          const order = { amount: '19.99', currency: 'GBP', email, card: CARD };
          const { payment } = await payments.submit(order);
          if (payment.status !== 'Captured') throw new Error(`a payment is ${payment.status}`);
        }
      }),
    );
    const seconds = (performance.now() - startedAt) / SECOND_MS;
    const head = (await events.head()) as Position;
    await engine.followerProgress.reached(head, { timeoutMs: REST_MS });
    await engine.stores.progress.reached(head, { timeoutMs: REST_MS });
    const { user, system } = process.threadCpuUsage(cpuBefore);
    this.latest = await this.#after(before);
    return { perSecond: count / seconds, cpuUs: (user + system) / count };
  }

  async #after(after: Position | undefined): Promise<StoredEvent[]> {
    const found: StoredEvent[] = [];
    const options = { untilHead: true, ...(after !== undefined && { after }) };
    for await (const batch of this.#host.events.subscribe(options)) found.push(...batch);
    return found;
  }
}

function rawRate(path: string, events: readonly StoredEvent[]): number {
  const raw = new RawSqlite(path);
  const startedAt = performance.now();
  raw.insert(events, IN_FLIGHT);
  const seconds = (performance.now() - startedAt) / SECOND_MS;
  raw.close();
  return events.length / seconds;
}
