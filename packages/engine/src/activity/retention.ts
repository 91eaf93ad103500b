/** Removes records of activity after the days that the settings say, and writes those that wait. */

import type { Clock } from '../runtime/clock.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { ActivityLog } from './activity-log.ts';

const INTERVAL_MS = 60 * 60_000;
const REMOVED_AT_ONCE = 1_000;
/** In one round: callers are served between two. */
const MAX_BATCHES = 20;

interface RetentionOptions {
  readonly activity: ActivityLog;
  readonly days: number;
  readonly clock: Clock;
}

export class ActivityRetention implements TimedWork {
  readonly name = 'activity';
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
    const { activity, days, clock } = this.#options;
    await activity.writeAgain();
    const nowMs = Date.parse(clock.now());
    if (nowMs < this.#nextMs) return;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      if (stopping.aborted) return;
      const removed = await activity.removeOlder(days, REMOVED_AT_ONCE);
      if (removed < REMOVED_AT_ONCE) {
        this.#nextMs = nowMs + INTERVAL_MS;
        return;
      }
    }
  }
}
