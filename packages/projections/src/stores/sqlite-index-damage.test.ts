/** An index of a field whose entry has another place than the row that it leads to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Position } from '@counterfoil/core';
import { expect, it, onTestFinished } from 'vitest';
import type { Build } from '../read-model-store.ts';
import { openSqliteReadModelStore } from './sqlite.ts';

/** Twenty rows, half of them with each number, and the file that they are in. */
async function twentyRows() {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-index-'));
  const path = join(folder, 'rm.db');
  const store = openSqliteReadModelStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const build = await store.createBuild({
    projection: 'sample',
    version: '1',
    collections: [{ name: 'rows', kind: 'walked', fields: { num: 'integer' } }],
    purpose: 'live',
  });
  await build.fence([{ shard: 0, epoch: 1 }]);
  await build.commit({
    moves: [{ shard: 0, epoch: 1, expected: undefined, checkpoint: '1' as Position }],
    changes: Array.from({ length: 20 }, (_, index) => ({
      collection: 'rows',
      after: {
        key: `k${index}`,
        body: `b${index}`,
        place: { partition: 'p', sort: index, fields: { num: index % 2 } },
      },
    })),
  });
  return { build, path: `${path}-sample-${build.info.build}` };
}

function firstFive(build: Build): Promise<readonly string[] | string> {
  const where = [{ field: 'num', anyOf: [0, 1] }];
  return build.walk({ collection: 'rows', partition: 'p', where, limit: 5 }).then(
    (found) => found.map(({ key }) => key),
    (error: { code: string }) => error.code,
  );
}

it('does not answer by an index whose entry has another place than its row', async () => {
  const { build, path } = await twentyRows();
  const file = new DatabaseSync(path, { defensive: false });
  const index = file
    .prepare("SELECT * FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%num%'")
    .get() as Record<string, string | number>;
  const id = file.prepare("SELECT id FROM rows WHERE key = 'k2'").get()?.['id'] as number;
  file.prepare('UPDATE rows SET sort = 100 WHERE id = ?').run(id);
  file.exec('PRAGMA writable_schema = ON');
  file.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(index['name'] ?? '');
  file.exec('PRAGMA writable_schema = RESET');
  file.prepare('UPDATE rows SET sort = 2 WHERE id = ?').run(id);
  file.exec('PRAGMA writable_schema = ON');
  file
    .prepare("INSERT INTO sqlite_schema VALUES ('index', ?, 'rows', ?, ?)")
    .run(index['name'] ?? '', index['rootpage'] ?? 0, index['sql'] ?? '');
  file.exec('PRAGMA writable_schema = RESET');
  file.close();
  const keys = await firstFive(build);
  expect([['k19', 'k18', 'k17', 'k16', 'k15'], 'damaged']).toContainEqual(keys);
});

it('does not leave out what stands behind an entry that comes too early in an index', async () => {
  const { build, path } = await twentyRows();
  const file = new DatabaseSync(path, { defensive: false });
  const define = (from: string, to: string) => {
    file.exec('PRAGMA writable_schema = ON');
    file
      .prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'rows_by_num'")
      .run(from, to);
    file.exec('PRAGMA writable_schema = RESET');
  };
  define(', sort)', ', sort DESC)');
  file.exec("INSERT INTO rows (key, part, sort, f_num) VALUES ('early', 1, 1, 0)");
  define(', sort DESC)', ', sort)');
  file.close();
  expect(await firstFive(build)).toBe('damaged');
});
