/** The gateways that a ledger was opened with, by the id that merchant accounts name them by. */
import { refused } from '../refusal.ts';
import { boundedGateway, type GatewayBounds } from './bounded-gateway.ts';
import type { PaymentGateway } from './payment-gateway.ts';

export interface GatewayRegistry {
  /** With its calls bounded. Refuses with `GatewayUnknown` when it is absent. */
  gateway(gatewayId: number): PaymentGateway;
  /** As they were given. */
  readonly gateways: readonly PaymentGateway[];
  readonly ids: ReadonlySet<number>;
  close(): Promise<void>;
}

/** Throws when two gateways share an id: money must not depend on which came first. */
export function gatewayRegistry(
  gateways: readonly PaymentGateway[],
  bounds: GatewayBounds,
): GatewayRegistry {
  const byId = new Map<number, PaymentGateway>();
  for (const each of gateways) {
    const other = byId.get(each.gatewayId);
    if (other !== undefined) {
      throw new Error(`${other.name} and ${each.name} both claim gateway id ${each.gatewayId}`);
    }
    byId.set(each.gatewayId, boundedGateway(each, bounds));
  }
  return {
    gateways: [...gateways],
    ids: new Set(byId.keys()),
    gateway(gatewayId) {
      const found = byId.get(gatewayId);
      if (found === undefined) throw refused({ type: 'GatewayUnknown', gatewayId });
      return found;
    },
    async close() {
      await Promise.all(gateways.map((each) => each.close()));
    },
  };
}
