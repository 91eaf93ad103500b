/** Detection of dead lease holders. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { hasEnded, processHolder } from './process-holder.ts';

it('knows a process that has ended, and judges no other', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const mine = processHolder();
  const ended = mine.replace(String(process.pid), String(pid));
  expect([mine, ended, `${ended}-elsewhere`, 'host'].map(hasEnded)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});
