/** One run of the command line: its environment, its streams, and how it prints what it came to. */
import { Console } from 'node:console';
import type { Readable, Writable } from 'node:stream';
import { TenantId } from '@counterfoil/core';
import type { Caller } from '@counterfoil/engine';
import { InvalidArgumentError } from 'commander';
import { type Config, readConfig } from '../config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment and the streams of a command line. */
export interface Terminal {
  readonly env: Environment;
  readonly stdin?: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Access to the data folder or databases identifies the operator; no name is asked for. */
export const OPERATOR: Caller = { actor: 'operator@localhost' };

/** Options that do not go together, or that the environment does not allow. */
export class WrongWords extends Error {
  override readonly name = 'WrongWords';
}

type Report = (done: number, total: number) => void;

export class Session {
  readonly env: Environment;
  readonly stdin: Readable | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly console: Console;
  /** Results and errors are printed as JSON. */
  readonly isJson: boolean;
  exitCode = 0;

  constructor({ env, stdin, stdout, stderr }: Terminal, { isJson }: { readonly isJson: boolean }) {
    this.env = env;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.console = new Console({ stdout, stderr });
    this.isJson = isJson;
  }

  config(): Config {
    return readConfig(this.env);
  }

  /** Prints the result: as one JSON document with --json, else by `show`. */
  print(result: unknown, show: (console: Console) => void): void {
    if (this.isJson) this.console.log(JSON.stringify(result));
    else show(this.console);
  }

  /** What is said on the way, for people only. */
  say(line: string): void {
    if (!this.isJson) this.console.log(line);
  }

  async withProgress<Result>(
    title: string,
    work: (onProgress: Report) => Promise<Result>,
  ): Promise<Result> {
    if (this.isJson) return work(() => undefined);
    const { withProgressBar } = await import('./progress-bar.ts');
    return withProgressBar(this.stderr, title, work);
  }
}

export function tenantIdOf(text: string): TenantId {
  const parsed = TenantId.safeParse(Number(text));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('must be a positive whole number');
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number');
}
