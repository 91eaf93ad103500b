/** A bar on a terminal, a line at the end elsewhere. */
import { SingleBar } from 'cli-progress';

/** Shows how far `work` is, by what it reports of itself. */
export async function withProgressBar<Result>(
  title: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% {value}/{total}`,
    hideCursor: true,
    stream: process.stdout,
    // Without a terminal no bar moves: print the state every two seconds.
    noTTYOutput: true,
    notTTYSchedule: 2_000,
  });
  // Not `bar.isActive`: a signal stops the bar, and it must not start again.
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
