/** Two hosts on one log: each webhook and each mail goes out once, whichever host took the request. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Sink } from '../engine/webhook-sink.ts';
import { type Answer, present } from './api.ts';
import { MailServer } from './mail-server.ts';
import type { Caller } from './running-host.ts';
import { TwoHosts } from './two-hosts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const TENANT = 650;
const REQUESTS = 20;
const PATIENCE = { timeout: 30_000 };

let mailServer: MailServer;
let both: TwoHosts;
let callers: readonly Caller[];

beforeAll(async () => {
  mailServer = await MailServer.start();
  both = await TwoHosts.start('postgres', {
    env: {
      SMTP_URL: `smtp://localhost:${mailServer.port}`,
      MAIL_FROM: 'ledger@counterfoil.example',
    },
  });
  callers = await both.openTenant(TENANT);
});
afterAll(async () => {
  await both?.close();
  await mailServer?.close();
});

async function made<Item>(asked: Promise<Answer<{ readonly item: Item }>>): Promise<Item> {
  const { status, text, body } = await asked;
  expect(status, text).toBe(201);
  return body.item;
}

/** Both hosts take turns, and the one that sends is stopped half-way. */
async function atBoth(request: (caller: Caller, index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < REQUESTS; index += 1) {
    const caller = callers[index % callers.length];
    if (caller !== undefined) await request(caller, index);
  }
}

it('sends each once, also when the host that sends leaves', async () => {
  const sink = await Sink.start();
  const here = present(callers[0]);
  await made(
    here.post('/api/admin/webhookendpoints', {
      body: { url: sink.url, eventTypes: ['payment.captured'] },
    }),
  );
  await made(here.post('/api/admin/senderdomains', { body: { domain: 'teapots.example' } }));
  const { key: tenantKey } = await made(here.post('/api/admin/keys', { body: { kind: 'tenant' } }));
  const paid = new Set<string>();
  const mailed = new Set<string>();
  const payAndMail = async (caller: Caller, index: number) => {
    const { body } = await caller.pay();
    paid.add(body.id);
    const to = `buyer-${body.id}@shop.example`;
    mailed.add(to);
    const email = {
      tenant_key: tenantKey,
      from: 'orders@teapots.example',
      to,
      subject: `Order ${index}`,
      templateType: 'string',
      templateContent: 'Thank you',
    };
    // The same at both hosts, without a key that the client would make: one mail.
    const answers = await Promise.all(callers.map((each) => each.wire.post('/api/email', email)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  };
  await atBoth(payAndMail);
  await both.closeFirst();
  callers = callers.slice(1);
  await atBoth(payAndMail);

  const sentOf = () =>
    sink.received.map(({ body }) => (body.data['payment'] as { readonly id: string }).id);
  await vi.waitUntil(() => new Set(sentOf()).size === paid.size, PATIENCE);
  await vi.waitUntil(() => new Set(mailServer.offers).size === mailed.size, PATIENCE);
  expect(sentOf().toSorted()).toEqual([...paid].toSorted());
  expect(mailServer.offers.toSorted()).toEqual([...mailed].toSorted());
});
