/** The load, in a process of its own, so that it takes no time of the servers it measures. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Job, Outcome } from './job.ts';

const ENTRY = fileURLToPath(new URL('./load-process.ts', import.meta.url));

export class Load {
  readonly #child: ChildProcess = fork(ENTRY, { execArgv: [], serialization: 'advanced' });

  /** Throws when a single answer was not right. */
  async run(job: Job): Promise<Outcome> {
    const answered = once(this.#child, 'message') as Promise<[Outcome]>;
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error('the load has ended');
    });
    this.#child.send(job);
    const [outcome] = await Promise.race([answered, ended]);
    if (outcome.wrong !== undefined) throw new Error(`${job.path}: ${outcome.wrong}`);
    if (outcome.answered === 0) throw new Error(`${job.path}: no answer in ${outcome.seconds} s`);
    return outcome;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}
