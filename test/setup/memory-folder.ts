/**
 * The temporary folder of a run, on a file system in memory where there is one: tests kill processes,
 * never the machine, and waiting for a disk is most of the time of a host that starts.
 */
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const PREFIX = 'counterfoil-run-';
/** Several times what a run takes. */
const LEAST_FREE_BYTES = 3 * 1_024 ** 3;

/** Of this run; the usual one where there is too little memory, or TMPDIR names another. */
export const RUN_FOLDER: string = isUsable() ? join(IN_MEMORY, PREFIX + process.pid) : tmpdir();

/** Where the usual temporary files are: for tests that need a disk. */
export const DISK_FOLDER: string = tmpdir();

function isUsable(): boolean {
  if (process.env['TMPDIR'] !== undefined) return false;
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Makes the folder; it is removed at the end of the run, with those of runs that were killed. */
export function setup(): () => void {
  if (RUN_FOLDER === DISK_FOLDER) return () => undefined;
  for (const name of readdirSync(IN_MEMORY)) {
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))) remove(name);
  }
  mkdirSync(RUN_FOLDER, { recursive: true });
  return () => remove(PREFIX + process.pid);
}

function remove(name: string): void {
  rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
