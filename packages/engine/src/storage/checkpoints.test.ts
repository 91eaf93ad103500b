/** Places in a file: those of one turn share a transaction, and each is there when its follower is told so. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Position } from '@counterfoil/core';
import { expect, it, onTestFinished } from 'vitest';
import { openCheckpoints } from './checkpoints.ts';

const REACTORS = ['policies', 'mails', 'webhooks'];
const at = (row: number) => String(row).padStart(16, '0') as Position;

it('writes the places of one turn as one', async () => {
  const { path, places } = opened();
  const logged = () => statSync(`${path}-wal`).size;
  const setAll = (row: number) => Promise.all(REACTORS.map((each) => places.set(each, at(row))));
  await setAll(1);
  const before = logged();
  await places.set('policies', at(2));
  const ofOne = logged() - before;
  expect(ofOne).toBeGreaterThan(0);

  await setAll(3);
  expect(logged() - before).toBe(2 * ofOne);
  for (const reactor of REACTORS) expect(await places.get(reactor)).toBe(at(3));
});

it('keeps the later of two places that are set in one turn, and none that is forgotten', async () => {
  const { places } = opened();
  await Promise.all([places.set('policies', at(1)), places.set('policies', at(2))]);
  expect(await places.get('policies')).toBe(at(2));
  await places.forget('policies');
  expect(await places.get('policies')).toBeUndefined();
});

function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-checkpoints-'));
  const path = join(folder, 'checkpoints.db');
  const places = openCheckpoints(path);
  onTestFinished(() => {
    places.close();
    rmSync(folder, { recursive: true });
  });
  return { path, places };
}
