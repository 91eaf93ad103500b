/** Customers' keys in the shared host database: one key per person, and none once destroyed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  createMemoryEventStore,
  isDistant,
  type PersonalDataVault,
  type Subject,
  type TenantId,
} from '@counterfoil/core';
import { openPersonalKeys, PersonalKeyTable } from '@counterfoil/engine';
import { type HostDatabase, openHostDatabase } from '@counterfoil/engine/storage';
import fc from 'fast-check';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';
import { GatedPool } from './gated-pool.ts';

const TENANT = 1 as TenantId;
const wrappingKey = Buffer.alloc(32, 7);
const eventType = 'PaymentSubmitted';
const POLLING = { timeout: 10_000, interval: 5 };
const TEXT = '{"email":"ada@example.com"}';

let url: string;
let database: HostDatabase;
beforeEach(async () => {
  url = await newDatabase();
  database = await openHostDatabase(url);
  onTestFinished(() => database.close());
});

/** The keys as one host has them. */
function host(options: { pool?: pg.Pool; readOnly?: boolean; wrappingKey?: Buffer } = {}) {
  return new PersonalKeyTable({ pool: database.pool, wrappingKey, ...options });
}

function customer(customerId: number, other: Partial<Subject> = {}): Subject {
  return { tenantId: TENANT, sandbox: false, customerId, ...other };
}

function customers(from: number, to: number): readonly Subject[] {
  return Array.from({ length: to - from + 1 }, (_, index) => customer(from + index));
}

async function sealedBy(keys: PersonalKeyTable, subject: Subject, text = TEXT): Promise<string> {
  const sealed = (await keys.forSealing([subject])).seal(subject, { eventType, text });
  if (sealed === undefined) throw new Error('nothing was sealed');
  return sealed;
}

async function openedBy(keys: PersonalKeyTable, subject: Subject, sealed: string) {
  return (await keys.forOpening([subject])).open(subject, { eventType, sealed });
}

async function count(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    'SELECT count(*)::integer AS n FROM counterfoil_host.personal_keys',
  );
  return rows[0]?.n ?? 0;
}

