/** Where evidence is kept: what was put is there, for its dispute alone, also after a restart; wherever it is kept. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEvidence } from '@counterfoil/engine/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostDatabaseOfFile } from '../setup/host-database.ts';
import { casesOfProject } from '../setup/stores.ts';

type Place = Parameters<typeof openEvidence>[0];

const hostDatabase = hostDatabaseOfFile();

function inFile(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-evidence-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'evidence.db');
}

const PLACES = casesOfProject<readonly [string, () => Place]>({
  embedded: [['a file', inFile]],
  postgres: [['PostgreSQL', () => hostDatabase().pool]],
});

const key = { tenantId: 7, disputeId: crypto.randomUUID(), digest: 'ab'.repeat(32) };

describe.each(PLACES)('evidence in %s', (_, placeOf) => {
  it('is there after a restart, and of its tenant and dispute alone', async () => {
    const place = placeOf();
    const before = openEvidence(place);
    const large = 'x'.repeat(9 * 2 ** 20);
    await before.put(key, 'old');
    await before.put(key, large);
    before.close();
    const store = openEvidence(place);
    expect((await store.get(key))?.length).toBe(large.length);
    expect(await store.get({ ...key, tenantId: 8 })).toBeUndefined();
    expect(await store.get({ ...key, disputeId: 'other' })).toBeUndefined();
    expect(await store.get({ ...key, digest: 'cd' })).toBeUndefined();
    store.close();
  });
});
