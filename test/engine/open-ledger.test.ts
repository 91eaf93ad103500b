/** The engine as an embedder meets it: a ledger in a few calls, without a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantId } from '@counterfoil/core';
import { type Ledger, silentLogger as logger, openLedger } from '@counterfoil/engine';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);

const open: Ledger[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function opened(storage: string): Promise<Ledger> {
  const ledger = await openLedger({ storage, logger });
  open.push(ledger);
  return ledger;
}

describe('a ledger with a custom clock', () => {
  it('bills a subscription when its clock reaches the date', async () => {
    let now = '2026-01-31T12:00:00.000Z';
    const ledger = await openLedger({ storage: 'memory:', logger, clock: { now: () => now } });
    open.push(ledger);
    await withShop(ledger, TENANT);
    const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
    const plans = [{ name: 'Tea club', rebillAmount: '9.99', frequencyDays: 30 }];
    await shop.payments.submit(order({ plans }));
    await ledger.runDue();
    expect((await shop.transactions.search()).count).toBe(1);
    now = '2026-03-02T12:00:00.000Z';
    await ledger.runDue();
    const { transactions } = await shop.transactions.search({ dateFrom: '2026-01-01' });
    expect(transactions.map(({ amount }) => amount)).toEqual([9.99, 19.99]);
  });
});

describe('a ledger in a folder', () => {
  it('is closed once, however often it is asked to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-ledger-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const ledger = await openLedger({ storage: folder, logger });
    await Promise.all([ledger.close(), ledger.close()]);
    await ledger.close();
    await (await openLedger({ storage: folder, logger })).close();
  }, 30_000);

  it('is what it was when it is opened again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-ledger-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await opened(folder);
    await withShop(first, TENANT);
    const asked = order({ idempotencyKey: 'order-1' });
    const { id } = await first.as({ tenantId: TENANT, actor: 'shop' }).payments.submit(asked);
    await first.close();
    const shop = (await opened(folder)).as({ tenantId: TENANT, actor: 'shop' });
    expect((await shop.payments.submit(asked)).id).toBe(id);
    expect((await shop.transactions.search()).count).toBe(1);
  }, 30_000);

  it.each([
    [{ storage: 'postgres://u@h:1/db' }, /storage must be a folder/],
    [{ storage: 'memory:', masterKey: Buffer.alloc(31) }, /masterKey must be 32 bytes/],
    [{ storage: 'sqlite:./data' }, /storage must be a folder/],
    [{ storage: { log: 'memory:', readModels: 'memory:' } }, /storage.log must be a postgres/],
    [
      { storage: { log: 'postgres://u@h:1/db', readModels: 'sqlite:a' } },
      /storage.readModels a postgres/,
    ],
    [
      { storage: { log: 'postgres://u@h:1/db', readModels: 'postgres://u@h:1/db' } },
      /masterKey must be given/,
    ],
  ])('is refused with options that cannot be used: %j', async (options, message) => {
    await expect(openLedger({ ...options, logger })).rejects.toThrow(message);
  });
});
