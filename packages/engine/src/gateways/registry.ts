/** The gateways that a host can reach, by the id that merchant accounts name them by. */
import { boundedGateway, type GatewayBounds } from './bounded-gateway.ts';
import type { PaymentGateway } from './payment-gateway.ts';

export interface GatewayRegistry {
  /** With its calls bounded. Throws `UnknownGateway`. */
  gateway(gatewayId: number): PaymentGateway;
  /** As they were given. */
  readonly gateways: readonly PaymentGateway[];
  close(): Promise<void>;
}

/** A merchant account names a gateway that this host was not given. */
export class UnknownGateway extends Error {
  override readonly name = 'UnknownGateway';
  readonly gatewayId: number;

  constructor(gatewayId: number, known: readonly PaymentGateway[]) {
    const names = known.map((each) => `${each.gatewayId} (${each.name})`).join(', ');
    super(`there is no gateway ${gatewayId}; this host has ${names || 'none'}`);
    this.gatewayId = gatewayId;
  }
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
    gateway(gatewayId) {
      const found = byId.get(gatewayId);
      if (found === undefined) throw new UnknownGateway(gatewayId, gateways);
      return found;
    },
    async close() {
      await Promise.all(gateways.map((each) => each.close()));
    },
  };
}
