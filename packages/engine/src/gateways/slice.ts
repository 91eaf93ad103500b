/** The gateways that the ledger was opened with. */
import { type Base, type PartsOf, slice } from '../slice.ts';
import { registerCallMetrics } from './call-counts.ts';
import { gatewaysOf } from './gateway-option.ts';
import { gatewayRegistry } from './registry.ts';

export type GatewayParts = PartsOf<typeof GATEWAYS>;

export const GATEWAYS = slice({
  scopes: {},
  make: ({ settings, stores, logger, gatewayOptions }: Base) => ({
    gateways: gatewayRegistry(gatewaysOf(gatewayOptions, { settings, stores }), {
      timeoutMs: settings.gatewayTimeoutMs,
      maxInFlight: settings.gatewayMaxInFlight,
      logger,
    }),
  }),
  registerMetrics: ({ gateways }, metrics) => registerCallMetrics(metrics, () => gateways.counts),
});
