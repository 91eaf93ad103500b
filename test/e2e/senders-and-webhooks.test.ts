/** Sender domains and webhook endpoints over HTTP: envelopes, versions, and secrets that are stored sealed. */
import { generateKeyPairSync } from 'node:crypto';
import type { TenantId } from '@counterfoil/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, queryOf } from './api.ts';
import { type Caller, expectRefusal, openTenant, type Running, startHost } from './running-host.ts';

const TENANT = 14;
const DOMAINS = '/api/admin/senderdomains';
const { privateKey: PEM } = generateKeyPairSync('rsa', {
  modulusLength: 1_024,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

let running: Running;
let owner: Caller;

beforeAll(async () => {
  running = await startHost();
  owner = await openTenant(running, TENANT);
});
afterAll(async () => running.close());

const changeDomain = (id: string, body: Json, headers = {}) =>
  owner.patch('/api/admin/senderdomains/{id}', { path: { id }, body, headers });

async function expectStoredNowhere(secret: string): Promise<void> {
  for await (const batch of running.host.events.subscribe({ untilHead: true })) {
    for (const event of batch) expect(event.data + event.metadata).not.toContain(secret);
  }
}

it('a sender domain is made, changed from the version that was seen, and removed', async () => {
  const made = await owner.post('/api/admin/senderdomains', { body: { domain: 'made.example' } });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body.item;
  expect(made.headers.get('location')).toBe(`${DOMAINS}/${id}`);
  expect(made.headers.get('etag')).toBe(
    (await owner.get('/api/admin/senderdomains/{id}', { path: { id } })).headers.get('etag'),
  );
  const etag = made.headers.get('etag') ?? '';
  const disabled = await changeDomain(id, { status: 'disabled' }, { 'If-Match': etag });
  expect(disabled.body.item).toMatchObject({ status: 'disabled', rowVersion: 2 });
  const stale = await changeDomain(id, {}, { 'If-Match': etag });
  expectRefusal(stale, 412, 'precondition_failed');
  expectRefusal(
    await owner.post('/api/admin/senderdomains', { body: { domain: 'MADE.example' } }),
    409,
    'duplicate',
  );
  expect((await owner.delete('/api/admin/senderdomains/{id}', { path: { id } })).status).toBe(200);
  expectRefusal(
    await owner.get('/api/admin/senderdomains/{id}', { path: { id } }),
    404,
    'not_found',
  );
});

it('a DKIM key is stored sealed, and what the mails of its domain are signed with', async () => {
  const dkim = { dkimSelector: 's1', dkimPrivateKey: PEM };
  const made = await owner.post('/api/admin/senderdomains', {
    body: { domain: 'signed.example', ...dkim },
  });
  expect(made.text).not.toContain('PRIVATE KEY');
  const { id, dkimPrivateKey } = made.body.item;
  await changeDomain(id, { dkimSelector: 's2', dkimPrivateKey });
  const { senderDomains } = running.host.engine;
  const sender = await senderDomains.senderOf(TENANT as TenantId, 'ann@Signed.example');
  expect(sender?.dkim).toEqual({
    domainName: 'signed.example',
    keySelector: 's2',
    privateKey: PEM,
  });
  await expectStoredNowhere(PEM.slice(40, 80));
});

it('a selector without a key is refused at its place', async () => {
  const answer = await owner.post('/api/admin/senderdomains', {
    body: { domain: 'half.example', dkimSelector: 's1' },
  });
  expectRefusal(answer, 400, 'invalid_request');
  expect(answer.body.errors).toMatchObject([{ pointer: '/dkimPrivateKey' }]);
});

it('a signing secret is in the answer that made it, and sealed in the log', async () => {
  const made = await owner.post('/api/admin/webhookendpoints', {
    body: { url: 'https://hooks.shop.example/in' },
  });
  expect(made.status, made.text).toBe(201);
  const { id, signingSecret } = made.body.item;
  expect(signingSecret).toMatch(/^whsec_/);
  expect(
    (await owner.get('/api/admin/webhookendpoints/{id}', { path: { id } })).text,
  ).not.toContain(signingSecret);
  const rotated = await owner.post('/api/admin/webhookendpoints/{id}/rotate', {
    path: { id },
    body: { overlapDays: 2 },
  });
  expect(rotated.body.item.signingSecret).not.toBe(signingSecret);
  await expectStoredNowhere(signingSecret);
});

it.each([
  [{ url: 'https://10.0.0.1/' }, '', '/url'],
  [{ url: 'http://hooks.shop.example/' }, '', '/url'],
  [{}, '', '/url'],
  [{}, '?direction=in', '/source'],
  [{ source: 'acme-pay', url: 'https://hooks.shop.example/' }, '?direction=in', '/url'],
])('an endpoint of %o%s is refused at %s', async (body, query, pointer) => {
  const answer = await owner.post('/api/admin/webhookendpoints', {
    query: queryOf(query),
    body,
  });
  expectRefusal(answer, 400, 'invalid_request');
  expect(answer.body.errors).toMatchObject([{ pointer }]);
});

it('null in a patch resets a member to its default', async () => {
  const url = 'https://hooks.shop.example/in';
  const made = await owner.post('/api/admin/webhookendpoints', {
    body: { url, eventTypes: ['email.failed'], ordered: false },
  });
  const { id } = made.body.item;
  const reset = await owner.patch('/api/admin/webhookendpoints/{id}', {
    path: { id },
    body: { eventTypes: null, ordered: null },
  });
  expect(reset.body.item).toMatchObject({ eventTypes: ['*'], ordered: true });
});
