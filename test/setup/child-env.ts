/** The environment of child processes: no variable of the test configures a host. */
import { fileURLToPath } from 'node:url';

/** A compile cache for hosts that are started hundreds of times. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

export const CHILD_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: COMPILED,
};
