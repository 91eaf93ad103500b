/** Read-your-writes per tenant. */
import type { Position, TenantId } from '@counterfoil/core';
import type { Progress } from '@counterfoil/projections';
import { LRUCache } from 'lru-cache';
import { refused } from '../refusal.ts';
import { RoundTrips } from '../storage/round-trips.ts';

/** Longer than the normal lag of the read models. */
const WAIT_MS = 5_000;
/** An evicted tenant has not written for long: its writes have been applied. */
const MAX_TENANTS = 100_000;

/** Returns a position at or beyond everything acknowledged by any host. */
type AskNewest = () => Promise<Position | undefined>;

export class ReadSide {
  readonly #progress: Progress;
  readonly #acknowledged = new LRUCache<number, Position>({
    // `max` would allocate for all of them at once.
    maxSize: MAX_TENANTS,
    sizeCalculation: () => 1,
  });
  #newest: Position | undefined;
  /** Everything acknowledged before this process started is at or before this position. */
  readonly #headAtStart: Position | undefined;
  /** Set when other hosts write too: an upper bound of what they acknowledged. */
  readonly #ofAll: RoundTrips<undefined, Position | undefined> | undefined;

  constructor(progress: Progress, headAtStart: Position | undefined, askNewest?: AskNewest) {
    this.#progress = progress;
    this.#headAtStart = headAtStart;
    if (askNewest !== undefined) {
      // Does not share a query that is already running: it may be older than the caller's write.
      this.#ofAll = new RoundTrips(async (asked) => {
        const newest = await askNewest();
        return asked.map(() => newest);
      });
    }
  }

  /** The last position that was acknowledged to any tenant. */
  get newest(): Position | undefined {
    return this.#newest;
  }

  /** Records that the events up to this position were acknowledged to a tenant. */
  acknowledge(tenantId: TenantId, position: Position): void {
    const before = this.#acknowledged.get(tenantId);
    if (before === undefined || before < position) this.#acknowledged.set(tenantId, position);
    this.#newest = later(this.#newest, position);
  }

  /**
   * Waits until the read models (those of the ledger, or of the given progress) have applied the tenant's
   * acknowledged writes; refuses on timeout.
   */
  async caughtUp(tenantId: number, progress = this.#progress): Promise<void> {
    const acknowledged = this.#acknowledged.get(tenantId) ?? this.#headAtStart;
    const position = later(acknowledged, await this.#ofAll?.ask(undefined));
    if (position === undefined) return;
    if (await progress.reached(position, { tenantId, timeoutMs: WAIT_MS })) return;
    throw refused({ type: 'ReadModelsBehind' });
  }
}

function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? other : one;
}
