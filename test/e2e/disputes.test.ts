/** The disputes queue over HTTP: pages, actions, and files of evidence. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  type Caller,
  callerWith,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  USER_EMAIL,
} from './running-host.ts';

const TENANT = 14;
const QUEUE = '/api/admin/disputes';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff]);

let running: Running;
let caller: Caller;
let references = 0;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
});
afterAll(() => running.close());

async function chargeback(): Promise<string> {
  const { id } = await caller.paid({ amount: 10 });
  references += 1;
  const body = { reference: `r-${references}`, amount: 10, currency: 'GBP', transactionId: id };
  const { body: reported } = await caller.post('/api/mitigation/chargebacks', {
    query: { provider: 'acme' },
    body,
  });
  return reported.disputeId;
}

async function upload(path: string, body: Buffer): Promise<{ status: number; body: Json }> {
  const answer = await fetch(running.url + path, {
    method: 'POST',
    headers: {
      Authorization: caller.key,
      ClientId: String(TENANT),
      UserEmail: USER_EMAIL,
      'Content-Type': 'application/octet-stream',
    },
    body: Uint8Array.from(body),
  });
  return { status: answer.status, body: await answer.json() };
}

describe('the queue', () => {
  it('goes on by cursor, and is narrowed by its query', async () => {
    const made = [await chargeback(), await chargeback(), await chargeback()];
    const first = await caller.get('/api/admin/disputes', {
      query: { limit: 2, status: ['ChargebackOpen'] },
    });
    expect(first.body).toMatchObject({ success: true, count: 2, moreResults: true });
    const second = await caller.get('/api/admin/disputes', {
      query: { limit: 2, status: ['ChargebackOpen'], cursor: present(first.body.next) },
    });
    const items = [...first.body.items, ...second.body.items];
    expect(items.map(({ disputeId }: Json) => disputeId).sort()).toEqual(made.sort());
    expect(
      (
        await caller.get('/api/admin/disputes', {
          query: { status: ['AlertOpen', 'AlertExpired'] },
        })
      ).body.count,
    ).toBe(0);
    expectRefusal(
      await caller.get('/api/admin/disputes', { query: { status: ['Open'] } }),
      400,
      'invalid_request',
    );
    expectRefusal(
      await caller.get('/api/admin/disputes', { query: { cursor: 'x' } }),
      400,
      'invalid_request',
    );
  });

  it('answers an action with the dispute as it is then', async () => {
    const id = await chargeback();
    const { status, body } = await caller.post('/api/admin/disputes/{id}/accept', {
      path: { id },
      body: { note: 'ours' },
    });
    expect(status).toBe(200);
    expect(body.item).toMatchObject({ disputeId: id, status: 'ChargebackAccepted', note: 'ours' });
    expectRefusal(
      await caller.post('/api/admin/disputes/{id}/represent', { path: { id }, body: {} }),
      400,
      'payment_state',
    );
    expectRefusal(
      await caller.post('/api/admin/disputes/{id}/decline', { path: { id }, body: {} }),
      404,
      'not_found',
    );
  });

  it('is not represented with nothing', async () => {
    const id = await chargeback();
    for (const body of [{}, { fields: {} }, { fields: { explanation: ' ' } }]) {
      const path = '/api/admin/disputes/{id}/represent';
      expectRefusal(await caller.post(path, { path: { id }, body }), 400, 'evidence_invalid');
    }
    const { body } = await caller.get('/api/admin/disputes/{id}', { path: { id } });
    expect(body.item.status).toBe('ChargebackOpen');
  });

  it('needs the scope to change anything', async () => {
    const id = await chargeback();
    const reader = await callerWith(running, TENANT, { scopes: ['disputes:read'] });
    expect((await reader.get('/api/admin/disputes/{id}', { path: { id } })).status).toBe(200);
    expectRefusal(
      await reader.post('/api/admin/disputes/{id}/accept', { path: { id }, body: {} }),
      403,
      'insufficient_scope',
    );
  });
});

describe('a file of evidence', () => {
  it('comes back as it was sent', async () => {
    const id = await chargeback();
    const { status, body } = await upload(`${QUEUE}/${id}/evidence?name=proof.png`, PNG);
    expect([status, body.item.mediaType]).toEqual([200, 'image/png']);
    const answer = await fetch(`${running.url}${QUEUE}/${id}/evidence/${body.item.digest}`, {
      headers: {
        Authorization: caller.key,
        ClientId: String(TENANT),
        UserEmail: USER_EMAIL,
      },
    });
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
  });

  it('of another type is refused, and one that is too large', async () => {
    const id = await chargeback();
    const path = `${QUEUE}/${id}/evidence?name=x`;
    const program = await upload(path, Buffer.from([0x4d, 0x5a, 0x00]));
    expect([program.status, program.body.code]).toEqual([400, 'evidence_invalid']);
    const large = await upload(path, Buffer.alloc(5 * 2 ** 20 + 1, 0x20));
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large']);
  });
});
