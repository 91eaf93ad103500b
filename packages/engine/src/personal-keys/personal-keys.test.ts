/** The customers' keys: each opens what was sealed under it, and nothing once it is destroyed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  createMemoryEventStore,
  type EventStore,
  encodeEvent,
  type Position,
  type Subject,
  sealerOf,
  type TenantId,
} from '@counterfoil/core';
import { makePrivate } from '@counterfoil/event-stores/sqlite';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CustomerVault } from './customer-keys.ts';
import { KeyMarking } from './keys-and-log.ts';
import { openPersonalKeys } from './open-personal-keys.ts';
import { PersonalKeys } from './personal-keys.ts';

const TENANT = 1 as TenantId;
const wrappingKey = Buffer.alloc(32, 7);
const eventType = 'PaymentSubmitted';
const TEXT = '{"email":"ada@example.com"}';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-keys-'));
  path = join(folder, 'keys.db');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function opened(options: { readOnly?: boolean; wrappingKey?: Buffer } = {}): PersonalKeys {
  if (options.readOnly !== true) makePrivate(path);
  const keys = new PersonalKeys({ path, wrappingKey, ...options });
  onTestFinished(() => keys.close());
  return keys;
}

function customer(customerId: number, other: Partial<Subject> = {}): Subject {
  return { tenantId: TENANT, sandbox: false, customerId, ...other };
}

function sealedBy(keys: PersonalKeys, subject: Subject, text = TEXT): string {
  const sealed = keys.seal(subject, { eventType, text });
  if (sealed === undefined) throw new Error('nothing was sealed');
  return sealed;
}

function change(sql: string): void {
  const database = new DatabaseSync(path);
  expect(database.prepare(sql).run().changes).toBe(1);
  database.close();
}

function idOf(number: number): string {
  return `0195a000-0000-8000-8000-${String(number).padStart(12, '0')}`;
}

function rows(sql = 'SELECT count(*) AS n FROM personal_key'): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).get()?.['n'];
  } finally {
    database.close();
  }
}

/** Everything that the folder holds, whatever file it is in. */
function bytes(): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join();
}

describe('sealing', () => {
  it('gives any text back, over restarts and to readers, and shows nothing of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(3), fc.boolean(), (text, id, sandbox) => {
        const subject = customer(id + 1, { sandbox });
        const keys = new PersonalKeys({ path, wrappingKey });
        const sealed = sealedBy(keys, subject, text);
        expect(keys.open(subject, { eventType, sealed })).toBe(text);
        const reader = new PersonalKeys({ path, wrappingKey, readOnly: true });
        expect(reader.open(subject, { eventType, sealed })).toBe(text);
        if (text.length > 7) expect(sealed).not.toContain(text);
        reader.close();
        keys.close();
      }),
      { numRuns: 50 },
    );
  });

  it('never makes the same text twice', () => {
    const keys = opened();
    expect(sealedBy(keys, customer(1))).not.toBe(sealedBy(keys, customer(1)));
  });

  it('is bound to the customer, the environment, the tenant and the type of event', () => {
    const keys = opened();
    const sealed = sealedBy(keys, customer(1));
    const others = [
      customer(2),
      customer(1, { sandbox: true }),
      customer(1, { tenantId: 2 as TenantId }),
    ];
    for (const other of others) {
      sealedBy(keys, other);
      expect(() => keys.open(other, { eventType, sealed })).toThrow();
    }
    const asAnother = { eventType: 'CustomerIdentified', sealed };
    expect(() => keys.open(customer(1), asAnother)).toThrow();
    expect(() => keys.open(customer(900), { eventType, sealed })).toThrow(
      'no key of customer 1/live/900',
    );
  });

  it('notices every bit that has changed', () => {
    const keys = opened();
    const bytes = Buffer.from(sealedBy(keys, customer(1)).slice(3), 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
        const sealed = `v1:${changed.toString('base64')}`;
        expect(() => keys.open(customer(1), { eventType, sealed })).toThrow();
      }),
    );
    const ofAnotherVersion = `v2:${bytes.toString('base64')}`;
    expect(() => keys.open(customer(1), { eventType, sealed: ofAnotherVersion })).toThrow(
      'of another version',
    );
    expect(() => keys.open(customer(1), { eventType, sealed: 'v1:' })).toThrow();
  });
});

