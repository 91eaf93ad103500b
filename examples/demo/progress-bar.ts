/** A progress bar on a terminal; elsewhere a line at the end. */
import { SingleBar } from 'cli-progress';

/** Shows the progress that `work` reports. */
export async function withProgressBar<Result>(
  title: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% {value}/{total}`,
    hideCursor: true,
    stream: process.stdout,
    // Without a terminal, prints the state every two seconds.
    noTTYOutput: true,
    notTTYSchedule: 2_000,
  });
  // Not `bar.isActive`: a signal stops the bar, and it must not restart.
  let started = false;
  try {
    return await work((done, total) => {
      if (!started) bar.start(total, 0);
      started = true;
      bar.update(done);
    });
  } finally {
    if (started) bar.stop();
  }
}
