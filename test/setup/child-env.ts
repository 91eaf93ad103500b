/** The environment of child processes: no variable of the test configures a host. */
import { fileURLToPath } from 'node:url';

/** A compile cache for hosts, and their worker threads, that are started hundreds of times. */
export const COMPILED = fileURLToPath(
  new URL('../../node_modules/.cache/compiled', import.meta.url),
);

/** Hosts whose clock the test moves do at once what became due. */
export const SOON = { DUE_WORK_INTERVAL_MS: '100' } as const;

export const CHILD_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: COMPILED,
};
