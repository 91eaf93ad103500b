/** A ledger on files that were replicated one by one, as Litestream does, and restored to moments of their own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TenantId } from '@counterfoil/core';
import { silentLogger as logger, openLedger } from '@counterfoil/engine';
import { sandbox } from '@counterfoil/engine/gateways';
import { beforeAll, expect, it } from 'vitest';
import { order, withShop } from './shop.ts';

const TENANT = TenantId.parse(7);
const masterKey = Buffer.alloc(32, 7);
/** The log, what it needs, and files that have read it. */
const FILES = [
  ...['events.db', 'keys.db', 'users.db', 'evidence.db'],
  ...['reactors.db', 'read-models.db-ledger-1'],
] as const;
const MOMENTS = ['first', 'second'] as const;
type Moment = (typeof MOMENTS)[number];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-replicas-'));
  const storage = join(folder, 'host');
  for (const moment of MOMENTS) {
    const ledger = await openLedger({ storage, masterKey, logger, gateways: [sandbox()] });
    if (moment === 'first') await withShop(ledger, TENANT);
    const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
    await shop.payments.submit(order({ email: `${moment}@example.com`, idempotencyKey: moment }));
    await shop.books.trialBalance();
    await ledger.close();
    mkdirSync(join(folder, moment));
    for (const name of FILES) copy(join(storage, name), join(folder, moment, name));
  }
  return () => rmSync(folder, { recursive: true });
});

function copy(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true });
  database.prepare('VACUUM INTO ?').run(to);
  database.close();
}

/** The emails of the payments that a ledger on these files knows, with one more of `first`. */
async function startedOn(restored: Readonly<Record<string, Moment>>): Promise<readonly unknown[]> {
  const storage = mkdtempSync(join(folder, 'restored-'));
  for (const [name, moment] of Object.entries(restored)) {
    copy(join(folder, moment, name), join(storage, name));
  }
  const ledger = await openLedger({ storage, masterKey, logger, gateways: [sandbox()] });
  try {
    const shop = ledger.as({ tenantId: TENANT, actor: 'shop' });
    await shop.payments.submit(order({ email: 'first@example.com', idempotencyKey: 'third' }));
    const found = await shop.transactions.search();
    return found.transactions.map(({ email }) => email).toSorted();
  } finally {
    await ledger.close();
  }
}

const rest = { 'users.db': 'second', 'evidence.db': 'second' } as const;
const older = { 'events.db': 'first', 'keys.db': 'second', ...rest } as const;

it('goes on from the log as it was, with keys that are newer', async () => {
  expect(await startedOn(older)).toEqual(['first@example.com', 'first@example.com']);
});

it('refuses keys that are older than the log', async () => {
  const restored = { 'events.db': 'second', 'keys.db': 'first', ...rest } as const;
  await expect(startedOn(restored)).rejects.toThrow(
    /keys\.db lacks the key of customer 7\/live\/\d+/,
  );
});

it.each(['reactors.db', 'read-models.db-ledger-1'])(
  'refuses a log that %s has read further than',
  async (name) => {
    await expect(startedOn({ ...older, [name]: 'second' })).rejects.toThrow(
      new RegExp(`the log ends at position \\d+, but .*${name} has read it up to`),
    );
    expect(await startedOn({ ...older, [name]: 'first' })).toHaveLength(2);
  },
);
