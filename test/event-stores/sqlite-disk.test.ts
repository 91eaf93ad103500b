/** The SQLite store on bad disks: full, read-only, and files that are damaged or not a log. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type AppendRequest, EventStoreError, type StoredEvent } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { newAppend, wholeLog } from './support/appends.ts';
import {
  canMount,
  fillUp,
  newFolder,
  newSmallDisk,
  removeFolders,
  writeProtect,
} from './support/folders.ts';

const TIMEOUT_MS = 120_000;
const MEBIBYTE = 1024 * 1024;
const noMounts = !canMount();

afterEach(removeFolders);

/** A closed log of some streams; hands back its path and its events. */
async function writeLog(
  folder = newFolder(),
): Promise<{ path: string; log: readonly StoredEvent[] }> {
  const path = join(folder, 'log.db');
  const store = await openSqliteEventStore({ path });
  const requests = Array.from({ length: 20 }, (_, index) => newAppend(1 + (index % 4)));
  for (const request of requests) await store.append(request);
  const log = await wholeLog(store);
  await store.close();
  return { path, log };
}

async function expectRefused(path: string, code: string, message = ''): Promise<void> {
  const refused = { name: 'EventStoreError', code, message: expect.stringContaining(message) };
  await expect(openSqliteEventStore({ path })).rejects.toMatchObject(refused);
}

describe.skipIf(noMounts)('sqlite: full disk (needs mount)', { timeout: TIMEOUT_MS }, () => {
  it('refuses with full, keeps its events, and continues when there is room', async () => {
    const disk = newSmallDisk(4 * MEBIBYTE);
    const path = join(disk, 'log.db');
    let store = await openSqliteEventStore({ path });
    await store.append(newAppend());
    fillUp(join(disk, 'filler'));

    const kept: AppendRequest[] = [];
    const refused: AppendRequest[] = [];
    while (refused.length < 40) {
      const requests = Array.from({ length: 8 }, () => newAppend(3));
      const results = await Promise.allSettled(requests.map((request) => store.append(request)));
      for (const [index, request] of requests.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') kept.push(request);
        else {
          expect(result?.reason).toMatchObject({ name: 'EventStoreError', code: 'full' });
          refused.push(request);
        }
      }
    }
    expect(await wholeLog(store)).toHaveLength(1 + 3 * kept.length);
    for (const { stream } of refused) expect(await store.read(stream)).toEqual([]);

    rmSync(join(disk, 'filler'));
    for (const request of refused) {
      expect(await store.append(request)).toMatchObject({ outcome: 'appended', revision: 2 });
    }
    const log = await wholeLog(store);
    await store.close();
    store = await openSqliteEventStore({ path });
    expect(await wholeLog(store)).toStrictEqual(log);
    expect(log).toHaveLength(1 + 3 * (kept.length + refused.length));
    await store.close();
  });

  it('refuses to make a log where there is no room', async () => {
    const disk = newSmallDisk(MEBIBYTE);
    fillUp(join(disk, 'filler'));
    await expectRefused(join(disk, 'log.db'), 'full');
    rmSync(join(disk, 'filler'));
    const store = await openSqliteEventStore({ path: join(disk, 'log.db') });
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    await store.close();
  });
});

describe.skipIf(noMounts)('sqlite: read-only disk (needs mount)', { timeout: TIMEOUT_MS }, () => {
  it('refuses a log on it, old or new', async () => {
    const disk = newSmallDisk(4 * MEBIBYTE);
    const { path } = await writeLog(disk);
    writeProtect(disk);
    await expectRefused(path, 'read-only');
    await expectRefused(join(disk, 'new.db'), 'read-only');
  });
});

describe('sqlite: not a log', { timeout: TIMEOUT_MS }, () => {
  it('refuses another kind of file and leaves it unchanged', async () => {
    const path = join(newFolder(), 'log.db');
    writeFileSync(path, 'The quick brown fox jumps over the lazy dog. '.repeat(100));
    const before = readFileSync(path);
    await expectRefused(path, 'corrupt', 'not a database');
    expect(readFileSync(path)).toEqual(before);
  });

  it('refuses the database of another application and leaves it unchanged', async () => {
    const path = join(newFolder(), 'log.db');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE events (position INTEGER PRIMARY KEY, data TEXT)');
    other.close();
    const before = readFileSync(path);
    await expectRefused(path, 'corrupt', 'not an event log of Counterfoil');
    expect(readFileSync(path)).toEqual(before);
  });

  it('refuses a log of a newer build', async () => {
    const { path } = await writeLog();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    await expectRefused(path, 'corrupt', 'use a newer build');
  });

  it('refuses a folder that is not there', async () => {
    await expectRefused(join(newFolder(), 'absent', 'log.db'), 'unavailable');
  });

  it('takes an empty file for a new log', async () => {
    const path = join(newFolder(), 'log.db');
    writeFileSync(path, '');
    const store = await openSqliteEventStore({ path });
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    await store.close();
  });
});

