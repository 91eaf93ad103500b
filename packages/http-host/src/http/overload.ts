/** Decides when there is too much to do: what cannot be answered soon is refused at once. */

/** A turn of the event loop with fewer requests is long for another reason, and refusing does not help. */
const FEWEST_IN_LONG_TURN = 50;

export interface OverloadLimits {
  /** Requests being answered at the same time; one more is refused. */
  readonly maxInFlight: number;
  /** How long a request may have waited for its turn; one that has waited longer is refused. */
  readonly maxLoopDelayMs: number;
}

/**
 * Requests that wait for a gateway or for the disk pile up inside the process, where they are
 * counted. Those that are answered without waiting never pile up there: they queue in the sockets,
 * and one turn of the event loop answers all that are ready, for as long as it takes. Who comes late
 * in such a turn has waited since it began.
 */
export class Overload {
  readonly #limits: OverloadLimits;
  #inFlight = 0;
  #turnBeganMs = 0;
  #begunInTurn = 0;
  readonly #endTurn = () => {
    this.#begunInTurn = 0;
  };

  constructor(limits: OverloadLimits) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** A request has been read; `nowMs` is that of `performance.now()`. */
  begin(nowMs: number): void {
    this.#inFlight += 1;
    if (this.#begunInTurn === 0) {
      this.#turnBeganMs = nowMs;
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