describe('keys', () => {
  it('are made in blocks for customers that come one after the other, and singly for others', () => {
    const keys = opened();
    sealedBy(keys, customer(1));
    expect(rows()).toBe(1);
    sealedBy(keys, customer(2));
    expect(rows()).toBe(257);
    for (let id = 3; id <= 257; id += 1) sealedBy(keys, customer(id));
    expect(rows()).toBe(257);
    sealedBy(keys, customer(258));
    expect(rows()).toBe(513);
    sealedBy(keys, customer(9_000_000));
    sealedBy(keys, customer(Number.MAX_SAFE_INTEGER - 1));
    sealedBy(keys, customer(Number.MAX_SAFE_INTEGER));
    expect(rows()).toBe(516);
  });

  it('are never replaced by a block that reaches over them', () => {
    const keys = opened();
    const sealed = sealedBy(keys, customer(5));
    keys.destroy(customer(7));
    sealedBy(keys, customer(1));
    sealedBy(keys, customer(2));
    expect(keys.open(customer(5), { eventType, sealed })).toBe(TEXT);
    expect(keys.stateOf(customer(7))).toBe('erased');
  });

  it('are on the disk before anything sealed under them is handed out', () => {
    const keys = opened();
    const sealed = sealedBy(keys, customer(1));
    // As a kill leaves it: nothing was closed.
    const reader = opened({ readOnly: true });
    expect(reader.open(customer(1), { eventType, sealed })).toBe(TEXT);
  });

  it('open under the right wrapping key only, each in its own place', async () => {
    const keys = opened();
    const sealed = sealedBy(keys, customer(1));
    sealedBy(keys, customer(3));
    const stranger = opened({ readOnly: true, wrappingKey: Buffer.alloc(32, 8) });
    expect(() => stranger.open(customer(1), { eventType, sealed })).toThrow('does not open');
    const faults: string[] = [];
    expect(await stranger.check((name) => faults.push(name))).toBe(2);
    expect(faults).toEqual(['1/live/1', '1/live/3']);
    keys.close();
    const database = new DatabaseSync(path);
    database.exec(`UPDATE personal_key SET wrapped =
      (SELECT wrapped FROM personal_key WHERE customer = 1) WHERE customer = 3`);
    database.close();
    const found: string[] = [];
    await opened({ readOnly: true }).check((name) => found.push(name));
    expect(found).toEqual(['1/live/3']);
  });

  it('are kept from others', () => {
    sealedBy(opened(), customer(1));
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    }
  });

  it('are not made by a reader', () => {
    opened();
    const reader = opened({ readOnly: true });
    expect(() => reader.seal(customer(1), { eventType, text: TEXT })).toThrow('for reading');
    expect(() => reader.destroy(customer(1))).toThrow('for reading');
  });
});