describe('sealing', () => {
  it('gives any text back, to every host, and shows nothing of it', async () => {
    const [here, there] = [host(), host()];
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (text, id, sandbox) => {
          const subject = customer(id, { sandbox });
          const sealed = await sealedBy(here, subject, text);
          if (text.length > 7) expect(sealed).not.toContain(text);
          for (const keys of [here, there, host({ readOnly: true })]) {
            expect(await openedBy(keys, subject, sealed)).toBe(text);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is bound to the customer, the environment, the tenant and the type of event', async () => {
    const keys = host();
    const sealed = await sealedBy(keys, customer(1));
    const others = [
      customer(2),
      customer(1, { sandbox: true }),
      customer(1, { tenantId: 2 as TenantId }),
    ];
    for (const other of others) {
      await sealedBy(keys, other);
      await expect(openedBy(keys, other, sealed)).rejects.toThrow();
    }
    const atHand = await keys.forOpening([customer(1), customer(900)]);
    const asAnother = { eventType: 'CustomerIdentified', sealed };
    expect(() => atHand.open(customer(1), asAnother)).toThrow();
    expect(() => atHand.open(customer(900), { eventType, sealed })).toThrow(
      'no key of customer 1/live/900',
    );
  });

  it('opens what was sealed under a key of a file, once it is copied over as it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-keys-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const masterKey = Buffer.alloc(32, 9);
    const events = createMemoryEventStore();
    const stores = { eventStoreUrl: `sqlite:${join(folder, 'events.db')}` };
    const readModelUrl = `sqlite:${join(folder, 'read-models.db')}`;
    const inFile = { dataDir: folder, ...stores, readModelUrl };
    const file = await openPersonalKeys({ located: inFile, masterKey, events });
    if (isDistant(file)) throw new Error('the keys are not in a file');
    const sealed = file.seal(customer(1), { eventType, text: TEXT }) ?? '';
    await file.destroy(customer(2));
    await file.close();
    const keysDb = new DatabaseSync(join(folder, 'keys.db'), { readOnly: true });
    for (const row of keysDb.prepare('SELECT * FROM personal_key').all()) {
      const { tenant, sandbox, customer: id, wrapped } = row;
      await database.pool.query(
        `INSERT INTO counterfoil_host.personal_keys (tenant, sandbox, customer, wrapped)
         VALUES ($1, $2, $3, $4)`,
        [tenant, sandbox === 1, id, wrapped && Buffer.from(wrapped as Uint8Array)],
      );
    }
    keysDb.close();
    const located = { ...inFile, readModelUrl: url };
    const table = await openPersonalKeys({ located, masterKey, events });
    onTestFinished(async () => table.close());
    if (!isDistant(table)) throw new Error('the keys are not in the table');
    const atHand = await table.forOpening([customer(1)]);
    expect(atHand.open(customer(1), { eventType, sealed })).toBe(TEXT);
    expect(await table.stateOf(customer(2))).toBe('erased');
  });
});

describe('keys', () => {
  it('are made in blocks for customers that come one after the other, and singly for others', async () => {
    const keys = host();
    await sealedBy(keys, customer(1));
    expect(await count()).toBe(1);
    await sealedBy(keys, customer(2));
    expect(await count()).toBe(257);
    for (const next of [3, 257, 258]) await sealedBy(keys, customer(next));
    expect(await count()).toBe(513);
    await sealedBy(keys, customer(9_000_000));
    await sealedBy(keys, customer(Number.MAX_SAFE_INTEGER - 1));
    await sealedBy(keys, customer(Number.MAX_SAFE_INTEGER));
    expect(await count()).toBe(516);
  });

  it('of the block are cached', async () => {
    const pool = new GatedPool(url);
    onTestFinished(() => pool.end());
    const keys = host({ pool });
    for (const id of [1, 2]) await sealedBy(keys, customer(id));
    const asked = pool.queries;
    for (let id = 3; id <= 257; id += 1) await sealedBy(keys, customer(id));
    expect(pool.queries).toBe(asked);
  });

  it('of concurrent requests are loaded and created together', async () => {
    const pool = new GatedPool(url);
    onTestFinished(() => pool.end());
    const keys = host({ pool });
    const tenants = [1, 2, 3].map((tenantId) => tenantId as TenantId);
    const wanted = tenants.flatMap((tenantId) =>
      customers(1, 40).map((subject) => ({ ...subject, tenantId })),
    );
    await Promise.all(wanted.map((subject) => sealedBy(keys, subject)));
    // One lookup and one creation, and at most one more round for late requests.
    expect(pool.queries).toBeLessThanOrEqual(4);
    for (const subject of wanted) expect(await keys.stateOf(subject)).toBe('kept');
  });

  it('of more persons than the cache holds are kept for the batch', async () => {
    const many = customers(1, 12_000);
    const sealer = await host().forSealing(many);
    const texts = many.map((subject) => sealer.seal(subject, { eventType, text: TEXT }) ?? '');
    const pool = new GatedPool(url);
    onTestFinished(() => pool.end());
    const keys = host({ pool });
    const opener = await keys.forOpening(many);
    expect(pool.queries).toBe(1);
    // Other keys take their places in the cache.
    await keys.forOpening([...many].reverse());
    const opened = many.map((subject, index) =>
      opener.open(subject, { eventType, sealed: texts[index] ?? '' }),
    );
    expect(opened.every((text) => text === TEXT)).toBe(true);
  }, 60_000);

  it('open under the right master key only, each in its own place', async () => {
    const keys = host();
    const sealed = await sealedBy(keys, customer(1));
    await sealedBy(keys, customer(3));
    const stranger = host({ wrappingKey: Buffer.alloc(32, 8) });
    await expect(openedBy(stranger, customer(1), sealed)).rejects.toThrow('does not open');
    await expect(sealedBy(stranger, customer(1))).rejects.toThrow('does not open');
    expect(await count()).toBe(2);
    const faults: string[] = [];
    expect(await stranger.check((name) => faults.push(name))).toBe(2);
    expect(faults).toEqual(['1/live/1', '1/live/3']);
    await database.pool.query(`UPDATE counterfoil_host.personal_keys SET wrapped =
      (SELECT wrapped FROM counterfoil_host.personal_keys WHERE customer = 1) WHERE customer = 3`);
    const found: string[] = [];
    await host().check((name) => found.push(name));
    expect(found).toEqual(['1/live/3']);
    await expect(host().stateOf(customer(3))).rejects.toThrow('does not open');
  });

  it('are all looked at by a check, page after page', async () => {
    await host().forSealing([...customers(1, 2_500), customer(1, { sandbox: true })]);
    expect(await host().check((name) => expect(name).toBe(''))).toBe(await count());
  });

  it('that are unavailable do not keep a batch from the others', async () => {
    const keys = host();
    const sealed = await sealedBy(keys, customer(1));
    const damaged = [customer(1.5), customer(1e300), customer(Number.NaN)];
    const atHand = await keys.forOpening([...damaged, customer(1)]);
    expect(atHand.open(customer(1), { eventType, sealed })).toBe(TEXT);
    expect(() => atHand.open(customer(1.5), { eventType, sealed })).toThrow('no key');
  });

  it('are not made by a reader', async () => {
    const reader = host({ readOnly: true });
    await expect(reader.forSealing([customer(1)])).rejects.toThrow('for reading');
    await expect(reader.destroy(customer(1))).rejects.toThrow('for reading');
    await expect(reader.belongTo('first')).rejects.toThrow('for reading');
    const empty: PersonalDataVault = await reader.forSealing([]);
    expect(() => empty.seal(customer(1), { eventType, text: TEXT })).toThrow('no key');
    expect(await count()).toBe(0);
  });

  it('are durable before they are used, whatever the default of the sessions is', async () => {
    // Asked when the transaction commits: that is when it counts.
    await database.pool.query(`
      CREATE TABLE commits (durable text);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END$$;
      CREATE CONSTRAINT TRIGGER noting AFTER INSERT OR UPDATE ON counterfoil_host.personal_keys
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()`);
    const pool = new GatedPool(`${url}?options=-c%20synchronous_commit%3Doff`);
    onTestFinished(() => pool.end());
    const keys = host({ pool });
    await sealedBy(keys, customer(1));
    await keys.destroy(customer(1));
    await keys.destroy(customer(2));
    const { rows } = await pool.query('SELECT durable FROM commits');
    expect(rows).toEqual([{ durable: 'on' }, { durable: 'on' }, { durable: 'on' }]);
    const after = await pool.query('SHOW synchronous_commit');
    expect(after.rows).toEqual([{ synchronous_commit: 'off' }]);
  });

  it('that were made before a crash, for an event that never came, are used by the next', async () => {
    const crashed = host();
    const sealed = await sealedBy(crashed, customer(1));
    const next = host();
    const again = await sealedBy(next, customer(1));
    expect(await openedBy(next, customer(1), sealed)).toBe(TEXT);
    expect(await openedBy(crashed, customer(1), again)).toBe(TEXT);
    expect(await count()).toBe(1);
  });

  it('are made through connections that break', async () => {
    const keys = host();
    for (let id = 1; id <= 5; id += 1) {
      await pids().then((all) => Promise.all(all.map(terminate)));
      const sealed = await sealedBy(keys, customer(id * 1_000));
      expect(await openedBy(host(), customer(id * 1_000), sealed)).toBe(TEXT);
    }
  });

  it('are unavailable when the database is, with that error', async () => {
    const pool = new pg.Pool({ connectionString: 'postgres://unknown@127.0.0.1:1/none' });
    onTestFinished(() => pool.end());
    const keys = host({ pool });
    const gone = { name: 'EventStoreError', code: 'unavailable' };
    await expect(keys.forOpening([customer(1)])).rejects.toMatchObject(gone);
    await expect(keys.forSealing([customer(1)])).rejects.toMatchObject(gone);
    await expect(keys.destroy(customer(1))).rejects.toMatchObject(gone);
  });
});

async function pids(): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND application_name = 'counterfoil-host'`,
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

async function terminate(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SELECT pg_terminate_backend($1)', [pid]);
  await client.end();
}

/** How many wait for a transaction of somebody else. */
async function waiting(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
}

describe('two hosts', () => {
  const step = fc.record({
    host: fc.nat(1),
    ids: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
    sandbox: fc.boolean(),
  });

  it('never use two keys for one person, on any interleaving', async () => {
    let tenants = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 2, maxLength: 20 }),
        async (scheduler, steps) => {
          tenants += 1;
          const tenantId = tenants as TenantId;
          const hosts = [host(), host()];
          const texts: { subject: Subject; sealed: string }[] = [];
          const work = steps.map(({ host: index, ids, sandbox }) => async () => {
            const subjects = ids.map((id) => customer(id, { tenantId, sandbox }));
            const sealer = await hosts[index]?.forSealing(subjects);
            for (const subject of subjects) {
              const sealed = sealer?.seal(subject, { eventType, text: TEXT });
              texts.push({ subject, sealed: sealed ?? '' });
            }
          });
          const begun = work.map((each) => scheduler.schedule(Promise.resolve()).then(each));
          await scheduler.waitFor(Promise.all(begun));
          for (const keys of [...hosts, host()]) {
            for (const { subject, sealed } of texts) {
              expect(await openedBy(keys, subject, sealed)).toBe(TEXT);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  it('make the same keys in any order without waiting for each other in a circle', async () => {
    const pools = [new GatedPool(url), new GatedPool(url)];
    onTestFinished(async () => {
      for (const pool of pools) await pool.end();
    });
    const hosts = pools.map((pool) => host({ pool }));
    // A third one is about to make a key in the middle: both wait with what they have made so far.
    const third = await database.pool.connect();
    await third.query('BEGIN');
    await third.query(`INSERT INTO counterfoil_host.personal_keys VALUES (1, 20, false)`);
    const wanted = customers(1, 40);
    const orders = [wanted, [...wanted].reverse()];
    const making = hosts.map((keys, index) => keys.forSealing(orders[index] ?? []));
    await vi.waitUntil(async () => (await waiting()) === 2, POLLING);
    await third.query('ROLLBACK');
    third.release();
    const [one, other] = await Promise.all(making);
    expect(pools.map(({ failures }) => failures)).toEqual([0, 0]);
    for (const subject of wanted) {
      const sealed = one?.seal(subject, { eventType, text: TEXT }) ?? '';
      expect(other?.open(subject, { eventType, sealed })).toBe(TEXT);
    }
  });

  it('of which one erases: the other drops the key, and what it sealed in between reads as erased', async () => {
    const [here, there] = [host(), host()];
    const before = await sealedBy(here, customer(1));
    const others = await sealedBy(here, customer(2));
    expect(await openedBy(there, customer(1), before)).toBe(TEXT);
    await here.destroy(customer(1));
    // It has not heard of it yet.
    const meanwhile = await sealedBy(there, customer(1));
    there.forget(customer(1));
    for (const keys of [here, there, host()]) {
      for (const sealed of [before, meanwhile]) {
        expect(await openedBy(keys, customer(1), sealed)).toBeUndefined();
      }
      const sealer = await keys.forSealing([customer(1)]);
      expect(sealer.seal(customer(1), { eventType, text: TEXT })).toBeUndefined();
      expect(await keys.stateOf(customer(1))).toBe('erased');
      expect(await openedBy(keys, customer(2), others)).toBe(TEXT);
    }
  });

  it.each(['forOpening', 'forSealing'] as const)(
    'of which one erases: the other does not remember what a look (%s) found before',
    async (look) => {
      const pool = new GatedPool(url);
      onTestFinished(() => pool.end());
      const [here, there] = [host(), host({ pool })];
      const sealed = await sealedBy(here, customer(1));
      pool.hold();
      const looking = there[look]([customer(1)]);
      await pool.answered();
      await here.destroy(customer(1));
      there.forget(customer(1));
      pool.release();
      await looking;
      expect(await openedBy(there, customer(1), sealed)).toBeUndefined();
    },
  );

  it('of which one erases while the other makes the key: it is erased for both', async () => {
    const pool = new GatedPool(url);
    onTestFinished(() => pool.end());
    const [here, there] = [host(), host({ pool })];
    pool.hold(({ text }) => text.includes('INSERT'));
    const making = there.forSealing([customer(1)]);
    await pool.answered();
    await here.destroy(customer(1));
    there.forget(customer(1));
    pool.release();
    const sealed = (await making).seal(customer(1), { eventType, text: TEXT }) ?? '';
    for (const keys of [here, there]) {
      expect(await openedBy(keys, customer(1), sealed)).toBeUndefined();
    }
  });
});

describe('a destroyed key', () => {
  it('may be destroyed again, and before it was ever made', async () => {
    const keys = host();
    for (let time = 0; time < 2; time += 1) await keys.destroy(customer(1));
    expect(await keys.stateOf(customer(1))).toBe('erased');
    expect(await keys.stateOf(customer(2))).toBe('none');
    const sealer = await keys.forSealing([customer(1)]);
    expect(sealer.seal(customer(1), { eventType, text: TEXT })).toBeUndefined();
    // A block that reaches over it leaves it as it is.
    await keys.forSealing(customers(2, 3));
    expect(await keys.stateOf(customer(1))).toBe('erased');
  });

  it('is on no page of the table any more', async (context) => {
    const keys = host();
    // A page of them, the last one included, which no other row is moved over.
    for (let id = 1; id <= 40; id += 1) await sealedBy(keys, customer(id * 10));
    const { rows } = await database.pool.query<{ customer: string; wrapped: Buffer }>(
      'SELECT customer, wrapped FROM counterfoil_host.personal_keys ORDER BY customer',
    );
    const pages = await bytesOfTable();
    if (pages === undefined) return context.skip();
    for (const { wrapped } of rows) expect(pages.includes(wrapped)).toBe(true);
    // The last one first: the tombstones of the others would come to lie over it.
    const erased = [39, 0, 20, 38].flatMap((index) => rows.slice(index, index + 1));
    for (const { customer: id, wrapped } of erased) {
      await keys.destroy(customer(Number(id)));
      expect((await bytesOfTable())?.includes(wrapped), id).toBe(false);
      // Nor is any part of it.
      const parts = Array.from({ length: wrapped.length - 8 }, (_, at) =>
        wrapped.subarray(at, at + 8),
      );
      const bytes = await bytesOfTable();
      expect(parts.filter((part) => bytes?.includes(part))).toEqual([]);
    }
    const bytes = await bytesOfTable();
    for (const row of rows) expect(bytes?.includes(row.wrapped)).toBe(!erased.includes(row));
  });
});

/** What the disk has of the table; undefined where the server does not let us look. */
async function bytesOfTable(): Promise<Buffer | undefined> {
  try {
    await database.pool.query('CHECKPOINT');
    const { rows } = await database.pool.query<{ bytes: Buffer }>(
      `SELECT pg_read_binary_file(pg_relation_filepath('counterfoil_host.personal_keys')) AS bytes`,
    );
    return rows[0]?.bytes;
  } catch (error) {
    if ((error as { code?: string }).code === '42501') return undefined;
    throw error;
  }
}
