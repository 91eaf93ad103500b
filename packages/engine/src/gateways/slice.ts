/** The gateways that the ledger was opened with. */
import { type Base, type PartsOf, slice } from '../slice.ts';
import { registerCallMetrics } from './call-counts.ts';
import { gatewaysOf } from './gateway-option.ts';
import { gatewayRegistry } from './registry.ts';
import { RestingAccounts, registerRestMetrics } from './resting-accounts.ts';

export type GatewayParts = PartsOf<typeof GATEWAYS>;

export const GATEWAYS = slice({
  scopes: {},
  make({ settings, stores, clock, logger, gatewayOptions }: Base) {
    const rests = new RestingAccounts({ clock, logger });
    const gateways = gatewayRegistry(gatewaysOf(gatewayOptions, { settings, stores }), {
      timeoutMs: settings.gatewayTimeoutMs,
      maxInFlight: settings.gatewayMaxInFlight,
      logger,
      rests,
    });
    return { gateways, rests };
  },
  registerMetrics({ gateways, rests }, metrics) {
    registerCallMetrics(metrics, () => gateways.counts);
    registerRestMetrics(metrics, gateways.gateways, rests);
  },
});