describe('a destroyed key', () => {
  it('opens and seals nothing any more, here, over a restart and for readers that had it', () => {
    const keys = opened();
    const sealed = sealedBy(keys, customer(1));
    const others = sealedBy(keys, customer(2));
    const reader = opened({ readOnly: true });
    expect(reader.open(customer(1), { eventType, sealed })).toBe(TEXT);
    keys.destroy(customer(1));
    expect(keys.seal(customer(1), { eventType, text: TEXT })).toBeUndefined();
    expect(keys.open(customer(1), { eventType, sealed })).toBeUndefined();
    expect(keys.stateOf(customer(1))).toBe('erased');
    keys.close();
    const again = opened();
    expect(again.open(customer(1), { eventType, sealed })).toBeUndefined();
    expect(again.seal(customer(1), { eventType, text: TEXT })).toBeUndefined();
    expect(again.open(customer(2), { eventType, sealed: others })).toBe(TEXT);
  });

  it('is unknown to a reader from its next turn on', async () => {
    const keys = opened();
    const sealed = sealedBy(keys, customer(1));
    const reader = opened({ readOnly: true });
    expect(reader.open(customer(1), { eventType, sealed })).toBe(TEXT);
    keys.destroy(customer(1));
    await new Promise(setImmediate);
    expect(reader.open(customer(1), { eventType, sealed })).toBeUndefined();
  });

  it('is in none of the files any more', () => {
    const keys = opened();
    sealedBy(keys, customer(1));
    const database = new DatabaseSync(path, { readOnly: true });
    const wrapped = database.prepare('SELECT wrapped FROM personal_key').get()?.['wrapped'];
    database.close();
    const text = Buffer.from(wrapped as Uint8Array).toString('latin1');
    expect(bytes()).toContain(text);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM personal_key');
    keys.destroy(customer(1));
    expect([keys.scrub(), bytes().includes(text)]).toEqual([false, true]);
    reader.close();
    expect([keys.scrub(), bytes().includes(text)]).toEqual([true, false]);
  });

  it('may be destroyed again, and before it was ever made', () => {
    const keys = opened();
    for (let time = 0; time < 2; time += 1) keys.destroy(customer(1));
    expect(keys.stateOf(customer(1))).toBe('erased');
    expect(keys.stateOf(customer(2))).toBe('none');
    expect(keys.seal(customer(1), { eventType, text: TEXT })).toBeUndefined();
  });
});

