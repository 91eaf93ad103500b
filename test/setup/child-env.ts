/** What a process that a test starts gets from its environment: nothing of it configures a host. */
import { fileURLToPath } from 'node:url';

/** A host that is started hundreds of times need not compile its sources every time. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

export const CHILD_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: COMPILED,
};
