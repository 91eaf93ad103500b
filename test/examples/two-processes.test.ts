/** A process that only handles requests beside one that does the background work, on one PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CARDS, card, type Json } from '../e2e/running-host.ts';
import { newDatabase } from '../setup/databases.ts';
import { startExample } from './example-process.ts';

const CHARGEBACK = '4000000000000259';

it('shows a request what the other process has done', { timeout: 120_000 }, async () => {
  const env = { DATABASE_URL: await newDatabase(), MASTER_KEY: randomBytes(32).toString('hex') };
  const worker = await startExample('two-processes/worker.ts', { env, atWork: /done here/ });
  onTestFinished(() => worker.stop());
  const web = await startExample('two-processes/web.ts', { env });
  onTestFinished(() => web.stop());

  const pay = async (reference: string, number?: string) => {
    const answer = await fetch(`${web.url}/orders/${reference}/payment`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: '20.00', email: 'ann@shop.example', card: card(number) }),
    });
    return answer.status;
  };
  const asked = async (path: string): Promise<Json> => (await fetch(web.url + path)).json();

  expect(await pay('1')).toBe(200);
  expect(await pay('2', CARDS.doNotHonour)).toBe(402);
  // The other process has projected it.
  expect(await asked('/takings')).toEqual({ balanced: true, sales: 20 });
  // The other process receives the chargeback, and nothing is left to refund.
  expect(await pay('3', CHARGEBACK)).toBe(200);
  const refundable = async () => (await asked('/orders/3/payment')).refundable;
  await vi.waitUntil(async () => (await refundable()) === '0.00', {
    timeout: 60_000,
    interval: 50,
  });
  expect((await asked('/orders/1/payment')).refundable).toBe('20.00');
});
