/** Erased data is scrubbed from the files in the background, as soon as no reader blocks it. */
import { expect, it, vi } from 'vitest';
import { Scrubbing } from './scrubbing.ts';

it('retries blocked files, logs them, and stops with the host', async () => {
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
    'files that are being read still hold erased data',
    'a file was not scrubbed',
    'no file of the host holds erased data',
  ]);
  await scrubbing.scrub();
  expect(scrubbing.pending).toBe(1);
  await scrubbing.stop();
  const { length } = scrub.mock.calls;
  await scrubbing.stop();
  expect(scrub.mock.calls.length).toBe(length);
});

it('scrubs for each caller, also while the same store is being scrubbed for another', async () => {
  const said = () => undefined;
  const logger = { debug: said, info: said, warn: said, error: said };
  const first = Promise.withResolvers<boolean>();
  const keys = Promise.withResolvers<boolean>();
  const scrubAnswers = vi
    .fn<() => Promise<boolean>>()
    .mockReturnValueOnce(first.promise)
    .mockResolvedValue(true);
  const scrubKeys = vi
    .fn<() => Promise<boolean>>()
    .mockResolvedValueOnce(false)
    .mockReturnValueOnce(keys.promise)
    .mockResolvedValue(true);
  const stores = [
    { name: 'keys', scrub: scrubKeys },
    { name: 'answers', scrub: scrubAnswers },
  ];
  const scrubbing = new Scrubbing({ stores, logger });
  const one = scrubbing.scrub();
  await vi.waitUntil(() => scrubAnswers.mock.calls.length === 1);
  // The running scrub of the answers may have passed rows that are deleted from here on.
  const other = scrubbing.scrub();
  first.resolve(true);
  await one;
  keys.resolve(true);
  await other;
  expect(scrubAnswers).toHaveBeenCalledTimes(2);
  expect(scrubbing.pending).toBe(0);
  await scrubbing.stop();
});
