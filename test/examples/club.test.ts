/** The club example as a newcomer runs it: a year of billing from a small file, twice. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'examples/import-online-retail/main.ts');
const MEMBERS = 12;
const BOUND_MS = 180_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-club-'));
  writeFileSync(join(folder, 'sales.csv'), salesOf(MEMBERS));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two orders of each of so many customers, and one of a customer who does not join for it. */
function salesOf(members: number): string {
  const line = (invoice: number, day: number, customer: number) =>
    `${invoice},22423,REGENCY CAKESTAND 3 TIER,1,${String(day).padStart(2, '0')}/12/2010 08:26,12.75,${customer},United Kingdom`;
  const lines = Array.from({ length: members }, (_, index) => [
    line(600_000 + index, 1, 12_001 + index),
    line(700_000 + index, 2, 12_001 + index),
  ]).flat();
  const header =
    'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country';
  return `${[header, ...lines, line(800_000, 3, 18_000)].join('\n')}\n`;
}

async function run(): Promise<string> {
  const env = { ...process.env, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' };
  const args = [MAIN, '--club', join(folder, 'sales.csv')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: ROOT });
  return stdout;
}

/** The row that sums up the year, as numbers. */
function yearIn(said: string): number[] {
  const row = said.split('\n').find((line) => line.includes("'the year'"));
  return [...(row?.split("'the year'")[1] ?? '').matchAll(/[\d.]+/g)].map(([each]) => Number(each));
}

describe('the club', () => {
  it('bills a year whose money is that of the ledger, and a second run changes nothing', {
    timeout: BOUND_MS,
  }, async () => {
    const first = await run();
    expect(first).toContain(`${MEMBERS} customers with two or more orders join the club.`);
    expect(first).toContain('The money of the year is that of the ledger.');
    const [joined = 0, renewals = 0, , , , left = 0, active = 0, revenue = 0] = yearIn(first);
    expect(joined).toBe(MEMBERS);
    expect(renewals).toBeGreaterThan(MEMBERS);
    expect(active).toBe(joined - left);
    expect(revenue).toBeCloseTo(renewals * 9.95, 2);

    const second = await run();
    expect(second).toContain('The ledger had them all: nothing changed.');
    expect(yearIn(second)).toEqual(yearIn(first));
  });
});
