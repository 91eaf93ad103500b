/** A server under load: a process that says where it listens, and ends when told to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Longer than a shutdown may take: whatever is left then is killed. */
const STOP_MS = 60_000;

export interface ServerOptions {
  /** Flags of node, the file and its arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly port: number;

  private constructor(child: ChildProcess, exited: Promise<unknown>, port: number) {
    this.#child = child;
    this.#exited = exited;
    this.port = port;
  }

  /** Starts it; answers once it has written `listens on http://…`. */
  static async start({ args, env = {} }: ServerOptions): Promise<ServerProcess> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A parent that ends early takes its servers with it.
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const exited = once(child, 'exit').finally(() => process.off('exit', kill));
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let written = '';
    child.stdout.on('data', (chunk) => {
      written += String(chunk);
      const port = /listens on http:\/\/[^:]+:(\d+)/.exec(written)?.[1];
      if (port !== undefined) resolve(Number(port));
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
