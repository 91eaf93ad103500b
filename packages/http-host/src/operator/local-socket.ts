/** The socket beside the log, through which the operator's commands reach the host of a data folder. */
import { chmodSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '@counterfoil/engine';
import { fileOf } from '@counterfoil/engine/storage';

/** `sun_path` of the system, without the byte that ends it. */
const MAX_BYTES = platform() === 'linux' ? 107 : 103;
const OWNER_ONLY = 0o600;

/** Undefined for a log that is no file: its hosts are reached by their addresses. */
export function socketPathOf({ eventStoreUrl }: { readonly eventStoreUrl: string }) {
  const log = fileOf(eventStoreUrl);
  return log === undefined ? undefined : `${resolve(log)}.sock`;
}

/** Why the system cannot have a socket there; undefined where it can. */
export function socketFault(path: string): string | undefined {
  const bytes = Buffer.byteLength(path);
  if (platform() === 'win32') return 'this system has no such sockets';
  return bytes <= MAX_BYTES
    ? undefined
    : `the path ${path} has ${bytes} bytes, and a socket's has at most ${MAX_BYTES}`;
}

/**
 * Makes the socket at `path`, for the owner alone, in the place of one that a killed host left: only
 * the process that holds the lock of the log may. `listen` binds it to the path that it is given, in a
 * folder that only the owner may enter, so that it has its mode before anybody can reach it. Throws a
 * ConfigError where something else stands at the path.
 */
export async function placeSocket(
  path: string,
  listen: (path: string) => Promise<void>,
): Promise<void> {
  const isTaken = lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false;
  if (isTaken) {
    throw new ConfigError([`${path} stands where the host makes its socket: remove it`]);
  }
  const folder = mkdtempSync(join(dirname(path), '.s-'));
  try {
    const made = join(folder, 's');
    await listen(made);
    chmodSync(made, OWNER_ONLY);
    renameSync(made, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function removeSocket(path: string): void {
  rmSync(path, { force: true });
}
