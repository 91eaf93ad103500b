/** The places of followers in the host database: of all hosts the furthest counts. */
import type { Position } from '@counterfoil/core';
import { type HostDatabase, openCheckpoints, openHostDatabase } from '@counterfoil/engine/storage';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase } from '../setup/databases.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

async function opened(url: string): Promise<HostDatabase> {
  const database = await openHostDatabase(url);
  onTestFinished(() => database.close());
  return database;
}

it('returns each reactor its own position, on every host', async () => {
  const url = await newDatabase();
  const here = openCheckpoints((await opened(url)).pool);
  const there = openCheckpoints((await opened(url)).pool);
  expect(await here.get('mails')).toBeUndefined();
  await here.set('mails', '0001' as Position);
  await here.set('notices', '0002' as Position);
  expect([await there.get('mails'), await there.get('notices')]).toEqual(['0001', '0002']);
});

it('never goes back, whichever host comes late', async () => {
  const url = await newDatabase();
  const hosts = [
    openCheckpoints((await opened(url)).pool),
    openCheckpoints((await opened(url)).pool),
  ];
  // Of equal length, like positions; letters distinguish a collation from a comparison by code.
  const position = fc.string({
    unit: fc.constantFrom('0', '1', 'a', 'B', '_', 'é'),
    minLength: 4,
    maxLength: 4,
  });
  let reactors = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), position), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (moves, atOnce) => {
        reactors += 1;
        const name = `reactor ${reactors}`;
        const write = ([isThere, to]: [boolean, string]) =>
          hosts[isThere ? 1 : 0]?.set(name, to as Position);
        if (atOnce) await Promise.all(moves.map(write));
        else for (const move of moves) await write(move);
        const furthest = moves
          .map(([, to]) => to)
          .sort()
          .at(-1);
        expect(await hosts[0]?.get(name)).toBe(furthest);
      },
    ),
  );
});
