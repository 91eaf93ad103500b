/** Counts what was sent and answered: for the progress line, and to show that nothing was left out. */
import type { Operation } from '../http-host/documented.ts';
import type { Answer } from './client.ts';
import type { FuzzRequest } from './requests.ts';

const LINE_MS = 5_000;
const FIRST_REFUSAL = 400;

export class Tally {
  readonly #goal: number;
  readonly #seed: number;
  readonly #startedAt = performance.now();
  #shownAt = 0;
  readonly #kinds = new Map<string, number>();
  readonly #statuses = new Map<string, number>();
  readonly #answers = new Set<string>();
  requests = 0;

  constructor({ goal, seed }: { goal: number; seed: number }) {
    this.#goal = goal;
    this.#seed = seed;
  }

  count({ what, operation }: FuzzRequest, { status }: Answer): void {
    this.requests += 1;
    add(this.#kinds, what);
    add(this.#statuses, String(status));
    const outcome = status < FIRST_REFUSAL ? 'done' : 'refused';
    this.#answers.add(`${operation?.id} ${outcome}`);
    const now = performance.now();
    if (now - this.#shownAt < LINE_MS) return;
    this.#shownAt = now;
    this.#print(`${shown(this.requests)} of ${shown(this.#goal)} requests, ${this.#rate} a second`);
  }

  /** What was sent, and what came back. */
  report(): void {
    this.#print(`${shown(this.requests)} requests, ${this.#rate} a second; FC_SEED=${this.#seed}`);
    for (const counts of [this.#statuses, this.#kinds]) {
      const rows = [...counts].sort(([, a], [, b]) => b - a);
      this.#print(rows.map(([name, count]) => `${name} ${shown(count)}`).join(' · '));
    }
  }

  /** Whether the operation was done. */
  hasDone({ id }: Operation): boolean {
    return this.#answers.has(`${id} done`);
  }

  hasRefused({ id }: Operation): boolean {
    return this.#answers.has(`${id} refused`);
  }

  hasSent(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  get #rate(): string {
    const seconds = (performance.now() - this.#startedAt) / 1_000;
    return shown(Math.round(this.requests / seconds));
  }

  #print(text: string): void {
    process.stdout.write(`fuzz: ${text}\n`);
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function shown(count: number): string {
  return count.toLocaleString('en');
}
