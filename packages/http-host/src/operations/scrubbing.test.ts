/** What was erased is taken out of the files as soon as nobody hinders it, and nobody waits for that. */
import { expect, it, vi } from 'vitest';
import { Scrubbing } from './scrubbing.ts';

it('tries again what was hindered, tells of it, and ends with the host', async () => {
  const said: string[] = [];
  const log = (_: object, message: string) => said.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const answers = [false, new Error('busy'), false, true];
  const scrub = vi.fn(() => {
    const answer = answers.shift() ?? false;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const stores = [
    { name: 'free', scrub: () => true },
    { name: 'read', scrub },
  ];
  const scrubbing = new Scrubbing({ stores, logger, firstPauseMs: 1 });
  await scrubbing.scrub();
  expect([scrubbing.pending, scrub.mock.calls.length]).toEqual([1, 1]);
  await vi.waitUntil(() => scrubbing.pending === 0);
  expect([scrubbing.pending, scrub.mock.calls.length]).toEqual([0, 4]);
  expect(said).toEqual([
    'what was erased is still in files that are being read',
    'a file was not scrubbed',
    'what was erased is in no file of the host any more',
  ]);
  await scrubbing.scrub();
  expect(scrubbing.pending).toBe(1);
  await scrubbing.stop();
  const { length } = scrub.mock.calls;
  await scrubbing.stop();
  expect(scrub.mock.calls.length).toBe(length);
});
