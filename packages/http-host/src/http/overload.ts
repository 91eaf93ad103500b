/** Load shedding: refuses at once what could not be answered soon. */

/** A long turn of the event loop with fewer requests has another cause; refusing would not help. */
const FEWEST_IN_LONG_TURN = 50;

export interface OverloadLimits {
  /** Requests in flight; one more is refused. */
  readonly maxInFlight: number;
  /** Longest wait of a request for the event loop; longer waits are refused. */
  readonly maxLoopDelayMs: number;
}

/**
 * Requests that wait for a gateway or for the disk accumulate inside the process and are counted.
 * Requests that are answered without waiting queue in the sockets instead: one turn of the event
 * loop answers all that are ready, after it has read them. A request read late in such a turn has waited
 * since the turn began; one that is read right after it, since its answers began.
 */
export class Overload {
  readonly #limits: OverloadLimits;
  #inFlight = 0;
  #turnBeganMs = 0;
  #begunInTurn = 0;
  /** Since when requests that are being read may have waited; undefined after a turn without any. */
  #answeringSinceMs: number | undefined;
  readonly #now: () => number;
  readonly #endTurn = () => {
    this.#begunInTurn = 0;
    const sinceMs = this.#now();
    this.#answeringSinceMs = sinceMs;
    // Runs when the sockets were read again that became ready meanwhile.
    setImmediate(() => {
      if (this.#answeringSinceMs === sinceMs) this.#answeringSinceMs = undefined;
    });
  };

  constructor(limits: OverloadLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** A request has been read at `nowMs` of `performance.now()`. */
  begin(nowMs: number): void {
    this.#inFlight += 1;
    if (this.#begunInTurn === 0) {
      this.#turnBeganMs = this.#answeringSinceMs ?? nowMs;
      // Runs when all sockets that were ready have been read.
      setImmediate(this.#endTurn);
    }
    this.#begunInTurn += 1;
  }

  /** A request has been answered. */
  end(): void {
    this.#inFlight -= 1;
  }

  /** Whether to refuse the request that was begun last, at `nowMs`. */
  isTooMuch(nowMs: number): boolean {
    const { maxInFlight, maxLoopDelayMs } = this.#limits;
    if (this.#inFlight > maxInFlight) return true;
    if (this.#begunInTurn < FEWEST_IN_LONG_TURN) return false;
    return nowMs - this.#turnBeganMs > maxLoopDelayMs;
  }
}
