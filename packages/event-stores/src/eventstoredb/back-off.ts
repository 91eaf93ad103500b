/** Waits between attempts: longer each time, up to a limit, and never all callers at the same moment. */

const FIRST_MS = 25;
const LONGEST_MS = 2_000;

/** Settles after the wait of this attempt (from 0), or when the signal fires. */
export function backOff(attempt: number, signal?: AbortSignal): Promise<void> {
  const limit = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return pause(limit * (0.5 + Math.random() / 2), signal);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake);
  });
}
