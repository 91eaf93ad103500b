/** Mixed traffic at a steady rate: writes under keys, some of them twice, and reads of every kind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Answer, Caller } from './caller.ts';
import type { Dice } from './dice.ts';
import type { Load, Sent } from './load.ts';

/** Callers at the same time; a host that answers slowly is asked less often. */
const CALLERS = 24;
const OVERLOADED = 503;
/** How often and how long a request that is refused is sent again. */
const REFUSED = { timeout: 60_000, interval: 100 };
const MS_PER_SECOND = 1_000;

export interface TrafficOptions {
  readonly caller: Caller;
  readonly load: Load;
  readonly dice: Dice;
  readonly ratePerSecond: number;
}

/** Of one kind of request. */
export interface Figures {
  count: number;
  readonly durationsMs: number[];
}

export class Traffic {
  readonly figures = new Map<string, Figures>();
  /** How often the host had too much to do. */
  refused = 0;
  readonly #options: TrafficOptions;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  get count(): number {
    return [...this.figures.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Goes on until the signal; throws at the first request that is not answered as it should be. */
  async run(signal: AbortSignal): Promise<void> {
    const { ratePerSecond } = this.#options;
    const startedMs = performance.now();
    let begun = 0;
    const work = async () => {
      while (!signal.aborted) {
        const dueMs = startedMs + (begun * MS_PER_SECOND) / ratePerSecond;
        begun += 1;
        const early = dueMs - performance.now();
        if (early > 0) await sleep(early);
        await this.#one();
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, work));
  }

  /** Writes are three in five, and one in ten of them comes twice at once or a second time. */
  async #one(): Promise<void> {
    const { dice, load } = this.#options;
    const drawn = dice.roll(20);
    if (drawn >= 12) return this.#read(drawn);
    const { sent } = load;
    const again = drawn === 0 ? sent[dice.roll(Math.max(1, sent.length))] : undefined;
    if (again !== undefined) return this.#write('a key again', again);
    const one = load.draw();
    const copies = drawn === 1 ? 2 : 1;
    await Promise.all(Array.from({ length: copies }, () => this.#write(one.deed, one)));
  }

  async #write(kind: string, sent: Sent): Promise<void> {
    await this.#timed(kind, () => this.#options.load.askUntilAnswered(sent));
  }

  async #read(drawn: number): Promise<void> {
    const { caller, load, dice } = this.#options;
    const id = load.drawPaid()?.id as string | undefined;
    if (drawn < 15 && id !== undefined) {
      const body = { ...caller.claims, id, getSearchData: true, getAddressData: true };
      return this.#ask('detail', () => caller.post('/customerapi/detail', { body }));
    }
    if (drawn < 18) {
      const email = `customer${dice.roll(9)}@example.com`;
      const body = drawn === 17 ? { last4: '4242' } : { emails: [email] };
      return this.#ask('search', () => caller.post('/api/transactions/search', { body }));
    }
    if (drawn < 19 && id !== undefined) {
      return this.#ask('payment read', () => caller.get('/v1/payments/{id}', { path: { id } }));
    }
    return this.#ask('trial balance', () => caller.get('/api/ledger/trial-balance'));
  }

  /** Reads answer 200, or 503 for as long as there is too much to do. */
  async #ask(kind: string, call: () => Promise<Answer>): Promise<void> {
    const isAnswered = async () => {
      const { status, body } = await call();
      if (status === 200) return true;
      if (status !== OVERLOADED) throw new Error(`${kind}: ${status} ${JSON.stringify(body)}`);
      this.refused += 1;
      return false;
    };
    await this.#timed(kind, () => vi.waitUntil(isAnswered, REFUSED));
  }

  async #timed(kind: string, work: () => Promise<unknown>): Promise<void> {
    const figures = this.figures.get(kind) ?? { count: 0, durationsMs: [] };
    this.figures.set(kind, figures);
    const beganMs = performance.now();
    await work();
    figures.count += 1;
    figures.durationsMs.push(performance.now() - beganMs);
  }

  /** A line for each kind: how many, and how long half and 99 in 100 of them took at most. */
  lines(): string[] {
    return [...this.figures].map(([kind, { count, durationsMs }]) => {
      const sorted = durationsMs.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(1);
      return `${kind}: ${count}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
    });
  }
}
