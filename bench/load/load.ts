/** The load generator in a separate process, so that it takes no CPU time of the measured process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Job, Outcome } from './job.ts';

const ENTRY = fileURLToPath(new URL('./load-process.ts', import.meta.url));

export class Load {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** The current job. */
  #running: PromiseWithResolvers<Outcome> | undefined;

  constructor() {
    const child = fork(ENTRY, { execArgv: [], serialization: 'advanced' });
    child.on('message', (outcome: Outcome) => this.#running?.resolve(outcome));
    this.#child = child;
    this.#exited = once(child, 'exit').then(([code]) => {
      this.#running?.reject(new Error(`the load has ended with ${code}`));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Throws if any response was incorrect. */
  async run(job: Job): Promise<Outcome> {
    const running = Promise.withResolvers<Outcome>();
    this.#running = running;
    this.#child.send(job);
    const outcome = await running.promise;
    if (outcome.wrong !== undefined) throw new Error(`${job.path}: ${outcome.wrong}`);
    if (outcome.answered === 0) throw new Error(`${job.path}: no answer in ${outcome.seconds} s`);
    return outcome;
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}
