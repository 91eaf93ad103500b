/** Memory of a start is given back. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { releaseMemory } from './release-memory.ts';

it('collects what is not in use, and leaves no global behind', async () => {
  const garbage = new WeakRef({ large: new Array(100_000).fill(0) });
  // A reference that was looked at stays until the end of the turn.
  await nextTurn();
  releaseMemory();
  expect(garbage.deref()).toBeUndefined();
  expect('gc' in globalThis).toBe(false);
});