describe('a start', () => {
  const masterKey = Buffer.alloc(32, 1);
  let log: EventStore;
  let appended = 0;
  beforeEach(() => {
    log = createMemoryEventStore();
    appended = 0;
  });

  const start = () =>
    openPersonalKeys({
      located: {
        dataDir: folder,
        eventStoreUrl: `sqlite:${join(folder, 'events.db')}`,
        readModelUrl: `sqlite:${join(folder, 'read-models.db')}`,
      },
      masterKey,
      events: log,
    });

  async function append(keys?: CustomerVault, customerId = 1): Promise<void> {
    appended += 1;
    const who = { sandbox: false, customerId, email: 'ada@example.com' };
    const at = '2026-01-01T00:00:00.000Z';
    const event = { type: 'CustomerIdentified', ...who, at } as const;
    const vault = await sealerOf(keys, { tenantId: TENANT, events: [event] });
    const encoded = encodeEvent(event, vault && { tenantId: TENANT, vault });
    const id = idOf(appended);
    await log.append({
      stream: `customer-1-live-${appended}` as never,
      expected: { kind: 'any' },
      command: { id: id as never, fingerprint: '' },
      events: [{ ...encoded, id, tenantId: TENANT, time: at, metadata: '{"actor":"a"}' }],
    });
  }

  it('makes the file for an empty log, and finds it again', async () => {
    const keys = await start();
    await append(keys);
    await keys.close();
    const again = await start();
    expect(await again.stateOf(customer(1))).toBe('kept');
    await again.close();
  });

  it('gives a log of an earlier version its first keys', async () => {
    await append();
    await (await start()).close();
    await (await start()).close();
  });

  it.each(['missing', 'empty'])('refuses a sealed log whose keys are %s', async (how) => {
    const keys = await start();
    await append();
    await append(keys);
    keys.close();
    if (how === 'missing') rmSync(path);
    else writeFileSync(path, '');
    for (let time = 0; time < 2; time += 1) {
      await expect(start()).rejects.toThrow(/keys\.db has no keys.*at position 0*2.*from a backup/);
    }
  });

  it('refuses a sealed log whose keys were made anew', async () => {
    const keys = await start();
    await append(keys);
    keys.close();
    rmSync(path);
    opened().close();
    await expect(start()).rejects.toThrow('has no keys');
  });

  it('refuses damaged keys, and leaves them as they are', async () => {
    const keys = await start();
    await append(keys);
    keys.close();
    writeFileSync(path, 'x'.repeat(8_192));
    await expect(start()).rejects.toThrow(/keys\.db.*from a backup/);
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(8_192));
  });

  /** A host of five customers that was killed; answers the files of its keys as they stood after each. */
  async function killed(): Promise<Map<string, Buffer>[]> {
    const keys = await start();
    const copies: Map<string, Buffer>[] = [];
    for (const customerId of [10, 20, 30, 40, 50]) {
      await append(keys, customerId);
      copies.push(files());
    }
    keys.close();
    const last = copies.at(-1) ?? new Map();
    putBack(last);
    return copies;
  }

  function files(): Map<string, Buffer> {
    const names = readdirSync(folder).filter((name) => name.startsWith('keys.db'));
    return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  }

  function putBack(copy: ReadonlyMap<string, Buffer>): void {
    for (const name of files().keys()) rmSync(join(folder, name));
    for (const [name, bytes] of copy) writeFileSync(join(folder, name), bytes);
  }

  const LACKS = /keys\.db lacks the key of customer 1\/live\/\d+.*position.*Lost keys/;

  it('goes on with what a kill leaves, and with keys that are newer than the log', async () => {
    await killed();
    const newer = opened();
    sealedBy(newer, customer(60));
    newer.close();
    await (await start()).close();
    const again = await start();
    expect(await again.stateOf(customer(50))).toBe('kept');
    await again.close();
  });

  it('refuses keys that have lost their write-ahead log, and makes none in their place', async () => {
    const keys = await start();
    await append(keys, 5);
    keys.close();
    await killed();
    rmSync(`${path}-wal`);
    for (let time = 0; time < 2; time += 1) await expect(start()).rejects.toThrow(LACKS);
    expect(rows()).toBe(1);
  });

  it.each([0, 3])('refuses keys that are older than the log, copy %i', async (index) => {
    const copies = await killed();
    await (await start()).close();
    putBack(copies[index] ?? new Map());
    await expect(start()).rejects.toThrow(LACKS);
    putBack(copies.at(-1) ?? new Map());
    await (await start()).close();
  });

  it('refuses old rows beside a mark of later', async () => {
    await killed();
    const keys = await start();
    await keys.setMark({ after: '0000000000000004' as Position, eventId: idOf(5), keys: 5 });
    await keys.close();
    change('DELETE FROM personal_key WHERE customer = 10');
    await expect(start()).rejects.toThrow('has the keys of 4 customers, and had those of 5');
  });

  it('looks only at what came after the mark, and at all of a log that took another course', async () => {
    await killed();
    change(`INSERT INTO whole_up_to VALUES (1, '0000000000000004', '${idOf(5)}', 1)`);
    change('DELETE FROM personal_key WHERE customer = 10');
    await (await start()).close();
    change(`UPDATE whole_up_to SET event_id = '${idOf(6)}'`);
    await expect(start()).rejects.toThrow(/lacks the key of customer 1\/live\/10.*position 0*1 /);
  });

  it('moves the mark on while it runs, and not over keys that were put back beneath it', async () => {
    const keys = await start();
    const errors: unknown[] = [];
    const logger = { error: (...told: unknown[]) => errors.push(told) } as never;
    const marking = new KeyMarking({ keys, events: log, logger });
    const after: (string | undefined)[] = [];
    for (const customerId of [1, 2, 3, 4]) {
      await append(keys, customerId);
      await marking.moveOn();
      after.push((await keys.mark())?.after);
    }
    expect(after).toEqual([undefined, 1, 2, 3].map((at) => at && String(at).padStart(16, '0')));
    change("UPDATE whole_up_to SET after = '0000000000000001', event_id = ''");
    change('DELETE FROM personal_key WHERE customer = 3');
    await append(keys, 4);
    await marking.moveOn();
    expect([(await keys.mark())?.after, errors.length]).toEqual(['0000000000000001', 1]);
    await keys.close();
    await expect(start()).rejects.toThrow('256 customers, and had those of 257');
  });

  it('takes destroyed keys for what they are', async () => {
    const keys = await start();
    await append(keys);
    keys.destroy(customer(1));
    await keys.close();
    await (await start()).close();
  });

  it('refuses the keys of another log', async () => {
    const keys = await start();
    await append(keys);
    keys.close();
    await (await start()).close();
    log = createMemoryEventStore();
    await append();
    await expect(start()).rejects.toThrow('of another log');
  });
});
