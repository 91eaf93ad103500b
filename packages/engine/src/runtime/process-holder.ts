/** Names of lease holders on files. They contain the process id, so that a dead holder is detected. */
import { hostname } from 'node:os';

const NAME = /^process-(\d+)-(.+)$/;

/** The name of this process. After a crash its leases are free at once. */
export function processHolder(): string {
  return `process-${process.pid}-${hostname()}`;
}

/** Whether the named process has ended; false for any other name and for another machine. */
export function hasEnded(holder: string): boolean {
  const [, pid, host] = NAME.exec(holder) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
