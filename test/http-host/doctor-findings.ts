/** Has the doctor examine a folder, here or in a process of its own, and looks through what it finds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Checked,
  type CheckName,
  type Examination,
  examine,
  type Severity,
} from '@counterfoil/engine/doctor';
import { readConfig } from '@counterfoil/http-host/config';
import { expect } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
/** An examination that waits for ever is ended. */
const PATIENCE_MS = 30_000;

export interface Asked {
  readonly quick?: boolean;
  readonly nowMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export function examinationOf(
  folder: string,
  { quick = false, nowMs, env = {} }: Asked = {},
): Promise<Examination> {
  return examine(readConfig({ DATA_DIR: folder, ...env }), {
    quick,
    now: () => nowMs ?? Date.now(),
    scratch: tmpdir(),
    onProgress: () => {},
    onChecked: () => {},
  });
}

export function checkOf({ checks }: Examination, name: CheckName): Checked {
  const found = checks.find(({ check }) => check === name);
  if (found === undefined) throw new Error(`there is no check ${name}`);
  return found;
}

/** One thing that a check is expected to find. */
export function expectFinding(
  examination: Examination,
  check: CheckName,
  { severity = 'damage', message }: { severity?: Severity; message: RegExp },
): void {
  expect(checkOf(examination, check).findings).toContainEqual({
    check,
    severity,
    message: expect.stringMatching(message),
    advice: expect.stringMatching(/\w{3}/),
  });
}

/** The checks that found something. */
export function complaintsOf({ checks }: Examination): readonly CheckName[] {
  return checks.filter(({ findings }) => findings.length > 0).map(({ check }) => check);
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Running {
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command as an operator gives it. */
export function doctorOn(
  folder: string,
  words: readonly string[],
  running: Running = {},
): Promise<Ran> {
  return counterfoilOn(folder, ['doctor', ...words], running);
}

/** Any command on a folder. */
export async function counterfoilOn(
  folder: string,
  words: readonly string[],
  { env = {}, ...identity }: Running = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [CLI, ...words], {
    env: { ...CHILD_ENV, DATA_DIR: folder, ...env },
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    ...identity,
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    written.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    written.err += String(chunk);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}
