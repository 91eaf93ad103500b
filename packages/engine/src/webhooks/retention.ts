/** Removes deliveries that ended some days ago, and what was answered to them. */
import type { Clock } from '../runtime/clock.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { DeliveryStore } from './delivery-store.ts';

const DAY_MS = 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
const REMOVED_AT_ONCE = 500;
/** In one round: callers are served between two. */
const MAX_BATCHES = 20;

interface RetentionOptions {
  readonly deliveries: DeliveryStore;
  readonly days: number;
  readonly clock: Clock;
}

export class DeliveryRetention implements TimedWork {
  readonly name = 'webhook-log';
  readonly #options: RetentionOptions;
  /** Of this process. */
  #nextMs = 0;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Nothing that a clock would stop for: what has expired goes when there is time. */
  async nextDueAt(): Promise<undefined> {
    return undefined;
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    const { deliveries, days, clock } = this.#options;
    const nowMs = Date.parse(clock.now());
    if (nowMs < this.#nextMs) return;
    const before = new Date(nowMs - days * DAY_MS).toISOString();
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      if (stopping.aborted) return;
      const removed = await deliveries.removeBefore(before, REMOVED_AT_ONCE);
      if (removed < REMOVED_AT_ONCE) {
        this.#nextMs = nowMs + INTERVAL_MS;
        return;
      }
    }
  }
}
