/** The types of the client are those of the host's document. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GENERATED, generatedTypes } from './generate-types.ts';

it('are current: run pnpm build:client after a change of the interface', async () => {
  const kept = readFileSync(GENERATED, 'utf8').split('\n');
  const generated = (await generatedTypes()).split('\n');
  const line = generated.findIndex((each, index) => each !== kept[index]);
  expect({ line, is: kept[line] }).toEqual({ line, is: generated[line] });
  expect(kept.length).toBe(generated.length);
});
