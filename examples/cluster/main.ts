/**
 * Two hosts and four workers on one log and one PostgreSQL, killed at random while customers pay:
 * `npx -y pnpm@12 example:cluster [--seconds 60] [--seed 7] [--log postgres|eventstoredb]`. Exits
 * with 0 only if every claim about the final state holds.
 */
import { startCluster } from './cluster.ts';
import { BadOption, type Options, readOptions, USAGE } from './options.ts';
import { run } from './run.ts';

const INTERRUPTED = 130;
const MISUSED = 2;

try {
  await within(readOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  console.error(`${error.message}\n${USAGE}`);
  process.exitCode = MISUSED;
}

/** Everything started ends with this process, also on interruption. */
async function within(options: Options): Promise<void> {
  const { seconds, seed } = options;
  console.log(`seed ${seed}: two hosts and four workers, killed at random for ${seconds} s`);
  const making = new AsyncDisposableStack();
  const starting = startCluster(options, making);
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= making.disposeAsync();
    return ending;
  };
  let isInterrupted = false;
  const interrupt = async () => {
    if (isInterrupted) return;
    isInterrupted = true;
    console.log('\nInterrupted: everything that was started is ended');
    // A partially started cluster could not be removed.
    await starting.catch(() => undefined);
    await end().catch(() => undefined);
    process.exit(INTERRUPTED);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    if (!(await run(options, await starting, making)) && !isInterrupted) process.exitCode = 1;
  } catch (error) {
    // After an interruption, errors of work in progress are expected.
    if (!isInterrupted) throw error;
  } finally {
    await end();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
