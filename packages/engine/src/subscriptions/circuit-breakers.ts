/** A circuit breaker per gateway: opens after consecutive failures, then lets one call through. */

/** How long a circuit stays open. */
const OPEN_MS = 30_000;

interface Failures {
  consecutiveFailures: number;
  openUntilMs: number;
}

export interface CircuitBreakersOptions {
  readonly maxFailures: number;
  readonly nowMs: () => number;
  /** Called when the circuit of a gateway opens. */
  readonly onOpen: (gatewayId: number) => void;
}

export class CircuitBreakers {
  readonly #options: CircuitBreakersOptions;
  readonly #records = new Map<number, Failures>();

  constructor(options: CircuitBreakersOptions) {
    this.#options = options;
  }

  note(gatewayId: number, { failed }: { readonly failed: boolean }): void {
    if (!failed) {
      this.#records.delete(gatewayId);
      return;
    }
    const { maxFailures, nowMs, onOpen } = this.#options;
    const { consecutiveFailures = 0 } = this.#records.get(gatewayId) ?? {};
    const opens = consecutiveFailures + 1 >= maxFailures;
    this.#records.set(gatewayId, {
      consecutiveFailures: opens ? maxFailures - 1 : consecutiveFailures + 1,
      openUntilMs: opens ? nowMs() + OPEN_MS : Number.NEGATIVE_INFINITY,
    });
    if (opens) onOpen(gatewayId);
  }

  /** Undefined when the circuit is closed, and after the clock was set back. */
  openUntilMs(gatewayId: number): number | undefined {
    const { openUntilMs } = this.#records.get(gatewayId) ?? {};
    if (openUntilMs === undefined) return undefined;
    const leftMs = openUntilMs - this.#options.nowMs();
    return leftMs > 0 && leftMs <= OPEN_MS ? openUntilMs : undefined;
  }

  /** The number of concurrent calls allowed without exceeding the failure limit. */
  concurrencyAt(gatewayId: number): number {
    return this.#options.maxFailures - (this.#records.get(gatewayId)?.consecutiveFailures ?? 0);
  }
}
