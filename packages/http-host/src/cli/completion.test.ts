/** Completion scripts: nothing of the command line is missing, and bash completes with its own. */
import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fullProgram, runCommandLine } from './command-line.ts';
import { Session } from './session.ts';

async function scriptOf(shell: string): Promise<string> {
  let out = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      out += String(chunk);
      done();
    },
  });
  expect(await runCommandLine(['completion', shell], { env: {}, stdout, stderr: stdout })).toBe(0);
  return out;
}

function commandsOf(command: Command, words: readonly string[]): readonly [string, Command][] {
  const below = command.commands.flatMap((each) => commandsOf(each, [...words, each.name()]));
  return [[words.join('/'), command], ...below];
}

const stream = new Writable();
const session = new Session({ env: {}, stdout: stream, stderr: stream }, { isJson: false });
const commands = commandsOf(await fullProgram(session), ['counterfoil']);

describe.each([
  ['bash', (option: string) => option],
  ['zsh', (option: string) => `'${option}:`],
  ['fish', (option: string) => `-l ${option.slice(2)} `],
])('%s', (shell, asWritten) => {
  it.each(commands)('has %s with its options', async (place, command) => {
    const lines = (await scriptOf(shell)).split('\n');
    const own = lines.filter((line) => line.includes(`${place})`) || line.includes(`at ${place}'`));
    const text = own.join('\n');
    expect(own.length).toBeGreaterThan(0);
    for (const name of command.commands.map((each) => each.name())) {
      expect(text).toMatch(new RegExp(`[ "'(]${name}[ ":]`));
    }
    for (const { long } of command.options) expect(text).toContain(asWritten(long ?? ''));
  });
});

it('in fish offers files only where a command or an option takes one', async () => {
  const script = await scriptOf('fish');
  expect(script).toContain('\ncomplete -c counterfoil -f\n');
  const withFiles = [...script.matchAll(/_at (\S+)' -F$/gm)].map(([, place]) => place);
  expect(withFiles.sort()).toEqual(
    ['backup', 'define', 'merchant-accounts/import', 'restore', 'settlements/import'].map(
      (at) => `counterfoil/${at}`,
    ),
  );
  expect(script).toMatch(/keys\/create' -l environment -x -a 'live test' /);
});

describe('in bash', () => {
  it.each([
    [['ten'], 'tenants'],
    [['tenants', 'o'], 'onboard'],
    [['--json', 'tenants', 'onboard', '7', 'Acme', '--requests'], '--requests-per-minute'],
    [['completion', 'f'], 'fish'],
    [['read-models', 'parked', 're'], 'retry'],
    [['define', 'file'], ''],
    [['restore', "''"], ''],
    [['define', '7', "''"], ''],
    [['restore', '--q'], '--quick'],
    [['keys', 'create', '7', '--environment', "''"], 'live test'],
    [['keys', 'create', '7', '--environment', 't'], 'test'],
    [['doctor', '--scratch', "''"], ''],
  ])('%j is completed to %j', async (words, expected) => {
    const script = `${await scriptOf('bash')}
      COMP_WORDS=(counterfoil ${words.join(' ')}); COMP_CWORD=${words.length}
      _counterfoil; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: `${expected}\n`, stderr: '' });
  });
});
