/** A server under load: a process that says how it is reached, and ends when told to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Longer than a shutdown may take: whatever is left then is killed. */
const STOP_MS = 60_000;
/** What a host and the peers of its rows say. */
const LISTENS = /listens on http:\/\/[^:]+:(\d+)/;

export interface ServerOptions {
  /** Flags of node, the file and its arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it says once it can be reached; how, is in the first group. That it listens on a port, when absent. */
  readonly says?: RegExp;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** How it is reached, in its own words. */
  readonly at: string;

  private constructor(child: ChildProcess, exited: Promise<unknown>, at: string) {
    this.#child = child;
    this.#exited = exited;
    this.at = at;
  }

  get port(): number {
    return Number(this.at);
  }

  /** Starts it; answers once it has said how it is reached. */
  static async start({ args, env = {}, says = LISTENS }: ServerOptions): Promise<ServerProcess> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A parent that ends early takes its servers with it.
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const exited = once(child, 'exit').finally(() => process.off('exit', kill));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let written = '';
    child.stdout.on('data', (chunk) => {
      written += String(chunk);
      const at = says.exec(written)?.[1];
      if (at !== undefined) resolve(at);
    });
    exited.then(([code]) => reject(new Error(`${args.at(-1)} ended with ${code}:\n${written}`)));
    return new ServerProcess(child, exited, await promise);
  }

  /** Tells it to end, and waits until it has. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await this.#exited;
    clearTimeout(late);
  }
}
