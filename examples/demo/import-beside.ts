/** The first start of the demo imports in a process of its own: the memory for that goes with it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fileOf } from '@counterfoil/engine/storage';
import { readConfig } from '@counterfoil/http-host/config';

type Env = Readonly<Record<string, string | undefined>>;

const PROCESS = fileURLToPath(new URL('import-process.ts', import.meta.url));
const STOPS = ['SIGINT', 'SIGTERM'] as const;

/** Whether a host would begin a log in a file. */
export function isFirstStart(env: Env): boolean {
  try {
    const path = fileOf(readConfig(env).eventStoreUrl);
    return path !== undefined && !existsSync(path);
  } catch {
    // The host is to say so.
    return false;
  }
}

/**
 * Resolves when the import has ended, with whether a signal to this process has stopped it. What it could
 * not do, the host does, or says why not.
 */
export async function importBeside(env: Env): Promise<boolean> {
  const child = fork(PROCESS, { env: { ...env } });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    child.kill('SIGTERM');
  };
  for (const signal of STOPS) process.on(signal, stop);
  await once(child, 'exit').catch(() => undefined);
  for (const signal of STOPS) process.off(signal, stop);
  return isStopped;
}
