/** Graceful shutdown on a signal; reports a failed one. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Closes at the first signal; a second one ends the process with the system's default. Aborted at
 * the first.
 */
export function closeOnSignal(close: () => Promise<unknown>): AbortSignal {
  const stopping = new AbortController();
  const stop = async () => {
    for (const signal of SIGNALS) process.off(signal, stop);
    stopping.abort();
    try {
      await close();
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return stopping.signal;
}
