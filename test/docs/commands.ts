/** Runs the commands of the documents with the current Node and without a network. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, vi } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';
import { ROOT } from './markdown.ts';

export const CLI: string = join(ROOT, 'packages/http-host/src/cli/main.ts');
const DEMO = join(ROOT, 'examples/demo/main.ts');

const COMMAND_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 30_000;

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'counterfoil-docs-'));
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Runs a command; kills it on timeout. */
export async function run(command: string, args: string[], options: RunOptions): Promise<Ended> {
  const { cwd, env, input = '' } = options;
  const child = spawn(command, args, { cwd, env: environment(env), timeout: COMMAND_TIMEOUT_MS });
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  // A command may end without having read it.
  child.stdin.on('error', () => undefined).end(input);
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout: stdout(), stderr: stderr() };
}

/** Runs blocks sequentially in one shell, and returns the output of each. */
export async function runBlocks(blocks: readonly string[], options: RunOptions): Promise<string[]> {
  const mark = '---- end of block ----';
  const script = ['set -euo pipefail', ...blocks.map((block) => `${block}\necho '\n${mark}'`)];
  const { status, stdout, stderr } = await run('bash', ['-c', script.join('\n')], options);
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout.split(mark).slice(0, blocks.length);
}

/** A minimal environment, so that variables of the test do not configure a host. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const path = [stubs(), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return { ...CHILD_ENV, PATH: path, HOME: tmpdir(), ...more };
}

let stubFolder: string | undefined;

/** Replaces `npx -y pnpm@12 exec <command>`: runs the command on the Node of the workspace. */
function stubs(): string {
  if (stubFolder !== undefined) return stubFolder;
  const folder = join(makeFolder(), 'bin');
  mkdirSync(folder);
  const npx = join(folder, 'npx');
  writeFileSync(npx, '#!/bin/sh\n[ "$1 $2 $3" = "-y pnpm@12 exec" ] && shift 3 && exec "$@"\n');
  chmodSync(npx, 0o755);
  stubFolder = folder;
  return folder;
}

/** Call after the last command. */
export function removeStubs(): void {
  if (stubFolder !== undefined) removeFolder(dirname(stubFolder));
  stubFolder = undefined;
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

export interface DemoHost {
  /** The working folder, with its data in `data`. */
  readonly folder: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the demo as `pnpm start` does, in a temporary folder on a free port. */
export async function startDemo(): Promise<DemoHost> {
  const folder = makeFolder();
  const child = spawn(process.execPath, [DEMO], {
    cwd: folder,
    // Enables all optional endpoints, so that every documented one can be called.
    env: environment({ PORT: '0', LOG_LEVEL: 'error', TEST_CLOCK: '1' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = textOf(child.stdout);
  const complained = textOf(child.stderr);
  try {
    const url = await vi.waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`the host ended: ${complained()}`);
        return /listens on (http:\S+)/.exec(said())?.[1];
      },
      { timeout: START_TIMEOUT_MS, interval: 100 },
    );
    expect(existsSync(join(folder, 'data/demo-credentials.json'))).toBe(true);
    return { folder, url, stop: () => stop(child, folder) };
  } catch (error) {
    await stop(child, folder);
    throw error;
  }
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
  removeFolder(folder);
}
