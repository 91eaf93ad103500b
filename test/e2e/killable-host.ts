/** A host in a separate process with the test's clock, which can be killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CHILD_ENV, SOON } from '../setup/child-env.ts';

const PROGRAM = fileURLToPath(new URL('./killable-host-process.ts', import.meta.url));

export class KillableHost {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#process = child;
    this.#folder = folder;
  }

  /** Resolves when it listens and leads. */
  static async startLeading(
    env: Readonly<Record<string, string>>,
    nowMs: number,
  ): Promise<KillableHost> {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-killable-'));
    const own = { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'info', NOW_MS: String(nowMs), ...SOON };
    const child = fork(PROGRAM, { env: { ...CHILD_ENV, ...own, ...env }, silent: true });
    const leads = Promise.withResolvers<void>();
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface(stream).on('line', (line) => {
        if (line.includes('this host leads')) leads.resolve();
        lines.push(line);
      });
    }
    child.once('exit', () => leads.reject(new Error(`the host ended:\n${lines.join('\n')}`)));
    const [[{ url }]] = await Promise.all([once(child, 'message'), leads.promise]);
    return new KillableHost(url, child, folder);
  }

  setClock(nowMs: number): void {
    if (this.#process.connected) this.#process.send({ nowMs });
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill(signal);
      await once(this.#process, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
