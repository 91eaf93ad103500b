/** kill -9 while webhooks are sent: each paid lead arrives, under one id however often it is sent. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Api } from '../e2e/api.ts';
import { Dice } from './dice.ts';
import { KilledHost } from './killed-host.ts';

const SEED = Number(process.env['FC_SEED']);
const ROUNDS = 4;
const LEADS_A_ROUND = 6;
const POLLING = { timeout: 60_000, interval: 25 };
const HOOK_MS = 60_000;

interface Message {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly lead?: { readonly id: string } };
}

const host = new KilledHost();
const received: Message[] = [];
/** What a message is answered with. */
let onMessage: (response: ServerResponse) => void = (response) => response.end();
const sink = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const message: Message = JSON.parse(Buffer.concat(chunks).toString());
  expect(request.headers['webhook-id']).toBe(message.id);
  received.push(message);
  onMessage(response);
});
let leadKey = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  await host.onboard();
  await host.start();
  const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  const made = await host.caller.post('/api/admin/webhookendpoints', { body: { url } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const key = await host.caller.post('/api/admin/leadkeys', { body: { applicationId: 1 } });
  leadKey = key.body.item.secretKey;
}, HOOK_MS);
afterAll(async () => {
  await host.remove();
  sink.closeAllConnections();
  sink.close();
}, HOOK_MS);

it('a host killed while it sends loses no paid lead, and gives each one id', async () => {
  const dice = new Dice(SEED);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { promise: dead, resolve: tellDead } = Promise.withResolvers<void>();
    let before = dice.roll(LEADS_A_ROUND);
    const isAnswered = round % 2 === 0;
    onMessage = (response) => {
      before -= 1;
      if (before >= 0) {
        response.end();
        return;
      }
      onMessage = (later) => later.end();
      // The receiver has it; the host does not know that, or has not recorded it.
      if (isAnswered) response.end();
      void host.kill().then(() => tellDead());
    };
    await Promise.allSettled(Array.from({ length: LEADS_A_ROUND }, (_, at) => pay(round, at)));
    await dead;
    await host.start();
  }
  const events = await vi.waitUntil(async () => {
    const sent = await eventsOfLog();
    const has = new Set(received.map(({ id }) => id));
    return sent.every(({ id }) => has.has(id)) && (await pending()) === 0 ? sent : undefined;
  }, POLLING);
  const leads = events.filter(({ type }) => type === 'LeadPaid');
  expect(leads.length).toBeGreaterThan(ROUNDS);
  const ofLeads = received.filter(({ type }) => type === 'customer_lead.paid');
  const ids = Map.groupBy(ofLeads, ({ data }) => data.lead?.id);
  expect(ids.size).toBe(leads.length);
  for (const sent of ids.values()) expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(new Set(received.map(({ id }) => id)).size).toBe(events.length);
  expect(received.length).toBeGreaterThan(events.length);
  expect(host.faults).toEqual([]);
}, 300_000);

/** A lead, and the payment of its session; some get no answer, for the host dies on the way. */
async function pay(round: number, index: number): Promise<void> {
  const session = `session-${round}-${index}`;
  const email = `ann-${round}-${index}@example.com`;
  const headers = { Authorization: `Bearer ${leadKey}` };
  const page = new Api({ url: () => host.url, headers });
  await page.post('/api/public/customer-leads', { body: { email, session_id: session } });
  await host.caller.post('/v1/payments', {
    body: {
      amount: 100,
      currency: 'GBP',
      card: { number: '4242424242424242', expMonth: 12, expYear: 2039, cvv: '737' },
      email,
      applicationId: 1,
      partnerSession: session,
    },
  });
}

/** The events of the log that are sent. */
async function eventsOfLog(): Promise<readonly { id: string; type: string }[]> {
  return host.beside(async ({ events }) => {
    const found: { id: string; type: string }[] = [];
    for await (const batch of events.subscribe({ untilHead: true })) {
      const sent = batch.filter(({ type }) => type === 'LeadPaid' || type === 'PaymentCaptured');
      found.push(...sent.map(({ id, type }) => ({ id, type })));
    }
    return found;
  });
}

async function pending(): Promise<number> {
  const text = await (await fetch(`${host.url}/metrics`)).text();
  return Number(/^webhooks_pending (\d+)$/m.exec(text)?.[1]);
}
