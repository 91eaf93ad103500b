/** What followed a payment, over HTTP: the webhooks and the emails about it, for its own tenant alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from './running-host.ts';

const TENANT = 61;
const OTHER_TENANT = 62;
/** Nothing listens there. */
const NOWHERE = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'receipts@crockery.example' };

let running: Running;
let caller: Caller;
let other: Caller;

beforeAll(async () => {
  running = await startHost({ env: NOWHERE });
  caller = await openTenant(running, TENANT);
  other = await openTenant(running, OTHER_TENANT);
});
afterAll(() => running.close());

it('lists the webhooks about a payment', async () => {
  const { webhookEndpoints } = running.host.engine.as({ tenantId: TENANT, actor: 'ann' });
  const url = `${running.url}/nowhere`;
  const { id: endpointId } = await webhookEndpoints.create({ direction: 'out', url });
  const { id } = await caller.paid();
  const webhooks = (by: Caller) => by.get('/api/transactions/{id}/webhooks', { path: { id } });
  await expect.poll(async () => (await webhooks(caller)).body.count).toBe(1);
  const { body } = await webhooks(caller);
  expect(body).toMatchObject({ moreResults: false, items: [{ endpointId }] });
  expect(body.items[0]?.type).toBe('payment.captured');
  expect((await webhooks(other)).status).toBe(404);
});

it('lists the emails about a payment', async () => {
  const { id } = await caller.paid();
  await caller.refund(id, { amount: 5, sendUserCommunication: true });
  const emails = (by: Caller) => by.get('/api/transactions/{id}/emails', { path: { id } });
  await expect.poll(async () => (await emails(caller)).body.items[0]?.kind).toBe('refunded');
  expect((await emails(other)).body.code).toBe('not_found');
});

it.each(['emails', 'webhooks'] as const)('refuses %s of what is no payment', async (what) => {
  const { status, body } = await caller.get(`/api/transactions/{id}/${what}`, {
    path: { id: 'none' },
  });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
});
