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
  const path = `/api/transactions/${id}/webhooks`;
  await expect.poll(async () => (await caller.get(path)).body.count).toBe(1);
  const { body } = await caller.get(path);
  expect(body).toMatchObject({ moreResults: false, items: [{ endpointId }] });
  expect(body.items[0].type).toBe('payment.captured');
  expect((await other.get(path)).status).toBe(404);
});

it('lists the emails about a payment', async () => {
  const { id } = await caller.paid();
  await caller.refund(id, { amount: 5, sendUserCommunication: true });
  const path = `/api/transactions/${id}/emails`;
  await expect.poll(async () => (await caller.get(path)).body.items[0]?.kind).toBe('refunded');
  expect((await other.get(path)).body.code).toBe('not_found');
});

it.each(['emails', 'webhooks'])('refuses %s of what is no payment', async (what) => {
  const { status, body } = await caller.get(`/api/transactions/none/${what}`);
  expect([status, body.code]).toEqual([400, 'invalid_request']);
});
