/** A side of a comparison, in a process that runs the bench of its own tree. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Order, Reply } from './side.ts';

const SOURCE = join(import.meta.dirname, 'side.ts');

export class SideProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(tree: string) {
    const entry = join(tree, 'bench/compare/side.ts');
    if (entry !== SOURCE) {
      mkdirSync(join(tree, 'bench/compare'), { recursive: true });
      copyFileSync(SOURCE, entry);
    }
    this.#child = fork(entry, { cwd: tree, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#exited = once(this.#child, 'exit');
  }

  /** The rows that the tree has. */
  async rows(): Promise<readonly string[]> {
    return (await this.#ask({ kind: 'list' })) as string[];
  }

  async prepare(stage: string, scale: { readonly quick: boolean; readonly seed: number }) {
    await this.#ask({ kind: 'prepare', stage, ...scale });
  }

  /** One figure in the unit of the row. */
  async measure(row: string): Promise<number> {
    return (await this.#ask({ kind: 'measure', row })) as number;
  }

  /** Removes what was prepared, and ends the process. */
  async close(): Promise<void> {
    if (this.#child.connected) await this.#ask({ kind: 'close' });
    await this.#exited;
  }

  async #ask(order: Order): Promise<unknown> {
    const ended = this.#exited.then((): Reply => ({ error: 'the process has ended' }));
    const answered = once(this.#child, 'message').then(([reply]) => reply as Reply);
    this.#child.send(order);
    const reply = await Promise.race([answered, ended]);
    if ('error' in reply) throw new Error(reply.error);
    return reply.value;
  }
}
