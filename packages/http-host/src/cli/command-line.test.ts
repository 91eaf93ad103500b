/** What holds for every command: its help, its options, and what is said of words that are wrong. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fullProgram, runCommandLine } from './command-line.ts';
import { Session } from './session.ts';

function streamInto(written: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
}

async function ran(...words: readonly string[]) {
  const [out, err] = [[] as string[], [] as string[]];
  const streams = { stdout: streamInto(out), stderr: streamInto(err) };
  const code = await runCommandLine(words, { env: {}, ...streams });
  return { code, out: out.join(''), err: err.join('') };
}

function leavesOf(command: Command, words: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((each) => {
    const path = [...words, each.name()];
    return each.commands.length > 0 ? leavesOf(each, path) : [[path.join(' '), each] as const];
  }) as [string, Command][];
}

const terminal = { env: {}, stdout: streamInto([]), stderr: streamInto([]) };
const COMMANDS = leavesOf(await fullProgram(new Session(terminal, { isJson: false })));

describe.each(COMMANDS)('%s', (words, command) => {
  it('explains itself, its arguments and its options, --json among them', async () => {
    const { code, out, err } = await ran(...words.split(' '), '--help');
    expect([code, err]).toEqual([0, '']);
    expect(command.description()).not.toBe('');
    for (const argument of command.registeredArguments) {
      expect(argument.description, argument.name()).not.toBe('');
    }
    for (const option of command.options) {
      expect(option.description, option.flags).not.toBe('');
      expect(out).toContain(option.flags);
    }
    expect(out).toContain('--json');
    expect(out).toMatch(/Ends with 0: /);
  });

  it('refuses an option that it does not have, in one line or as one JSON document', async () => {
    const required = command.options.filter((each) => each.mandatory);
    const line = [...words.split(' '), ...required.flatMap(({ long }) => [long ?? '', '1'])];
    const text = await ran(...line, '--jsn');
    expect(text).toMatchObject({ code: 1, out: '' });
    expect(text.err).toMatch(/^error: unknown option '--jsn' \(Did you mean --json\?\)\n$/);
    const json = await ran(...line, '--nonsense', '--json');
    expect(json).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(json.err)).toMatchObject({ success: false, code: 'usage' });
  });
});

it('has no option that a secret would be given by', () => {
  const flags = COMMANDS.flatMap(([, { options }]) => options.map((each) => each.long));
  expect(flags).toContain('--key-file');
  expect(flags).not.toContain('--key');
  expect(flags).not.toContain('--secret');
});

it.each([
  { words: ['--version'], out: /^\d+\.\d+\.\d+\n$/ },
  { words: ['--version', '--json'], out: /^\{"version":"\d+\.\d+\.\d+"\}\n$/ },
  { words: ['--help'], out: /tenants .*\n.*keys /s },
])('$words', async ({ words, out }) => {
  expect(await ran(...words)).toEqual({ code: 0, out: expect.stringMatching(out), err: '' });
});

it.each([
  { words: ['keys'], says: 'usage' },
  { words: ['tenant', 'list'], says: 'usage' },
  { words: ['tenants', 'set'], says: 'usage' },
  { words: ['tenants', 'set', 'x'], says: 'usage' },
  { words: ['clock', 'show'], says: 'usage' },
])('$words as JSON', async ({ words, says }) => {
  const { code, out, err } = await ran(...words, '--json');
  expect([code, out]).toEqual([1, '']);
  expect(JSON.parse(err)).toMatchObject({ success: false, code: says });
});
