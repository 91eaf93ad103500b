/** The books of a file that is damaged: reading them comes to an end. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openBooks } from './books.ts';
import { openSandboxGateway } from './sandbox-gateway.ts';

const CHARGES = 5;

it('tells of rows that are out of order, instead of reading them for ever', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-books-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'gateway.db');
  await writeCharges(path);
  expect(await readAll(path, [])).toHaveLength(CHARGES);

  numberLastRow(path, 1);
  const read: unknown[] = [];
  await expect(readAll(path, read)).rejects.toThrow('out of order');
  expect(read).toHaveLength(CHARGES - 1);
});

async function readAll(path: string, read: unknown[]): Promise<unknown[]> {
  const reader = openBooks({ path });
  try {
    for await (const record of reader.records()) {
      read.push(record);
      if (read.length > CHARGES) throw new Error('the rows go round in a circle');
    }
    return read;
  } finally {
    await reader.close();
  }
}

async function writeCharges(path: string): Promise<void> {
  const gateway = openSandboxGateway({ path });
  const card = { number: '4242424242424242', expMonth: 12, expYear: 2049, cvv: '123', holder: '' };
  const { token } = await gateway.tokenize(card, 'f00d');
  const credentials = { apiKey: '', username: '', password: '', emailAddress: '' };
  for (let index = 0; index < CHARGES; index += 1) {
    await gateway.charge({
      idempotencyKey: `charge-${index}`,
      sandbox: true,
      account: { merchantAccountId: 1, mid: '1', credentials },
      amountMinor: 100n,
      currency: 'GBP',
      token,
      capture: true,
      recurring: false,
      descriptor: 'SHOP',
      firstSentAgoMs: 0,
      paymentId: '',
      transactionId: '',
      customer: '',
      subscribes: false,
    });
  }
  await gateway.close();
}

/** Gives the last row of the one leaf that the table has another number: the second varint of its cell. */
function numberLastRow(path: string, sequence: number): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;');
  const { page_size: pageSize } = database.prepare('PRAGMA page_size').get() as {
    page_size: number;
  };
  const schema = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'request'";
  const { rootpage } = database.prepare(schema).get() as { rootpage: number };
  database.close();
  const file = readFileSync(path);
  const page = (rootpage - 1) * pageSize;
  const leaf = 0x0d;
  expect(file.readUInt8(page)).toBe(leaf);
  const cell = page + file.readUInt16BE(page + 8 + 2 * (CHARGES - 1));
  let number = cell;
  while (file.readUInt8(number) >= 0x80) number += 1;
  expect(file.readUInt8(number + 1)).toBe(CHARGES);
  file.writeUInt8(sequence, number + 1);
  writeFileSync(path, file);
}
