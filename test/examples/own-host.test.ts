/** The host with a gateway, a projection and an endpoint of one's own, as an example process, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Caller, card, type Json } from '../e2e/running-host.ts';
import { type ExampleProcess, startExample } from './example-process.ts';

const TENANT = 1;
const START_MS = 60_000;

let example: ExampleProcess;
let shop: Caller;

beforeAll(async () => {
  example = await startExample('own-host/main.ts');
  const key = /Authorization: ([^']+)/.exec(example.said())?.[1] ?? '';
  shop = new Caller(example.url, TENANT, key);
}, START_MS);
afterAll(() => example?.stop());

async function pay(amount: number, currency: string, number?: string): Promise<Json> {
  const { body } = await shop.post('/v1/payments', {
    body: {
      amount,
      currency,
      email: 'ann@shop.example',
      card: card(number),
    },
  });
  return body;
}

describe('the gateway', () => {
  it('takes the payments of its accounts, and the sandbox the others', async () => {
    expect(await pay(19.99, 'GBP')).toMatchObject({
      status: 'Captured',
      attempts: [{ outcome: 'approved', gateway: 'Memory' }],
    });
    expect(await pay(5, 'USD')).toMatchObject({ attempts: [{ gateway: 'Sandbox' }] });
    expect(await pay(8, 'GBP', '4000000000000002')).toMatchObject({
      success: false,
      attempts: [{ outcome: 'declined', gateway: 'Memory' }],
    });
  });

  it('gives money back', async () => {
    const { id } = await pay(8, 'GBP');
    const { body } = await shop.post('/v1/payments/{id}/refund', {
      path: { id },
      body: { amount: 3 },
    });
    expect(body).toMatchObject({ success: true });
  });
});

describe('the endpoint over the projection', () => {
  const PATH = '/shop/sales';

  it('is in the OpenAPI document, with its answers and those of the host', async () => {
    const { paths }: Json = await (await fetch(`${example.url}/openapi.json`)).json();
    const { get } = paths[PATH];
    expect(get).toMatchObject({ operationId: 'getShopSales', tags: ['Shop'] });
    expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['200', '401', '429']));
  });

  it('refuses a missing key, and unknown parameters', async () => {
    expect((await fetch(example.url + PATH)).status).toBe(401);
    expect((await shop.wire.get(`${PATH}?curency=GBP`)).body).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('responds to a key, under the limits of the host, with the latest payments', async () => {
    const path = `${PATH}?currency=GBP&month=${new Date().toISOString().slice(0, 7)}`;
    const takenOf = ({ body }: { body: Json }) => Number(body.days.at(-1)?.taken ?? 0);
    const before = takenOf(await shop.wire.get(path));
    await pay(12.5, 'GBP');
    const after = await shop.wire.get(path);
    expect(after.status).toBe(200);
    expect(after.body.days.at(-1)).toMatchObject({ day: new Date().toISOString().slice(0, 10) });
    expect(takenOf(after)).toBeCloseTo(before + 12.5, 2);
    expect(after.headers.get('ratelimit-policy')).toMatch(/;w=60/);
    expect((await shop.wire.get(`${PATH}?currency=USD&month=2001-01`)).body.days).toEqual([]);
  });
});
