/** A receiver of webhooks on this machine, and a shop that sends to it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { TenantId } from '@counterfoil/core';
import { openLedger, silentLogger } from '@counterfoil/engine';
import { onTestFinished, vi } from 'vitest';
import { withShop } from './shop.ts';

export const TENANT = TenantId.parse(7);
export const POLLING = { timeout: 10_000, interval: 5 };
/** How often due work is looked for in these tests. */
const DUE_WORK_MS = 5;
const TLS = new URL('../event-stores/support/tls/', import.meta.url);
/** Of `localhost`, signed by itself. */
export const CERTIFICATE = readFileSync(new URL('certificate.pem', TLS), 'utf8');

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body. */
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export class Sink {
  readonly received: Received[] = [];
  /** What a request is answered with; 200 by default. */
  answer: (request: Received, response: ServerResponse) => void = (_, response) => response.end();
  readonly #isTls: boolean;
  readonly #server: http.Server | https.Server;

  private constructor(isTls: boolean) {
    this.#isTls = isTls;
    const take: http.RequestListener = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const { headers, url: path = '' } = request;
      const received = { path, headers, text, body: text === '' ? {} : JSON.parse(text) };
      this.received.push(received);
      this.answer(received, response);
    };
    const key = () => readFileSync(new URL('key.pem', TLS));
    this.#server = isTls
      ? https.createServer({ key: key(), cert: CERTIFICATE }, take)
      : http.createServer(take);
  }

  static async start({ isTls = false } = {}): Promise<Sink> {
    const sink = new Sink(isTls);
    sink.#server.listen(0, '127.0.0.1');
    await once(sink.#server, 'listening');
    onTestFinished(() => sink.close());
    return sink;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return this.#isTls ? `https://localhost:${port}/in` : `http://127.0.0.1:${port}/in`;
  }

  async has(count: number): Promise<readonly Received[]> {
    await vi.waitUntil(() => this.received.length >= count, POLLING);
    return this.received;
  }

  status(status: number, headers: Record<string, string> = {}): void {
    this.answer = (_, response) => response.writeHead(status, headers).end('as it is');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A clock that stands until it is moved. */
export class HandClock {
  #ms = Date.now();

  now(): string {
    return new Date(this.#ms).toISOString();
  }

  forward(ms: number): void {
    this.#ms += ms;
  }
}

export async function openSender(options: Partial<Parameters<typeof openLedger>[0]> = {}) {
  const clock = new HandClock();
  const sink = await Sink.start();
  const ledger = await openLedger({
    storage: 'memory:',
    logger: silentLogger,
    clock,
    dueWorkIntervalMs: DUE_WORK_MS,
    loopbackWebhooks: true,
    ...options,
  });
  onTestFinished(() => ledger.close());
  await withShop(ledger, TENANT);
  const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
  const out = { direction: 'out', url: sink.url } as const;
  return { clock, sink, ledger, shop, out };
}

export type Sender = Awaited<ReturnType<typeof openSender>>;

let sessions = 0;

/** A lead, and the payment of another gateway that makes it paid. */
export async function paidLead({ shop }: Pick<Sender, 'shop'>, more: object = {}) {
  sessions += 1;
  const sessionId = `session-${sessions}`;
  const { lead } = await shop.leads.write({
    sessionId,
    applicationId: 1,
    email: 'ann@shop.example',
    firstName: 'Ann',
    ...more,
  });
  await shop.leads.reportTransaction(`event-${sessions}`, {
    source: 'acme',
    transactionId: `t-${sessions}`,
    applicationId: 1,
    amount: '19.99',
    currency: 'GBP',
    partnerSession: sessionId,
    ...('sandbox' in more && { sandbox: true }),
  });
  return lead;
}
