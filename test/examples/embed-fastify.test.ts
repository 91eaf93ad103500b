/** The ledger inside a Fastify app, as an example process, over the app's own routes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CARDS, card, type Json } from '../e2e/running-host.ts';
import { type ExampleProcess, startExample } from './example-process.ts';

const START_MS = 60_000;

let example: ExampleProcess;
beforeAll(async () => {
  example = await startExample('embed-fastify/main.ts');
}, START_MS);
// It has to end in order: the app closes the ledger.
afterAll(() => example?.stop());

async function post(path: string, body: object): Promise<{ status: number; body: Json }> {
  const answer = await fetch(example.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const order = (amount: string, number?: string) => ({
  amount,
  email: 'ann@shop.example',
  card: card(number),
});

async function salesNow(): Promise<number> {
  const answer = await fetch(`${example.url}/takings`);
  const { balanced, sales }: Json = await answer.json();
  expect(balanced).toBe(true);
  return sales;
}

it('takes an order once, however often it is sent', async () => {
  const before = await salesNow();
  const first = await post('/orders/1001/payment', order('19.99'));
  expect(first).toMatchObject({
    status: 200,
    body: { status: 'Captured', amount: '19.99', refundable: '19.99' },
  });
  expect(await post('/orders/1001/payment', order('19.99'))).toEqual(first);
  expect(await salesNow()).toBeCloseTo(before + 19.99, 2);
});

it('answers a declined card with the payment', async () => {
  const declined = await post('/orders/1002/payment', order('5.00', CARDS.doNotHonour));
  expect(declined).toMatchObject({ status: 402, body: { status: 'Declined', refundable: '0.00' } });
});

it('refuses refunds beyond the capture in its own format', async () => {
  await post('/orders/1003/payment', order('10.00'));
  const part = await post('/orders/1003/refunds/first', { amount: '4.00' });
  expect(part).toMatchObject({ status: 200, body: { refundable: '6.00' } });
  const beyond = await post('/orders/1003/refunds/second', { amount: '6.01' });
  expect(beyond).toMatchObject({ status: 409, body: { code: 'RefundExceedsRemaining' } });
});

it('checks input by its schemas', async () => {
  expect((await post('/orders/1004/payment', order('1.999'))).status).toBe(400);
  expect((await post('/orders/1004/payment', { amount: '1.00' })).status).toBe(400);
});
