/** Counts of the calls of each gateway, since the process began. */
import type { MetricsRegistry } from '../metrics-registry.ts';

export interface CallCounts {
  calls: number;
  /** Without an answer in time, or with none that can be used. */
  unanswered: number;
  /** The adapter failed, or the call was one too many. */
  failed: number;
  inFlight: number;
  /** Of all calls that ended. */
  tookMs: number;
}

export function noCalls(): CallCounts {
  return { calls: 0, unanswered: 0, failed: 0, inFlight: 0, tookMs: 0 };
}

/** By the name of the gateway. */
export function registerCallMetrics(
  metrics: MetricsRegistry,
  countsByName: () => ReadonlyMap<string, CallCounts>,
): void {
  metrics.gauges<CallCounts>({
    label: 'gateway',
    names: {
      gateway_calls: {
        help: 'Calls since the host started',
        isCount: true,
        of: ({ calls }) => calls,
      },
      gateway_calls_unanswered: {
        help: 'Calls whose outcome is unknown',
        isCount: true,
        of: ({ unanswered }) => unanswered,
      },
      gateway_calls_failed: {
        help: 'Calls that failed or were one too many',
        isCount: true,
        of: ({ failed }) => failed,
      },
      gateway_calls_in_flight: { help: 'Calls under way', of: ({ inFlight }) => inFlight },
      gateway_call_seconds: {
        help: 'Time of all calls that ended',
        isCount: true,
        of: ({ tookMs }) => tookMs / 1_000,
      },
    },
    look: async () => countsByName(),
  });
}
