/** A bar on a terminal, a line at the end elsewhere. */
import { SingleBar } from 'cli-progress';

export async function withProgressBar<Result>(
  title: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% {value}/{total}`,
    hideCursor: true,
    stream: process.stdout,
    // Without a terminal nobody sees a bar move: tell the state now and then.
    noTTYOutput: true,
    notTTYSchedule: 2_000,
  });
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
