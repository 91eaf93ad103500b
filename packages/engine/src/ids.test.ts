/** Ids that come out the same again. */
import { expect, it } from 'vitest';
import { deterministicUuid } from './ids.ts';

const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it('that have a time sort by it, and are of their parts besides', () => {
  const [at, later] = [Date.UTC(2026, 10, 24), Date.UTC(2026, 10, 25)];
  const id = deterministicUuid(['message', 'a'], at);
  expect(id).toMatch(UUID_8);
  expect(id).toBe(deterministicUuid(['message', 'a'], at));
  expect(id).not.toBe(deterministicUuid(['message', 'b'], at));
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
  expect(deterministicUuid(['message', 'a'], later) > id).toBe(true);
});
