/** The gateways that a ledger was opened with, by id. */
import { refused } from '../refusal.ts';
import { ConfigError } from '../settings.ts';
import { boundedGateway, type GatewayBounds } from './bounded-gateway.ts';
import { type CallCounts, noCalls } from './call-counts.ts';
import type { AccountContext } from './gateway-account.ts';
import type { PaymentGateway } from './payment-gateway.ts';

export interface GatewayRegistry {
  /** The gateway with bounded calls. Refuses with `GatewayUnknown` when it is not registered. */
  gateway(gatewayId: number): PaymentGateway;
  /** Unwrapped. */
  readonly gateways: readonly PaymentGateway[];
  readonly ids: ReadonlySet<number>;
  /** Of the calls of each gateway, by its name. */
  readonly counts: ReadonlyMap<string, CallCounts>;
  /** Whether the account waits since the gateway refused its credentials. */
  isResting(gatewayId: number, context: () => AccountContext): boolean;
  /** Whether it has waited, and its credentials were not checked since. */
  isToBeChecked(gatewayId: number, context: () => AccountContext): boolean;
  /** Bounded as calls are; does not reject. */
  close(): Promise<void>;
}

/** Throws a ConfigError for duplicate ids. */
export function gatewayRegistry(
  gateways: readonly PaymentGateway[],
  bounds: GatewayBounds,
): GatewayRegistry {
  const { rests } = bounds;
  const byId = new Map<number, PaymentGateway>();
  const countsByName = new Map<string, CallCounts>();
  for (const each of gateways) {
    const other = byId.get(each.gatewayId);
    if (other !== undefined) {
      const problem = `${other.name} and ${each.name} both claim gateway id ${each.gatewayId}`;
      throw new ConfigError([`gateways: ${problem}`]);
    }
    const counts = noCalls();
    const isTaken = countsByName.has(each.name);
    countsByName.set(isTaken ? `${each.name} ${each.gatewayId}` : each.name, counts);
    byId.set(each.gatewayId, boundedGateway(each, { ...bounds, counts }));
  }
  return {
    gateways: [...gateways],
    ids: new Set(byId.keys()),
    counts: countsByName,
    // Nearly always none rests: credentials are opened for others only.
    isResting: (gatewayId, context) =>
      rests?.isNone(gatewayId) === false && rests.isResting(gatewayId, context()),
    isToBeChecked: (gatewayId, context) =>
      rests?.isNone(gatewayId) === false && rests.isToBeChecked(gatewayId, context()),
    gateway(gatewayId) {
      const found = byId.get(gatewayId);
      if (found === undefined) throw refused({ type: 'GatewayUnknown', gatewayId });
      return found;
    },
    async close() {
      await Promise.all([...byId.values()].map((each) => each.close()));
    },
  };
}
