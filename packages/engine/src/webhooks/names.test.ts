import { expect, it } from 'vitest';
import { rememberingFailures } from './names.ts';

it('a name that could not be resolved is not asked for again for 30 seconds', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const resolve = rememberingFailures(
    async (name) => {
      asked.push(name);
      if (name === 'gone.example') throw new Error('ENOTFOUND');
      return ['8.8.8.8'];
    },
    () => nowMs,
  );
  const failsAt = async (at: number) => {
    nowMs = at;
    await expect(resolve('gone.example')).rejects.toThrow('ENOTFOUND');
    return asked.length;
  };
  expect([await failsAt(0), await failsAt(29_999), await failsAt(30_000)]).toEqual([1, 1, 2]);
  // What was found is asked for each time.
  await resolve('here.example');
  await resolve('here.example');
  expect(asked.slice(2)).toEqual(['here.example', 'here.example']);
});
