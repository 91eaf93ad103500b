/** A host or worker of the cluster: a real process that is killed and restarted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
/** A log line that reports an internal error. */
const FAULT = /"level":(50|60)/;
const CARD = new RegExp(SANDBOX_CARDS.map(({ number }) => number).join('|'));
/** The last lines are kept for diagnosis. */
const KEPT_LINES = 20;
/** More than a host needs to finish requests in flight. */
const ORDERLY_END_MS = 20_000;

export type Role = 'host' | 'worker';

const COMMAND: Readonly<Record<Role, string>> = { host: 'start', worker: 'worker' };
/** What each prints once it is running. */
const STARTED_LINE: Readonly<Record<Role, RegExp>> = {
  host: /listens on (http:\S+)/,
  worker: /works on the (read models)/,
};

/**
 * Restarts use Node's compile cache. Node writes it at a regular exit, which killed processes never
 * reach: one short run fills it for all.
 */
export async function compileOnce(folder: string): Promise<Readonly<Record<string, string>>> {
  const env = { NODE_COMPILE_CACHE: folder };
  const { PATH } = process.env;
  await once(
    spawn(process.execPath, [CLI, '--help'], { env: { PATH, ...env }, stdio: 'ignore' }),
    'exit',
  );
  return env;
}

export interface MemberOptions {
  readonly name: string;
  readonly role: Role;
  readonly env: Readonly<Record<string, string>>;
}

export class Member {
  readonly name: string;
  readonly role: Role;
  /** Output that must not occur: internal errors, card numbers, unexpected exits. */
  readonly faults: string[] = [];
  kills = 0;
  readonly #env: NodeJS.ProcessEnv;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;
  /** The process that is being stopped or killed. */
  #ending: ChildProcess | undefined;
  #isDismissed = false;
  #saidAt = '';

  constructor({ name, role, env }: MemberOptions) {
    this.name = name;
    this.role = role;
    this.#env = { PATH: process.env['PATH'], ...env };
  }

  /** The URL of a listening host; otherwise empty. */
  get url(): string {
    return this.#saidAt;
  }

  /** Whether it is running; of a host, that it listens. */
  get hasStarted(): boolean {
    return this.#saidAt !== '';
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts the process without waiting. */
  start(): void {
    if (this.isRunning || this.#isDismissed) return;
    const child = spawn(process.execPath, [CLI, COMMAND[this.role]], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => this.#read(child, line));
    }
    child.once('exit', (code, signal) => {
      if (this.#child === child) this.#saidAt = '';
      if (this.#ending === child && (signal !== null || code === 0)) return;
      this.faults.push(`ended by itself with ${signal ?? code}: ${this.#lines.join('\n')}`);
    });
  }

  #read(child: ChildProcess, line: string): void {
    if (FAULT.test(line) || CARD.test(line)) this.faults.push(line);
    const said = STARTED_LINE[this.role].exec(line)?.[1];
    if (said !== undefined && this.#child === child) this.#saidAt = said;
    this.#lines.push(line);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }

  /** SIGKILL, whatever the process is doing. */
  async kill(): Promise<void> {
    this.kills += 1;
    await this.#end('SIGKILL');
  }

  /** Graceful and permanent: later starts have no effect. */
  async stop(): Promise<void> {
    this.#isDismissed = true;
    const late = setTimeout(() => this.abandon(), ORDERLY_END_MS);
    await this.#end('SIGTERM');
    clearTimeout(late);
  }

  /** For the exit of this process, when waiting is impossible. */
  abandon(): void {
    this.#isDismissed = true;
    this.#ending = this.#child;
    this.#child?.kill('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#saidAt = '';
    if (child === undefined || !this.isRunning) return;
    const exited = once(child, 'exit');
    this.#ending = child;
    child.kill(signal);
    await exited;
  }
}
