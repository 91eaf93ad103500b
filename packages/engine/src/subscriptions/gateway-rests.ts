/** Which gateways keep failing: each of them rests by itself, and one call then tries whether it is back. */

/** After too many failures in a row nothing more is begun at a gateway for so long. */
const REST_MS = 30_000;

interface Failures {
  failuresInARow: number;
  restsUntilMs: number;
}

export interface GatewayRestsOptions {
  readonly mostFailures: number;
  readonly nowMs: () => number;
  /** Called when a gateway begins to rest. */
  readonly onRest: (gatewayId: number) => void;
}

export class GatewayRests {
  readonly #options: GatewayRestsOptions;
  readonly #records = new Map<number, Failures>();

  constructor(options: GatewayRestsOptions) {
    this.#options = options;
  }

  note(gatewayId: number, { failed }: { readonly failed: boolean }): void {
    if (!failed) {
      this.#records.delete(gatewayId);
      return;
    }
    const { mostFailures, nowMs, onRest } = this.#options;
    const { failuresInARow = 0 } = this.#records.get(gatewayId) ?? {};
    const rests = failuresInARow + 1 >= mostFailures;
    this.#records.set(gatewayId, {
      failuresInARow: rests ? mostFailures - 1 : failuresInARow + 1,
      restsUntilMs: rests ? nowMs() + REST_MS : Number.NEGATIVE_INFINITY,
    });
    if (rests) onRest(gatewayId);
  }

  /** Undefined when it does not rest; also where a clock was set back since. */
  restsUntilMs(gatewayId: number): number | undefined {
    const { restsUntilMs } = this.#records.get(gatewayId) ?? {};
    if (restsUntilMs === undefined) return undefined;
    const leftMs = restsUntilMs - this.#options.nowMs();
    return leftMs > 0 && leftMs <= REST_MS ? restsUntilMs : undefined;
  }

  /** Calls that may be under way at the same time without more failures than are allowed. */
  roomAt(gatewayId: number): number {
    return this.#options.mostFailures - (this.#records.get(gatewayId)?.failuresInARow ?? 0);
  }
}
