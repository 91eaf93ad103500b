/** Emails a second to a mail server that takes all of them, beside nodemailer sending the same ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { TenantId } from '@counterfoil/core';
import { compose, type Host, readConfig } from '@counterfoil/http-host';
import nodemailer from 'nodemailer';
import type { Row, Stage } from '../harness/stage.ts';

const MAILS = 5_000;
const QUICK_MAILS = 1_500;
const A_BATCH = 100;
/** As Counterfoil has them. */
const CONNECTIONS = 4;
const MAILS_A_CONNECTION = 100;
const LOOK_MS = 5;
const SECOND_MS = 1_000;
const TENANT = 1 as TenantId;
const ACTOR = { actor: 'bench@example.test' };
const SINK = fileURLToPath(new URL('../peers/mail-sink.ts', import.meta.url));

const FROM = 'post@shop.example';
const TEMPLATE = `<!doctype html><html><body><h1>Thank you, {{name}}</h1>${'<p>Your order {{order}} is on its way. We hope that you like it.</p>'.repeat(10)}</body></html>`;

const row: Row = {
  id: 'mails',
  what: 'emails submitted under keys, rendered, sealed, sent and recorded',
  unit: 'mails/s',
  better: 'higher',
  reach: { 'raw-nodemailer': 0.5 },
  durability:
    'WAL: synchronous=FULL for what is submitted, NORMAL for each try; raw-nodemailer keeps nothing',
};

export const mails: Stage = {
  name: 'mails',
  rows: [row],

  async prepare({ folder, quick, say }) {
    const count = quick ? QUICK_MAILS : MAILS;
    const sink = await startSink();
    const host = await compose(
      readConfig({
        DATA_DIR: join(folder, 'host'),
        LOG_LEVEL: 'error',
        SMTP_URL: sink.url,
        MAIL_FROM: FROM,
        // The wait for the next look is no part of the rate.
        DUE_WORK_INTERVAL_MS: '10',
      }),
    );
    await host.tenants.onboard(TENANT, { name: 'Bench' }, ACTOR);
    const { senderDomains } = host.engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
    await senderDomains.create({ domain: 'shop.example' });
    const sender = new Sender(host, count);
    return {
      sides: {
        [row.id]: {
          own: async () => {
            say(`mails: ${count}`);
            return sender.rate();
          },
          peers: { 'raw-nodemailer': () => rawRate(sink.url, sender.parts, count) },
        },
      },
      facts: { mails: `${count} of about 1 KiB, submitted ${A_BATCH} at a time` },
      async close() {
        await host.close();
        sink.child.kill();
      },
    };
  },
};

interface Parts {
  readonly text: string;
  readonly html: string;
}

class Sender {
  readonly #host: Host;
  readonly #count: number;
  #rounds = 0;
  /** Of one of the emails. */
  parts: Parts = { text: '', html: '' };

  constructor(host: Host, count: number) {
    this.#host = host;
    this.#count = count;
  }

  /** From the first that is submitted until each is recorded as sent. */
  async rate(): Promise<number> {
    const { engine } = this.#host;
    const { mails } = engine.ledgers.as({ tenantId: TENANT, ...ACTOR });
    this.#rounds += 1;
    const inputs = Array.from({ length: this.#count }, (_, index) => ({
      from: FROM,
      to: `ann-${index}@example.com`,
      subject: 'Your order',
      templateType: 'string' as const,
      templateContent: TEMPLATE,
      templateData: { name: 'Ann', order: index },
      idempotencyKey: `order ${this.#rounds} ${index}`,
    }));
    this.parts = await mails.preview(inputs[0] as (typeof inputs)[number]);
    const sentBefore = engine.mailing.counts.sent;
    const startedAt = performance.now();
    for (let from = 0; from < inputs.length; from += A_BATCH) {
      const results = await mails.submitBatch(inputs.slice(from, from + A_BATCH));
      if (results.some((each) => 'refusal' in each)) throw new Error('an email was refused');
    }
    while (engine.mailing.counts.sent - sentBefore < this.#count) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return this.#count / ((performance.now() - startedAt) / SECOND_MS);
  }
}

async function rawRate(url: string, { text, html }: Parts, count: number): Promise<number> {
  const { hostname: host, port } = new URL(url);
  const transport = nodemailer.createTransport({
    pool: true,
    host,
    port: Number(port),
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_A_CONNECTION,
  });
  let left = count;
  const startedAt = performance.now();
  const send = async () => {
    while (left > 0) {
      left -= 1;
      const to = `ann-${left}@example.com`;
      await transport.sendMail({ from: FROM, to, subject: 'Your order', text, html });
    }
  };
  // Two for each connection, so that none waits for the next.
  await Promise.all(Array.from({ length: 2 * CONNECTIONS }, send));
  const rate = count / ((performance.now() - startedAt) / SECOND_MS);
  transport.close();
  return rate;
}

async function startSink(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [SINK], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout as Readable), 'line');
  const url = /listens on (smtp:\S+)/.exec(String(line))?.[1];
  if (url === undefined) throw new Error(`the mail server says ${line}`);
  return { url, child };
}
