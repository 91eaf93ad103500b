/** Names for holders of leases on files, which tell whether the process still runs. */
import { hostname } from 'node:os';
import process from 'node:process';

const NAME = /^process-(\d+)-(.+)$/;

/** Of this process: when it is killed, its leases are free at once. */
export function processHolder(): string {
  return `process-${process.pid}-${hostname()}`;
}

/** Whether the process so named has ended; false for any other name, and for one of another machine. */
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
