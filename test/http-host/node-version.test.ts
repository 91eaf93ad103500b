/** The command line on a Node that is too old: one line that says what it needs, and no stack. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000 });

const HOST = fileURLToPath(new URL('../../packages/http-host/', import.meta.url));
const { bin, engines } = JSON.parse(readFileSync(join(HOST, 'package.json'), 'utf8'));
const ENTRY = join(HOST, bin.counterfoil);
const REQUIRED = Number(/\d+/.exec(engines.node)?.[0]);

function run(node: string, ...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, words, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Other Nodes that this machine has. */
function olderNodes(): readonly string[] {
  const nodes = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return [...new Set(nodes)].filter((node) => {
    const [, major] = /^v(\d+)/.exec(run(node, '--version').stdout ?? '') ?? [];
    return major !== undefined && Number(major) < REQUIRED;
  });
}

function refusal(version: string) {
  const stderr = `counterfoil needs Node ${REQUIRED} or later, and this is Node ${version}\n`;
  return { status: 1, stdout: '', stderr };
}

it('is refused in one line, by what Node says of itself', () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '22.9.0' })";
  const words = ['--import', `data:text/javascript,${older}`, ENTRY, 'keys', 'list', '1'];
  expect(run(process.execPath, ...words)).toEqual(refusal('22.9.0'));
  for (const node of olderNodes()) {
    const version = run(node, '--version').stdout.trim().slice(1);
    expect(run(node, ENTRY, 'keys', 'list', '1')).toEqual(refusal(version));
  }
});

it('is the command line on any other', () => {
  const { status, stdout } = run(process.execPath, ENTRY, '--help');
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('doctor') });
});
