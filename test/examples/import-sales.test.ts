/** An import into a ledger with orders: differences are reported before anything is written. */
import {
  importDemoSales,
  OrdersDiffer,
  onboardDemoTenant,
  planImport,
  reconcile,
} from '@counterfoil/demo';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Running, startHost } from '../e2e/running-host.ts';
import { line, read } from './sale-records.ts';

const FIRST = '536365 85123A 6 @2.55 of 17850, 1st 08:26';
const SECOND = '536366 71053 1 @3.39 of 17850, 1st 08:28';

let running: Running;
beforeAll(async () => {
  running = await startHost();
  await onboardDemoTenant(running.host);
  await imported(FIRST);
});
afterAll(() => running.close());

async function imported(...sales: readonly string[]) {
  const records = await read(...sales.map((sale) => (sale.includes('@') ? line(sale) : sale)));
  const plan = planImport(records);
  const planned = { plan, report: reconcile(records, plan) };
  return importDemoSales(running.host, () => undefined, planned);
}

it.each([
  [
    'another amount',
    FIRST.replace('2.55', '2.65'),
    /536365 is there with other content: 1 item for 15\.30 GBP, not 1 item for 15\.90 GBP/,
  ],
  ['another item', FIRST.replace('85123A', '85123B'), /536365 is there with other content/],
  ['another customer', FIRST.replace('17850', '17851'), /536365 is there with other content/],
  [
    'a date to come',
    '7,85123A,THING,1,01/12/2098 08:26,1,17850,France',
    /order 7 is of 2098-12-01/,
  ],
])('with %s is refused, and nothing is written', async (_, changed, message) => {
  const before = await running.host.events.head();
  const importing = imported(changed, SECOND);
  await expect(importing).rejects.toThrow(OrdersDiffer);
  await expect(importing).rejects.toThrow(message);
  expect(await running.host.events.head()).toBe(before);
});

it('with another refund is refused too', async () => {
  const cancelled = 'C536379 85123A -1 @2.55 of 17850, 2nd 09:00';
  await imported(FIRST, cancelled);
  await expect(imported(FIRST, cancelled.replace('-1', '-2'))).rejects.toThrow(
    /refund C536379 is there with other content: 1 item for 2\.55 GBP, not 1 item for 5\.10 GBP/,
  );
});

it('with the same content imports what is new', async () => {
  expect((await imported(FIRST)).news).toBe(false);
  expect((await imported(FIRST, SECOND)).news).toBe(true);
});