describe('sqlite: damage', { timeout: TIMEOUT_MS }, () => {
  it.each([0.2, 0.5, 0.9])('refuses a log cut off at %d of its length', async (part) => {
    const { path } = await writeLog();
    truncateSync(path, Math.floor(readFileSync(path).length * part));
    await expectRefused(path, 'corrupt');
  });

  it('does not hand out an event of which one letter has changed', async () => {
    const { path, log } = await writeLog();
    const bytes = readFileSync(path);
    const victim = log[7];
    if (victim === undefined) throw new Error('the log has more events');
    // Pages that were split may hold a row's bytes twice: all of them are changed.
    for (let at = bytes.indexOf(victim.id); at >= 0; at = bytes.indexOf(victim.id, at + 1)) {
      bytes.write('laid', bytes.indexOf('paid in full', at));
    }
    writeFileSync(path, bytes);
    await expectRefused(path, 'corrupt', 'does not match its checksum');
    const store = await openSqliteEventStore({ path, follow: true });
    const damaged = { code: 'corrupt', message: expect.stringContaining('checksum') };
    await expect(store.read(victim.stream)).rejects.toMatchObject(damaged);
    await expect(wholeLog(store)).rejects.toMatchObject(damaged);
    const whole = log[0]?.stream ?? victim.stream;
    expect(await store.read(whole)).toStrictEqual(log.filter(({ stream }) => stream === whole));
    await store.close();
  });

  it('does not step over an event that is missing', async () => {
    const { path, log } = await writeLog();
    const victim = log.find(({ revision }, at) => revision === 1 && log[at + 1]?.revision === 2);
    if (victim === undefined) throw new Error('the log has longer streams');
    const other = new DatabaseSync(path);
    other.prepare('DELETE FROM events WHERE position = ?').run(Number(victim.position));
    other.close();
    await expectRefused(path, 'corrupt', `position ${Number(victim.position)} is missing`);
    const store = await openSqliteEventStore({ path, follow: true });
    const missing = { code: 'corrupt', message: expect.stringContaining('is missing') };
    await expect(wholeLog(store)).rejects.toMatchObject(missing);
    const stepping = async () => {
      for await (const _batch of store.subscribe({ batchSize: 1, untilHead: true }));
    };
    await expect(stepping()).rejects.toMatchObject(missing);
    await expect(store.read(victim.stream)).rejects.toMatchObject(missing);
    await store.close();
  });

  // A log that has lost its end equals a shorter one.
  it.each([
    { who: 'a follower', follow: true, most: {} },
    // Looks through all of it at its start, in a thread of its own: what is read then is sound.
    { who: 'a writer', follow: false, most: { numRuns: 10 } },
  ])('$who detects any flipped bit, or has an intact prefix of the log', async (one) => {
    const { follow, most } = one;
    const { path, log } = await writeLog();
    const sound = readFileSync(path);
    const bit = fc.nat(sound.length * 8 - 1);
    await fc.assert(
      fc.asyncProperty(bit, async (index) => {
        const copy = join(newFolder(), 'log.db');
        copyFileSync(path, copy);
        const bytes = Buffer.from(sound);
        bytes[index >> 3] = (bytes[index >> 3] ?? 0) ^ (1 << (index & 7));
        writeFileSync(copy, bytes);
        const seen = await readDamaged(copy, follow);
        if (seen instanceof EventStoreError)
          expect(seen.code).toMatch(/corrupt|unavailable|read-only/);
        else expect(seen).toStrictEqual(log.slice(0, seen.length));
      }),
      most,
    );
  });

  it('does not write to a log whose events do not follow each other', async () => {
    for (const [change, message] of [
      ['UPDATE events SET ends_command = 0 WHERE position = 1', 'has no last event'],
      ['DELETE FROM events WHERE position = 1', 'position 1 is missing'],
      ["UPDATE streams SET name = name || 'x' WHERE id = 2", 'does not match its checksum'],
    ] as const) {
      const { path } = await writeLog();
      const other = new DatabaseSync(path);
      other.exec(change);
      other.close();
      await expectRefused(path, 'corrupt', message);
    }
  });
});

/** What is read of a log; the refusal of one that is followed, or of the start of one that is written. */
async function readDamaged(
  path: string,
  follow: boolean,
): Promise<readonly StoredEvent[] | EventStoreError> {
  const refused = (error: unknown) => {
    if (error instanceof EventStoreError) return error;
    throw error;
  };
  const store = await openSqliteEventStore({ path, follow }).catch(refused);
  if (store instanceof EventStoreError) return store;
  try {
    return follow ? await wholeLog(store).catch(refused) : await wholeLog(store);
  } finally {
    await store.close();
  }
}

describe('sqlite: the lock beside the log', { timeout: 60_000 }, () => {
  it.each([
    ['a text', (lock: string) => writeFileSync(lock, 'a text')],
    ['a folder', (lock: string) => mkdirSync(lock)],
  ])('is named when %s is in its place, and the log is unchanged', async (_what, put) => {
    const { path, log } = await writeLog();
    const before = readFileSync(path);
    const lock = `${path}-lock`;
    rmSync(lock);
    put(lock);
    const refused = openSqliteEventStore({ path });
    await expect(refused).rejects.toThrow(`${lock}, the lock of the log: `);
    await expect(refused).rejects.toThrow('remove it while no host runs');
    expect(readFileSync(path).equals(before)).toBe(true);
    rmSync(lock, { recursive: true });
    const store = await openSqliteEventStore({ path });
    expect(await wholeLog(store)).toEqual(log);
    // What makes the lock leaves no further file.
    expect(readdirSync(dirname(path)).filter((name) => name.includes('-lock'))).toEqual([
      'log.db-lock',
    ]);
    await store.close();
  });
});

describe('sqlite: the files of a log', { timeout: 60_000 }, () => {
  it('are for their owner alone, and those that were there keep their mode', async () => {
    const folder = newFolder();
    const path = join(folder, 'log.db');
    const store = await openSqliteEventStore({ path });
    await store.append(newAppend());
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining(['log.db', 'log.db-lock', 'log.db-wal']));
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
    await store.close();
    chmodSync(path, 0o640);
    const again = await openSqliteEventStore({ path });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await again.close();
  });
});
