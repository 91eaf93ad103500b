/** Settlement files over HTTP: streamed, larger than JSON may be, and bounded. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { present } from './api.ts';
import {
  type Answer,
  type Caller,
  expectRefusal,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const PATH = '/api/admin/settlements?merchantAccountId=';
const HEADER = 'reference,kind,gatewayTransactionId,amount,currency,settledDate\n';
const CSV = { 'Content-Type': 'text/csv' };
const ONE_MEBIBYTE = 1_048_576;

let running: Running;
let caller: Caller;
let account: number;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, 31);
  account = present((await caller.paid()).merchantAccountId);
});
afterAll(async () => running.close());

const importing = (content: string, headers: object = CSV): Promise<Answer> =>
  caller.wire.send('POST', `${PATH}${account}&name=day-1.csv`, content, { ...headers });

it('takes a file of more than a mebibyte', async () => {
  const line = (index: number) => `r-${index},capture,none-${index},1.00,GBP,2026-02-01\n`;
  const few = Array.from({ length: 3 }, (_, index) => line(index)).join('');
  // Empty lines are no lines.
  const { status, body, headers } = await importing(HEADER + '\n'.repeat(ONE_MEBIBYTE) + few);
  expect(status).toBe(201);
  expect(body.item).toMatchObject({ lines: 3, differences: { 'missing-here': 3 } });
  const { body: read } = await caller.wire.get(headers.get('location') ?? '');
  expect(read.item).toMatchObject({ name: 'day-1.csv', status: 'finished' });
});

it('refuses one that is too large, of another type, or without a header', async () => {
  const large = HEADER + '\n'.repeat(32 * ONE_MEBIBYTE);
  expectRefusal(await importing(large), 413, 'payload_too_large');
  const json = { 'Content-Type': 'application/json' };
  expectRefusal(await importing('{}', json), 415, 'unsupported_media_type');
  expectRefusal(await importing('amount\n'), 400, 'invalid_request');
  expectRefusal(await importing(''), 400, 'invalid_request');
});

it('pages what is unmatched', async () => {
  const first = await caller.get('/api/admin/settlements/unmatched', { query: { limit: 2 } });
  expect(first.body).toMatchObject({ count: 2, moreResults: true });
  const cursor = present(first.body.next);
  const second = await caller.get('/api/admin/settlements/unmatched', {
    query: { limit: 2, cursor },
  });
  expect(second.body).toMatchObject({ count: 1, moreResults: false, next: null });
  expectRefusal(await caller.get('/api/admin/settlements/{id}', { path: { id: 'nothing' } }), 400);
});
