/** `http-payment`: payments taken over HTTP, intent and outcome durable before the answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prepared, Row, Setting, Sides, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import type { Payers } from '../load/job.ts';
import { paymentPath } from '../load/paths.ts';
import { KNOWN_CUSTOMERS, paymentBody } from '../load/requests.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

/** For payments outside the measurements. */
const FIRST_ORDER = 1;
/** A range of orders per measurement: none is used twice. */
const ORDERS_A_MEASUREMENT = 1_000_000;

const common = {
  unit: 'requests/s',
  better: 'higher',
  reach: { 'raw-http': 0.12, 'fastify-sqlite': 2.5 },
  durability: 'synchronous=FULL: own group commit; fastify-sqlite two commits a request',
} as const;

const known: Row = {
  ...common,
  id: 'http-payment',
  what: 'POST /v1/payments of customers who have paid before, 64 connections',
};
const fresh: Row = {
  ...common,
  id: 'http-payment-new',
  what: 'POST /v1/payments, each the first of its customer, 64 connections',
};

export const httpPayment: Stage = { name: 'http-payment', rows: [known, fresh], prepare };

async function prepare(setting: Setting): Promise<Prepared> {
  const { folder, seed, say } = setting;
  const data = await makeHostData({ folder: join(folder, 'data'), payments: 0, seed, say });
  const servers = await HttpServers.start(setting, data);
  try {
    const raw = await servers.rawHttp('/v1/payments', paymentBody(FIRST_ORDER), {
      'Idempotency-Key': `order-${FIRST_ORDER}`,
    });
    const template = join(folder, 'payment.json');
    writeFileSync(template, raw.answer);
    const fastify = await servers.fastify(join(folder, 'fastify.db'), template);
    let lastOrder = FIRST_ORDER;
    say('http-payment: the first payments of the known customers');
    lastOrder += await servers.sendAtLeast(KNOWN_CUSTOMERS, (sent) =>
      paymentPath(lastOrder + 1 + sent),
    );
    const settle = async () => {
      lastOrder += 1;
      const { status, text } = await servers.host.post('/v1/payments', paymentBody(lastOrder));
      if (status !== 201) throw new Error(`/v1/payments answered ${status}: ${text}`);
      await servers.host.shows(lastOrder);
    };
    await settle();
    let firstOrder = 0;
    const sidesOf = (payers: Payers): Sides => {
      const next = () => {
        firstOrder += ORDERS_A_MEASUREMENT;
        return paymentPath(firstOrder, payers);
      };
      const own = servers.measure(servers.host, next);
      return {
        async own() {
          const rate = await own();
          // The projections of one side finish before the next side starts.
          say('http-payment: waiting for the projections');
          await settle();
          return rate;
        },
        peers: {
          'raw-http': servers.measure(raw.server, () => ({ ...next(), answer: raw.answer })),
          'fastify-sqlite': servers.measure(fastify, next),
        },
      };
    };
    return {
      sides: { [known.id]: sidesOf('known'), [fresh.id]: sidesOf('new') },
      facts: httpFacts(),
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
