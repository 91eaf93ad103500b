/** One PostgreSQL that hosts and commands share. Both run in this process; the demo and workers do not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { type Running, startHost } from '../e2e/running-host.ts';
import { CHILD_ENV } from '../setup/child-env.ts';
import { type Ran, ranCommand } from '../setup/command-line.ts';
import { newDatabase } from '../setup/databases.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'packages/http-host/src/cli/main.ts');
const DEMO = join(ROOT, 'examples/demo/main.ts');
/** Timeout of a command. */
const PATIENCE_MS = 280_000;

/** A command that is under way. */
export interface Begun {
  readonly said: () => string;
  readonly hasEnded: () => boolean;
  readonly stop: () => void;
  readonly ended: Promise<Ran>;
}

export class SharedStores {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;

  private constructor(url: string, env: Readonly<Record<string, string>>) {
    this.url = url;
    this.env = env;
  }

  /** Empty; they end with the test. The variables of the environment are for hosts and commands alike. */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<SharedStores> {
    const url = await newDatabase();
    const masterKey = Buffer.alloc(32, 7).toString('base64');
    const stores = { EVENT_STORE_URL: url, READ_MODEL_URL: url };
    return new SharedStores(url, { ...stores, MASTER_KEY: masterKey, ...env });
  }

  /** A host in this process, with a folder of its own; it ends with the test. */
  async startHost(): Promise<Running> {
    const running = await startHost({ onDisk: true, env: this.env });
    onTestFinished(() => running.close());
    return running;
  }

  /** Runs a command in this process, as an operator does who has no folder of any host. */
  async run(...words: readonly string[]): Promise<Ran> {
    // A worker is a process.
    if (words[0] === 'worker') return this.begin(...words).ended;
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-shared-'));
    try {
      return await ranCommand(words, { DATA_DIR: folder, LOG_LEVEL: 'silent', ...this.env });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The demo with the sales of a file, until it is stopped. */
  beginDemo(sales: string): Begun {
    return this.#spawn([DEMO], { DEMO_SALES: sales });
  }

  /** A process that runs until it is stopped. */
  begin(...words: readonly string[]): Begun {
    return this.#spawn([CLI, ...words]);
  }

  #spawn(program: readonly string[], env: Readonly<Record<string, string>> = {}): Begun {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-shared-'));
    const child = spawn(process.execPath, program, {
      env: { ...CHILD_ENV, DATA_DIR: folder, LOG_LEVEL: 'error', PORT: '0', ...this.env, ...env },
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    const written = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      written.out += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      written.err += String(chunk);
    });
    const ended = once(child, 'close').then(([code]) => {
      rmSync(folder, { recursive: true, force: true });
      return { code: code as number | null, ...written };
    });
    return {
      said: () => written.out + written.err,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      stop: () => child.kill('SIGTERM'),
      ended,
    };
  }

  /** The output of a command that must succeed. */
  async done(...words: readonly string[]): Promise<string> {
    const ran = await this.run(...words);
    expect(ran, words.join(' ')).toMatchObject({ code: 0, err: '' });
    return ran.out;
  }

  /** What a command says that is expected to refuse: a sentence, and no stack. */
  async refused(...words: readonly string[]): Promise<string> {
    const ran = await this.run(...words);
    expect(ran, words.join(' ')).toMatchObject({ code: 1, out: '' });
    expect(ran.err).not.toMatch(/^\s+at /m);
    return ran.err;
  }
}
