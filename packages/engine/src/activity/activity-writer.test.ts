import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ActivityWriter } from './activity-writer.ts';

it('ends its thread when nothing is asked for, and starts another one for what is asked for then', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const folder = mkdtempSync(join(tmpdir(), 'activity-'));
  const writer = new ActivityWriter({
    path: join(folder, 'activity.db'),
    settings: 'CREATE TABLE IF NOT EXISTS written (word TEXT)',
    fields: 1,
    add: 'INSERT INTO written VALUES (?)',
    remove: 'DELETE FROM written WHERE word < ? AND rowid < ?',
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await writer.close();
    rmSync(folder, { recursive: true });
  });
  expect(writer.isRunning).toBe(false);
  expect(await writer.ask({ type: 'add', values: ['a', 'b'] })).toBe(2);
  vi.advanceTimersByTime(5_000);
  expect(writer.isRunning).toBe(true);
  vi.advanceTimersByTime(5_000);
  expect(writer.isRunning).toBe(false);
  expect(await writer.ask({ type: 'remove', before: 'c', limit: 10 })).toBe(2);
  expect(writer.isRunning).toBe(true);
});

it('keeps its thread while an answer is due', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const writer = new ActivityWriter({
    path: ':memory:',
    settings: 'CREATE TABLE written (word TEXT)',
    fields: 1,
    add: 'INSERT INTO written VALUES (?)',
    remove: 'DELETE FROM written WHERE word < ? AND rowid < ?',
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    await writer.close();
  });
  const asked = writer.ask({ type: 'add', values: ['a'] });
  vi.advanceTimersByTime(60_000);
  expect(writer.isRunning).toBe(true);
  expect(await asked).toBe(1);
});
