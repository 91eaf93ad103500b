/** Runs a host as a process: for `counterfoil start`, and for programs that add to the host. */
import { releaseMemory } from '@counterfoil/engine';
import { type ComposeOptions, compose, type Host } from '../composition-root.ts';
import { readConfig } from '../config.ts';
import { turnOffCoreDumps } from './core-dumps.ts';
import { printFailure } from './failures.ts';
import { closeOnSignal } from './signals.ts';

export interface RunHostOptions extends ComposeOptions {
  /** Makes the host listen, with any work before and after. Default: prints the address. */
  readonly begin?: (host: Host) => Promise<void>;
  /** Prints why the host cannot begin. Default: a sentence on standard error. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Reads the configuration of an environment such as `process.env`, turns core dumps off, composes the
 * host, and closes it at the first SIGINT or SIGTERM; a second one ends the process. Resolves when the
 * host has begun. Where it cannot begin, prints why and sets the exit code to 1.
 */
export async function runHost(
  env: Readonly<Record<string, string | undefined>>,
  { begin = printAddress, onFailure = printToStderr, ...options }: RunHostOptions = {},
): Promise<void> {
  try {
    turnOffCoreDumps();
    const host = await compose(readConfig(env), options);
    const stopping = closeOnSignal(() => host.close());
    try {
      await begin(host);
      releaseMemory();
    } catch (error) {
      // Stopped during startup: the next start completes what was interrupted.
      if (stopping.aborted) return;
      await host.close();
      throw error;
    }
  } catch (error) {
    onFailure(error);
    process.exitCode = 1;
  }
}

function printToStderr(error: unknown): void {
  printFailure(error, console);
}

async function printAddress(host: Host): Promise<void> {
  console.log(`Counterfoil listens on ${await host.listen()}`);
}
