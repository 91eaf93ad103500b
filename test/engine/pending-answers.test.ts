/** Answers that are to be sent are there after a restart, until they are removed; wherever they are kept. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPendingAnswers } from '@counterfoil/engine/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject } from '../setup/stores.ts';

type Place = Parameters<typeof openPendingAnswers>[0];

const hostDatabase = hostDatabaseOfFile();

function inFile(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'reactors.db');
}

const PLACES = casesOfProject<readonly [string, () => Place]>({
  embedded: [['a file', inFile]],
  postgres: [['PostgreSQL', () => hostDatabase().pool]],
});

const answer = (position: string, dueAt: string) => ({
  position,
  tenantId: 7,
  disputeId: crypto.randomUUID(),
  tries: 0,
  dueAt,
});

describe.each(PLACES)('pending answers in %s', (_, placeOf) => {
  it('are due in their order, each until it is removed', async () => {
    const place = placeOf();
    const before = openPendingAnswers(place);
    const [early, late] = [answer('2', '2026-03-01'), answer('1', '2026-03-02')];
    await before.put(late);
    await before.put({ ...early, dueAt: '2026-02-01' });
    await before.put({ ...early, tries: 1 });
    before.close();
    const store = openPendingAnswers(place);
    expect(await store.nextDueAt()).toBe('2026-03-01');
    expect(await store.dueBy('2026-03-01', 10)).toEqual([{ ...early, tries: 1 }]);
    expect(await store.dueBy('2026-04-01', 10)).toEqual([{ ...early, tries: 1 }, late]);
    expect(await store.dueBy('2026-04-01', 1)).toHaveLength(1);
    await store.remove('2');
    await store.remove('1');
    expect(await store.nextDueAt()).toBeUndefined();
    store.close();
  });
});
