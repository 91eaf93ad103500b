/** A host or a worker of the cluster: a process as users start it, that is killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
/** A line that says that something went wrong inside. */
const FAULT = /"level":(50|60)/;
const CARD = new RegExp(SANDBOX_CARDS.map(({ number }) => number).join('|'));
/** Of the lines written last, for whoever has to find out why it ended. */
const KEPT_LINES = 20;
/** More than a host takes to answer what is under way. */
const ORDERLY_END_MS = 20_000;

export type Role = 'host' | 'worker';

const COMMAND: Readonly<Record<Role, string>> = { host: 'start', worker: 'worker' };
/** What each says once it is at work. */
const AT_WORK: Readonly<Record<Role, RegExp>> = {
  host: /listens on (http:\S+)/,
  worker: /works on the (read models)/,
};

/**
 * A process that is started dozens of times need not compile its sources every time. It would keep
 * what it compiled at its end, which a killed one has not: so one that ends at once does it for all.
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
  /** What it should never have said: faults of its own, card numbers, that it ended by itself. */
  readonly faults: string[] = [];
  kills = 0;
  readonly #env: NodeJS.ProcessEnv;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;
  /** The process that was told to end, or killed. */
  #ending: ChildProcess | undefined;
  #isDismissed = false;
  #saidAt = '';

  constructor({ name, role, env }: MemberOptions) {
    this.name = name;
    this.role = role;
    this.#env = { PATH: process.env['PATH'], ...env };
  }

  /** Where a host listens; empty while it does not. */
  get url(): string {
    return this.#saidAt;
  }

  /** Whether it has begun its work; of a host, that it listens. */
  get isAtWork(): boolean {
    return this.#saidAt !== '';
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts it, and waits for nothing. */
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
    const said = AT_WORK[this.role].exec(line)?.[1];
    if (said !== undefined && this.#child === child) this.#saidAt = said;
    this.#lines.push(line);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }

  /** At once, wherever it is in its work. */
  async kill(): Promise<void> {
    this.kills += 1;
    await this.#end('SIGKILL');
  }

  /** Lets it end in order, for good: whoever would start it again finds that it stays away. */
  async stop(): Promise<void> {
    this.#isDismissed = true;
    const late = setTimeout(() => this.abandon(), ORDERLY_END_MS);
    await this.#end('SIGTERM');
    clearTimeout(late);
  }

  /** For the last moment of this process, when nothing can be waited for. */
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
