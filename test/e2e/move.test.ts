/** A ledger that goes from files to PostgreSQL and back, by the command: what waited goes out once, answers stay. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Sink } from '../engine/webhook-sink.ts';
import { ranCommand } from '../setup/command-line.ts';
import { newDatabase } from '../setup/databases.ts';
import { MailServer } from './mail-server.ts';
import {
  Caller,
  CHECKOUT,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { CLUB } from './subscribers.ts';

const TENANT = 4;
/** Kept answers last for a day. */
const SHIFT_MS = 8 * 3_600_000;
const POLLING = { timeout: 20_000, interval: 20 };
const LATER = { code: 451, message: 'try again later' };
const ORDER = { 'Idempotency-Key': 'order-1001' };
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

vi.setConfig({ testTimeout: 90_000 });

// The doctor warns of events that are yet to come.
let nowMs = Date.now() - 3 * SHIFT_MS;
const clock = { now: () => new Date(nowMs).toISOString() };

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-moved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Env = Readonly<Record<string, string>>;

function hostOn(env: Env, mails: MailServer): Promise<Running> {
  const mail = { SMTP_URL: mails.url, MAIL_FROM: 'Receipts <receipts@shop.example>' };
  return startHost({ onDisk: true, clock, env: { MASTER_KEY, ...mail, ...env } });
}

/** Moves, and has the doctor look at what came of it. */
async function moved(from: Env, to: Env): Promise<Json> {
  const env = { MASTER_KEY, LOG_LEVEL: 'silent', ...from };
  const place = to['EVENT_STORE_URL'] ?? to['DATA_DIR'] ?? '';
  const ran = await ranCommand(['move', '--to', place, '--json'], env);
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  return JSON.parse(ran.out);
}

/** What the doctor finds. */
async function findings(env: Env): Promise<Json> {
  const ran = await ranCommand(['doctor', '--json'], { MASTER_KEY, LOG_LEVEL: 'silent', ...env });
  return JSON.parse(ran.out).checks.flatMap((each: Json) => each.findings);
}

it('loses nothing and does nothing twice on its way to PostgreSQL and back', async () => {
  const [mails, sink] = [await MailServer.start(), await Sink.start()];
  onTestFinished(() => mails.close());
  const url = await newDatabase();
  const inFiles = { DATA_DIR: newFolder() };
  const onServer = { DATA_DIR: newFolder(), EVENT_STORE_URL: url, READ_MODEL_URL: url };
  const backInFiles = { DATA_DIR: newFolder() };

  const first = await hostOn(inFiles, mails);
  const caller = await openTenant(first, TENANT);
  const made = await caller.post('/api/admin/webhookendpoints', {
    query: { direction: 'out' },
    body: { url: sink.url, eventTypes: ['refund.succeeded'] },
  });
  expect(made.status, made.text).toBe(201);
  const order = await caller.pay({ subscription: CLUB }, ORDER);
  expect(order.status, order.text).toBe(201);
  const lead = await caller.post('/api/admin/leadkeys', { body: { applicationId: CHECKOUT } });
  const visit = await fetch(`${first.url}/api/public/customer-leads`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${lead.body.item.secretKey}`,
    },
    body: JSON.stringify({ email: 'lea@shop.example', session_id: 'visit-1' }),
  });
  expect(visit.ok).toBe(true);
  const gone = await caller.paid({ email: 'bo@shop.example' });
  const person = { path: { id: gone.customerId } };
  await eventually(
    () => caller.get('/customers/{id}', person),
    ({ status }) => status === 200,
  );
  expect((await caller.delete('/customers/{id}', person)).status).toBe(200);
  // Neither the receiver nor the mail server takes anything today.
  sink.status(503);
  mails.afterData.push(...Array.from({ length: 50 }, () => LATER));
  const refund = await caller.refund(order.body.id, { amount: 5, sendUserCommunication: true });
  expect(refund.status, refund.text).toBe(200);
  await vi.waitUntil(() => sink.received.length > 0 && mails.offers.length > 0, POLLING);
  const balances = await caller.balances();
  await first.close();

  const there = await moved(inFiles, onServer);
  expect(there.tables).toContainEqual(expect.objectContaining({ table: 'mails', rows: 1 }));
  expect(there.tables).toContainEqual(
    expect.objectContaining({ table: 'webhook_deliveries', rows: 1 }),
  );
  sink.status(200);
  mails.afterData.length = 0;
  const tried = sink.received.length;
  nowMs += SHIFT_MS;
  const second = await hostOn(onServer, mails);
  const onServerCaller = new Caller(second.url, TENANT, caller.key);
  await eventually(
    () => onServerCaller.get('/v1/payments/{id}', { path: { id: order.body.id } }),
    ({ status }) => status === 200,
  );
  await vi.waitUntil(() => sink.received.length > tried && mails.mails.length > 0, POLLING);
  expect(sink.received.at(-1)?.body.id).toBe(sink.received[0]?.body.id);
  const again = await onServerCaller.pay({ subscription: CLUB }, ORDER);
  expect(again.text).toBe(order.text);
  expect(await onServerCaller.balances()).toEqual(balances);
  expect((await onServerCaller.get('/customers/{id}', person)).text).not.toContain(
    'bo@shop.example',
  );
  await onServerCaller.refund(order.body.id, { amount: 1 });
  await vi.waitUntil(() => sink.received.length > tried + 1, POLLING);
  const sent = sink.received.length;
  await second.close();
  expect(await findings(onServer)).toEqual([]);

  const back = await moved(onServer, backInFiles);
  expect(back.events).toBeGreaterThan(there.events);
  nowMs += SHIFT_MS;
  const third = await hostOn(backInFiles, mails);
  const lastCaller = new Caller(third.url, TENANT, caller.key);
  await eventually(
    () => lastCaller.get('/v1/payments/{id}', { path: { id: order.body.id } }),
    ({ status }) => status === 200,
  );
  expect((await lastCaller.pay({ subscription: CLUB }, ORDER)).body.id).toBe(order.body.id);
  const { items } = (await lastCaller.get('/api/admin/leads')).body;
  expect(items).toMatchObject([{ email: 'lea@shop.example' }]);
  await lastCaller.refund(order.body.id, { amount: 1 });
  await vi.waitUntil(() => sink.received.length > sent, POLLING);
  // The one that was sent is not sent again.
  expect(sink.received).toHaveLength(sent + 1);
  expect(mails.mails).toHaveLength(1);
  await third.close();
  expect(await findings(backInFiles)).toEqual([]);
  expect(await findings(inFiles)).toEqual([]);
});
