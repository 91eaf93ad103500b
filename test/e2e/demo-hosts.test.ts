/** The demo of two hosts that start at the same time on one empty database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openSales, SALES_EXTRACT } from '@counterfoil/demo';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SharedStores } from '../http-host/shared-stores.ts';

/** The sales of some days, on a machine that has other things to do. */
const DEMO_MS = 120_000;
const LINES = 4_000;
const LEAST_PAYMENTS = 150;

async function fewSales(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-sales-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sales.csv');
  const lines = (await text(openSales(SALES_EXTRACT))).split('\n', LINES + 1);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

async function connected({ url }: SharedStores): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The database goes before the connection does.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

it(
  'starts two hosts with the demo on one empty database, and sells everything once',
  async () => {
    const stores = await SharedStores.open();
    const sales = await fewSales();
    const hosts = [1, 2].map(() => stores.beginDemo(sales));
    try {
      const listen = () => {
        for (const { said, hasEnded } of hosts) expect(hasEnded(), said()).toBe(false);
        return hosts.every(({ said }) => said().includes('listens on'));
      };
      await vi.waitUntil(listen, { timeout: DEMO_MS, interval: 200 }).catch((error: unknown) => {
        throw new Error(hosts.map(({ said }) => said().slice(-2_000)).join('\n'), { cause: error });
      });
    } finally {
      for (const { stop } of hosts) stop();
    }
    const ended = await Promise.all(hosts.map((host) => host.ended));
    for (const { code, out } of ended) expect(code, out).toBe(0);
    // The one that came second found all of it there.
    expect(ended.filter(({ out }) => out.includes('What became of the lines'))).toHaveLength(1);
    const database = await connected(stores);
    const numbers = async (sql: string) => Object.values((await database.query(sql)).rows[0]);
    const log = 'counterfoil_log.events';
    expect(
      await numbers(`SELECT count(*)::int FROM ${log} WHERE type = 'TenantOnboarded'`),
    ).toEqual([1]);
    const [payments, captures, charges] = await numbers(
      `SELECT
       (SELECT count(DISTINCT stream)::int FROM ${log} WHERE stream LIKE 'transaction-%') AS payments,
       (SELECT count(*)::int FROM ${log} WHERE type = 'PaymentCaptured') AS captures,
       (SELECT count(*)::int FROM counterfoil_host.gateway_requests WHERE operation = 'charge') AS charges`,
    );
    expect(payments).toBeGreaterThan(LEAST_PAYMENTS);
    expect([captures, charges]).toEqual([payments, payments]);
  },
  DEMO_MS + 60_000,
);
