/** Prints the error of a failed process. */
import { ConfigError, Refused } from '@counterfoil/engine';
import type { MoveError } from '@counterfoil/engine/move';
import { z } from 'zod';
import { wireRefusalOf } from '../api/refusals.ts';
import { HostRefused } from './host-client.ts';

/** Errors with a sentence for the user, and the code of each with --json. */
const EXPECTED: Readonly<Record<string, string>> = {
  BackupError: 'backup',
  EventStoreError: 'storage',
  HostDatabaseError: 'storage',
  HostsRunning: 'host_running',
  MoveError: 'move',
  NothingToExamine: 'nothing_to_examine',
  ReadModelError: 'storage',
  StorageError: 'storage',
  WrongWords: 'usage',
};

export interface Failure {
  /** Stable. */
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** By its name: a host that runs has no use for what moves ledgers. */
function isMoveError(error: unknown): error is MoveError {
  return error instanceof Error && error.name === 'MoveError';
}

/** Undefined for a defect. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof HostRefused) {
    const { code, message, errors } = error;
    return { code, message, ...(errors.length > 0 && { errors }) };
  }
  if (isMoveError(error) && error.code === 'in-use') {
    return { code: 'host_running', message: error.message };
  }
  if (error instanceof z.ZodError) return { code: 'invalid', message: inOneLine(error) };
  const refusal = error instanceof Refused ? wireRefusalOf(error) : undefined;
  if (refusal !== undefined) return { code: refusal.code, message: refusal.message };
  if (error instanceof ConfigError) {
    // Of several problems each stands in a line of its own.
    const [title, ...problems] = linesOf(error.message);
    return { code: 'configuration', message: `${title} ${problems.join('; ')}`.trim() };
  }
  if (!(error instanceof Error)) return undefined;
  // System errors name the port or path.
  const code = EXPECTED[error.name] ?? ('syscall' in error ? 'system' : undefined);
  return code === undefined ? undefined : { code, message: error.message };
}

/** Prints an expected error as a sentence, any other with its stack; as one JSON document with `isJson`. */
export function printFailure(error: unknown, console: Console, isJson = false): void {
  const failure = failureOf(error);
  if (isJson) {
    const { stack: message = String(error) } = error instanceof Error ? error : {};
    printJsonFailure(failure ?? { code: 'internal', message }, console);
  } else {
    console.error(failure?.message ?? error);
  }
}

export function printJsonFailure(failure: Failure, console: Console): void {
  console.error(JSON.stringify({ success: false, ...failure }));
}

/** The lines that are not empty, without the space around them. */
export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** All faults of an input, each with its place. */
export function inOneLine({ issues }: Pick<z.ZodError, 'issues'>): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${placeOf(path)}: ${message}`))
    .join('; ');
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}
