/** The hook in a process of its own: it is there for `--import`. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const HOOK = new URL('strip-types.mjs', import.meta.url);
const KEPT = fileURLToPath(new URL('../node_modules/.cache/counterfoil/', import.meta.url));

function program() {
  const folder = mkdtempSync(join(tmpdir(), 'strip-'));
  const path = join(folder, 'program.ts');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const kept = join(KEPT, hash('sha256', path));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    rmSync(kept, { force: true, recursive: true });
  });
  const run = () =>
    execFileSync(process.execPath, ['--import', HOOK.href, path], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { kept, run, write: (source: string) => writeFileSync(path, source) };
}

it('runs what a source says now, from what was kept of it', () => {
  const { kept, run, write } = program();
  write('const said: string = "one";\nconsole.log(said);\n');
  expect(run()).toBe('one\n');
  expect(readFileSync(kept, 'utf8')).toContain('const said         = "one";');
  // Shows that the next start strips nothing.
  writeFileSync(kept, readFileSync(kept, 'utf8').replace('"one"', '"kept"'));
  expect(run()).toBe('kept\n');
  write('const said: string = "two";\nconsole.log(said);\n');
  expect(run()).toBe('two\n');
});

it('names the place in the source where it fails', () => {
  const { run, write } = program();
  write('type Nothing = undefined;\nconst made: Nothing = undefined;\nthrow new Error(made);\n');
  for (let start = 0; start < 2; start += 1) expect(run).toThrow(/program\.ts:3/);
});

it('has all sources stripped by another process, where the first of a program is not', () => {
  const other = fileURLToPath(new URL('../packages/core/src/kernel/currency.ts', import.meta.url));
  const keptOfOther = join(KEPT, hash('sha256', other));
  rmSync(keptOfOther, { force: true });
  const { run, write } = program();
  write('');
  run();
  expect(existsSync(keptOfOther)).toBe(true);
});

it('runs where nothing can be kept, nor what is kept be read', () => {
  const { kept, run, write } = program();
  write('const said: string = "one";\nconsole.log(said);\n');
  // In the place of the file that would be kept: it can be neither read nor replaced.
  mkdirSync(join(kept, 'in-its-place'), { recursive: true });
  expect(run()).toBe('one\n');
});
