/** Events of gateways: taken in, and asked for where they were not delivered. */
import type { DisputeParts } from '../disputes/index.ts';
import { boundedEvents } from '../gateways/bounded-events.ts';
import type { GatewayParts } from '../gateways/slice.ts';
import type { PaymentParts } from '../payments/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import type { TenantParts } from '../tenants/index.ts';
import { CatchUp } from './catch-up.ts';
import { EventSigners } from './event-signers.ts';
import { TakesEvents } from './gateway-events.ts';
import { openTakenEvents } from './taken-events.ts';
import {
  GATEWAY_EVENT_CALLS,
  GATEWAY_EVENT_INPUTS,
  TenantGatewayEvents,
} from './tenant-gateway-events.ts';

export type GatewayEventParts = PartsOf<typeof GATEWAY_EVENTS>;

export const GATEWAY_EVENTS = slice({
  scopes: { 'gateway-events:write': 'Report events of gateways' },
  make(parts: Base & TenantParts & GatewayParts & PaymentParts & DisputeParts) {
    const { settings, logger, clock, gateways, disputeIntake: intake, stores } = parts;
    const bounds = { timeoutMs: settings.gatewayTimeoutMs, logger };
    const sources = new Map(
      gateways.gateways.flatMap((each) => {
        const events = boundedEvents(each, bounds);
        return events === undefined ? [] : [[each.gatewayId, events] as const];
      }),
    );
    const takenEvents = openOwn(parts, 'checkpoints', openTakenEvents);
    const gatewayEvents = new TakesEvents({ ...parts, intake, sources, taken: takenEvents });
    const common = { events: gatewayEvents, taken: takenEvents, clock, logger };
    return {
      gatewayEvents,
      takenEvents,
      catchUp: new CatchUp({ ...common, store: stores.readModels }),
      reportsEvents: sources.size > 0,
      eventSigners: new EventSigners({ ...parts, events: gatewayEvents }),
    };
  },
  tenant: ({ gatewayEvents }) => ({
    gatewayEvents: tenantPart(
      GATEWAY_EVENT_INPUTS,
      (acting) => new TenantGatewayEvents(gatewayEvents, acting),
      GATEWAY_EVENT_CALLS,
    ),
  }),
  registerMetrics: ({ catchUp, gateways }, metrics) =>
    metrics.gauges<number>({
      label: 'gateway',
      names: {
        gateway_events_lag_seconds: {
          help: 'Time since the account that is furthest behind was caught up with, on the process that does it',
          of: (lag) => lag,
        },
      },
      look: async () =>
        new Map([...catchUp.lags()].map(([id, lag]) => [gateways.gateway(id).name, lag])),
    }),
  works: ({ catchUp, reportsEvents }) => (reportsEvents ? [catchUp] : []),
});
