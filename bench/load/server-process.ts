/** A server under load, in a process that prints its address and stops on request. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Longer than a shutdown may take: then it is killed. */
const STOP_MS = 60_000;
/** Printed by a host and by the peers of its rows. */
const LISTENS = /listens on http:\/\/[^:]+:(\d+)/;

export interface ServerOptions {
  /** Flags of node, the file and its arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The line that it prints when it is ready, with its address as the first group. Default: the
   * listening port.
   */
  readonly says?: RegExp;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** The address as printed. */
  readonly at: string;

  private constructor(child: ChildProcess, exited: Promise<unknown>, at: string) {
    this.#child = child;
    this.#exited = exited;
    this.at = at;
  }

  get port(): number {
    return Number(this.at);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Starts it; resolves when it has printed its address. */
  static async start({ args, env = {}, says = LISTENS }: ServerOptions): Promise<ServerProcess> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // If this process exits early, the server is killed.
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

  /** Stops it and waits for its exit. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await this.#exited;
    clearTimeout(late);
  }
}
