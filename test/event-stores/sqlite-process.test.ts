/** The SQLite store among processes: one writer, followers, and what a killed writer leaves. */
import { existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { Appender } from './support/appender-process.ts';
import { newAppend, wholeLog } from './support/appends.ts';
import { newFolder, removeFolders } from './support/folders.ts';

const TIMEOUT_MS = 60_000;
const WRITERS = 32;
const EVENTS_PER_COMMAND = 3;

const appenders: Appender[] = [];

afterEach(async () => {
  await Promise.all(appenders.splice(0).map((appender) => appender.kill()));
  removeFolders();
});

function startAppender(path: string, writers: number): Appender {
  const appender = new Appender(path, writers);
  appenders.push(appender);
  return appender;
}

describe('sqlite: one writer', { timeout: TIMEOUT_MS }, () => {
  it('refuses a log that another process writes, until that process ends', async () => {
    const path = join(newFolder(), 'log.db');
    const appender = startAppender(path, 0);
    await appender.acknowledged(0);
    await expect(openSqliteEventStore({ path })).rejects.toMatchObject({ code: 'locked' });
    await appender.kill();
    const store = await openSqliteEventStore({ path });
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    await store.close();
  });

  it('refuses a second writer in this process, whatever name it gives the file', async () => {
    const folder = newFolder();
    const path = join(folder, 'log.db');
    const store = await openSqliteEventStore({ path });
    symlinkSync(path, join(folder, 'alias.db'));
    symlinkSync(folder, join(folder, 'alias'));
    for (const name of ['log.db', 'alias.db', 'alias/log.db']) {
      const second = openSqliteEventStore({ path: join(folder, name) });
      await expect(second, name).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining('open for writing'),
      });
    }
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    await store.close();
    await (await openSqliteEventStore({ path })).close();
  });

  it('of many that open at once one is the writer', async () => {
    const path = join(newFolder(), 'log.db');
    const attempts = await Promise.allSettled(
      Array.from({ length: 4 }, () => openSqliteEventStore({ path })),
    );
    const stores = attempts.flatMap((attempt) =>
      attempt.status === 'fulfilled' ? [attempt.value] : [],
    );
    expect(stores).toHaveLength(1);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'locked' });
    }
    for (const store of stores) await store.close();
  });
});

describe('sqlite: followers', { timeout: TIMEOUT_MS }, () => {
  it('see what another process appends, whole commands in order', async () => {
    const path = join(newFolder(), 'log.db');
    const appender = startAppender(path, 2);
    await appender.acknowledged(1);
    const follower = await openSqliteEventStore({ path, follow: true, pollIntervalMs: 1 });
    const positions: string[] = [];
    for await (const batch of follower.subscribe()) {
      positions.push(...batch.map((event) => event.position));
      if (positions.length > 300) break;
    }
    expect(positions).toEqual([...new Set(positions)].sort());
    await expect(follower.append(newAppend())).rejects.toMatchObject({ code: 'read-only' });
    await follower.close();
  });

  it('end on close while they wait', async () => {
    const path = join(newFolder(), 'log.db');
    const writer = await openSqliteEventStore({ path });
    const follower = await openSqliteEventStore({ path, follow: true });
    const subscription = follower.subscribe()[Symbol.asyncIterator]();
    const waiting = subscription.next();
    await follower.close();
    expect((await waiting).done).toBe(true);
    await writer.close();
  });

  it('need a log to follow', async () => {
    const path = join(newFolder(), 'log.db');
    const follower = openSqliteEventStore({ path, follow: true });
    await expect(follower).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(path)).toBe(false);
  });
});

describe('sqlite: a killed writer', { timeout: TIMEOUT_MS }, () => {
  it.each([1, 50, 1_000])('has lost nothing of %i acknowledged commands', async (count) => {
    const path = join(newFolder(), 'log.db');
    const appender = startAppender(path, WRITERS);
    await appender.acknowledged(count);
    const acknowledged = await appender.kill();
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);

    const store = await openSqliteEventStore({ path });
    const kept = new Map<string, number>();
    for (const event of await wholeLog(store)) {
      kept.set(event.commandId, (kept.get(event.commandId) ?? 0) + 1);
    }
    for (const command of acknowledged) expect(kept.has(command)).toBe(true);
    for (const events of kept.values()) expect(events).toBe(EVENTS_PER_COMMAND);
    expect(await store.append(newAppend())).toMatchObject({ outcome: 'appended' });
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
