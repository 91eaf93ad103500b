/** Processor time of another process, by its threads; it depends little on what else runs. */
import { readdirSync, readFileSync } from 'node:fs';

const NS_PER_US = 1_000;

/** On a processor so far, of the thread that a process began with. */
export function mainThreadUs(pid: number): number {
  return threadUs(pid, pid);
}

/** Of all threads that it has. */
export function allThreadsUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return threads.reduce((sum, thread) => sum + threadUs(pid, thread), 0);
}

function threadUs(pid: number, thread: number): number {
  const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1);
  return Number(ns) / NS_PER_US;
}
