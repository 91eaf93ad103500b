/** An example in a process of its own with an empty folder; one that serves HTTP has a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { CHILD_ENV } from '../setup/child-env.ts';

export const EXAMPLES: string = fileURLToPath(new URL('../../examples/', import.meta.url));
const START_MS = 60_000;

export interface ExampleProcess {
  readonly url: string;
  readonly said: () => string;
  /** Sends SIGTERM; it must shut down gracefully. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The line that it prints when it is ready, with its URL if any. Default: its address. */
  readonly atWork?: RegExp;
}

/** Starts `examples/<main>` and waits until it is ready. */
export async function startExample(
  main: string,
  { env = {}, atWork = /listens on (http:\S+)\n[\s\S]*\n$/ }: StartOptions = {},
): Promise<ExampleProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-example-'));
  const child = spawn(process.execPath, [join(EXAMPLES, main)], {
    env: { ...CHILD_ENV, DATA_DIR: folder, LOG_LEVEL: 'error', PORT: '0', ...env },
  });
  const ended = once(child, 'close');
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await ended;
    rmSync(folder, { recursive: true, force: true });
    return code as number | null;
  };
  try {
    const [, url = ''] = await vi.waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(`${main} ended: ${said}`);
        return atWork.exec(said);
      },
      { timeout: START_MS, interval: 20 },
    );
    return {
      url,
      said: () => said,
      stop: async () => expect(await end('SIGTERM'), said).toBe(0),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}
