/** What a process does that is told to stop: it ends in order, and says so when it could not. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Closes at the first signal; a second one ends the process as the system would. Aborted at the first. */
export function onceToldToStop(close: () => Promise<unknown>): AbortSignal {
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
