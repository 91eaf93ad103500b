/** Starts the appender as a real process, and ends it as a power cut would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CHILD_ENV } from '../../setup/child-env.ts';

const SCRIPT = fileURLToPath(new URL('./appender.ts', import.meta.url));

export class Appender {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<unknown>;
  #arrived: () => void = () => {};

  /** At the file of a SQLite log, or the URL of a PostgreSQL one. */
  constructor(place: string, writers: number) {
    const child = spawn(process.execPath, [SCRIPT, place, String(writers)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: CHILD_ENV,
    });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      this.#lines.push(line);
      this.#arrived();
    });
    this.#ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  }

  /** Waits until the process has opened the log and acknowledged so many commands. */
  async acknowledged(count: number): Promise<void> {
    const enough = async () => {
      while (this.#lines.length < count + 1) {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
      }
    };
    const failed = this.#ended.then(() => {
      throw new Error('the appender has ended by itself');
    });
    await Promise.race([enough(), failed]);
  }

  /** Kills the process where it stands; hands back the ids of all commands it had acknowledged. */
  async kill(): Promise<readonly string[]> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    return this.#lines.slice(1);
  }
}
