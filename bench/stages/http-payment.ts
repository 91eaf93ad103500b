/** `http-payment`: payments taken over HTTP, intent and outcome durable before the answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prepared, Setting, Stage } from '../harness/stage.ts';
import { makeHostData } from '../load/host-data.ts';
import { paymentPath } from '../load/paths.ts';
import { paymentBody } from '../load/requests.ts';
import { HttpServers, httpFacts } from './http-servers.ts';

/** For payments outside the measurements. */
const FIRST_ORDER = 1;
/** A range of orders per measurement: none is used twice. */
const ORDERS_A_MEASUREMENT = 1_000_000;

export const httpPayment: Stage = {
  name: 'http-payment',
  rows: [
    {
      id: 'http-payment',
      what: 'POST /v1/payments, intent and outcome durable before the answer, 64 connections',
      unit: 'requests/s',
      better: 'higher',
      reach: { 'raw-http': 0.25, 'fastify-sqlite': 3 },
      durability: 'synchronous=FULL: own group commit; fastify-sqlite two commits a request',
    },
  ],
  prepare,
};

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
    let firstOrder = 0;
    const next = () => {
      firstOrder += ORDERS_A_MEASUREMENT;
      return paymentPath(firstOrder);
    };
    const own = servers.measure(servers.host, next);
    let lastOrder = FIRST_ORDER;
    const settle = async () => {
      lastOrder += 1;
      const { status, text } = await servers.host.post('/v1/payments', paymentBody(lastOrder));
      if (status !== 201) throw new Error(`/v1/payments answered ${status}: ${text}`);
      await servers.host.shows(lastOrder);
    };
    return {
      sides: {
        'http-payment': {
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
        },
      },
      facts: httpFacts(),
      close: () => servers.close(),
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
