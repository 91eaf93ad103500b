/** Makes a tenant's reads see its own writes. */
import type { Position, TenantId } from '@counterfoil/core';
import type { Progress } from '@counterfoil/projections';
import { LRUCache } from 'lru-cache';
import { refused } from '../refusal.ts';
import { RoundTrips } from '../storage/round-trips.ts';

/** Longer than the read models are ever behind in sound operation. */
const WAIT_MS = 5_000;
/** A tenant that falls out of memory has not written for long, and its writes have long arrived. */
const MAX_TENANTS = 100_000;

/** Asks for a position behind which no host has acknowledged anything yet. */
type AskNewest = () => Promise<Position | undefined>;

export class ReadSide {
  readonly #progress: Progress;
  readonly #acknowledged = new LRUCache<number, Position>({ max: MAX_TENANTS });
  /** What tenants were told of before this process began lies before it. */
  readonly #headAtStart: Position | undefined;
  /** Given where other hosts write too: what a tenant was told by one of them stands no further. */
  readonly #newest: RoundTrips<undefined, Position | undefined> | undefined;

  constructor(progress: Progress, headAtStart: Position | undefined, askNewest?: AskNewest) {
    this.#progress = progress;
    this.#headAtStart = headAtStart;
    if (askNewest !== undefined) {
      // Never an answer that was under way: it may be of a moment before they came who ask.
      this.#newest = new RoundTrips(async (asked) => {
        const newest = await askNewest();
        return asked.map(() => newest);
      });
    }
  }

  /** A tenant was told that its events up to this position are kept. */
  acknowledge(tenantId: TenantId, position: Position): void {
    const before = this.#acknowledged.get(tenantId);
    if (before === undefined || before < position) this.#acknowledged.set(tenantId, position);
  }

  /**
   * Waits until what the tenant was told of can be read, of the ledger's read models or of those whose
   * progress is given; refuses when that takes too long.
   */
  async caughtUp(tenantId: number, progress = this.#progress): Promise<void> {
    const told = this.#acknowledged.get(tenantId) ?? this.#headAtStart;
    const position = later(told, await this.#newest?.ask(undefined));
    if (position === undefined) return;
    if (await progress.reached(position, { timeoutMs: WAIT_MS })) return;
    throw refused({ type: 'ReadModelsBehind' });
  }
}

function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? other : one;
}
