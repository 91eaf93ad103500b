/** Webhooks a second to a receiver that refuses a tenth, beside `node:http` posting the same bodies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { TenantId } from '@counterfoil/core';
import { compose, type Host, readConfig } from '@counterfoil/http-host';
import type { Row, Stage } from '../harness/stage.ts';

const LEADS = 10_000;
const QUICK_LEADS = 3_000;
/** Leads that are written at once. */
const WRITTEN_AT_ONCE = 100;
/** As many as go to one endpoint at once. */
const RAW_AT_ONCE = 16;
const LOOK_MS = 20;
const SECOND_MS = 1_000;
const REST_MS = 600_000;
const TENANT = 1 as TenantId;
const ACTOR = { actor: 'bench@example.test' };
const SINK = fileURLToPath(new URL('../peers/webhook-sink.ts', import.meta.url));

const row: Row = {
  id: 'webhooks',
  what: 'webhooks of paid leads made, signed, sent and recorded, a tenth of them refused',
  unit: 'webhooks/s',
  better: 'higher',
  reach: { 'raw-client': 0.5 },
  durability: 'WAL, synchronous=NORMAL: each try is recorded; raw-client records nothing',
};

export const webhooks: Stage = {
  name: 'webhooks',
  rows: [row],

  async prepare({ folder, quick, say }) {
    const count = quick ? QUICK_LEADS : LEADS;
    const sink = await startSink();
    const config = readConfig({
      DATA_DIR: join(folder, 'host'),
      LOG_LEVEL: 'error',
      // The wait for the next look is hardly a part of the rate; nor is that of other work.
      DUE_WORK_INTERVAL_MS: '50',
    });
    const host = await compose(config);
    await host.tenants.onboard(TENANT, { name: 'Bench' }, ACTOR);
    const sender = new Sender(host, sink.url, count);
    return {
      sides: {
        [row.id]: {
          own: async () => {
            say(`webhooks: ${count} paid leads`);
            return sender.rate();
          },
          peers: { 'raw-client': () => rawRate(sink.url, sender.body, count) },
        },
      },
      facts: {
        webhooks: `${count} of customer_lead.paid to one endpoint, each of a subject of its own; first tries`,
      },
      async close() {
        await host.close();
        sink.child.kill();
      },
    };
  },
};

class Sender {
  readonly #host: Host;
  readonly #url: string;
  readonly #count: number;
  #rounds = 0;
  /** Of one of the messages. */
  body = '{}';

  constructor(host: Host, url: string, count: number) {
    this.#host = host;
    this.#url = url;
    this.#count = count;
  }

  /** Of tries, from when they may be made until each has an answer that is recorded. */
  async rate(): Promise<number> {
    const { engine, events } = this.#host;
    const {
      webhookEndpoints,
      webhooks: sent,
      leads,
    } = engine.ledgers.as({
      tenantId: TENANT,
      ...ACTOR,
    });
    const { id } = await webhookEndpoints.create({ direction: 'out', url: this.#url });
    await webhookEndpoints.pause(id);
    this.#rounds += 1;
    const write = async (index: number) => {
      const sessionId = `session-${this.#rounds}-${index}`;
      const email = `${sessionId}@example.com`;
      await leads.write({ sessionId, applicationId: 1, email, firstName: 'Ann' });
      await leads.reportTransaction(sessionId, {
        source: 'acme',
        transactionId: sessionId,
        applicationId: 1,
        amount: '19.99',
        currency: 'GBP',
        partnerSession: sessionId,
      });
    };
    for (let from = 0; from < this.#count; from += WRITTEN_AT_ONCE) {
      const indices = Array.from({ length: WRITTEN_AT_ONCE }, (_, index) => from + index);
      await Promise.all(indices.map(write));
    }
    const head = await events.head();
    if (head !== undefined) {
      await engine.followerProgress.reached(head, { timeoutMs: REST_MS });
      await engine.stores.progress.reached(head, { timeoutMs: REST_MS });
    }
    await this.#until(async () => (await engine.deliveries.waiting('pending')).length === 0);
    await webhookEndpoints.resume(id);
    const startedAt = performance.now();
    await this.#until(async () => {
      const now = new Date().toISOString();
      const pending = await engine.deliveries.waiting('pending');
      const held = await engine.deliveries.waiting('held');
      return held.length === 0 && pending.every(({ dueAt }) => dueAt > now);
    });
    const seconds = (performance.now() - startedAt) / SECOND_MS;
    const [delivery] = (await sent.deliveries(id, { limit: 1 })).items;
    if (delivery === undefined) throw new Error('nothing was sent');
    this.body = JSON.stringify((await sent.delivery(id, delivery.id)).body);
    // What was refused is not sent again during the next measurement.
    await webhookEndpoints.remove(id);
    await this.#until(async () => (await engine.deliveries.waiting('pending')).length === 0);
    return this.#count / seconds;
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function rawRate(url: string, body: string, count: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'webhook-id': '0198c0de-0000-7000-8000-000000000000',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  };
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      request.on('error', reject);
      request.end(body);
    });
  let left = count;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: RAW_AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1;
        await post();
      }
    }),
  );
  agent.destroy();
  return count / ((performance.now() - startedAt) / SECOND_MS);
}

async function startSink(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [SINK], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout as Readable), 'line');
  const url = /listens on (http:\S+)/.exec(String(line))?.[1];
  if (url === undefined) throw new Error(`the receiver says ${line}`);
  return { url: `${url}/`, child };
}
