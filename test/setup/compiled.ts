/**
 * Fills the compile cache of the hosts of a run: Node writes it at a regular exit, which hosts that are
 * killed never reach. Once for a checkout; what changes later is compiled by the hosts themselves.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CHILD_ENV, COMPILED } from './child-env.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const FILLED = join(COMPILED, 'filled');

export async function setup(): Promise<void> {
  if (existsSync(FILLED)) return;
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-compiled-'));
  try {
    const own = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' };
    const env = { ...CHILD_ENV, ...own };
    const host = spawn(process.execPath, [CLI, 'start'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(host, 'exit');
    for await (const line of createInterface(host.stdout)) {
      if (line.includes('listens on')) host.kill('SIGTERM');
    }
    const [code] = await ended;
    if (code !== 0) throw new Error(`a host for the compile cache ended with ${code}`);
    mkdirSync(COMPILED, { recursive: true });
    writeFileSync(FILLED, '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
