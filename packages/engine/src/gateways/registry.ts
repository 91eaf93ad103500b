/** The gateways that a ledger was opened with, by id. */
import { refused } from '../refusal.ts';
import { ConfigError } from '../settings.ts';
import { boundedGateway, type GatewayBounds } from './bounded-gateway.ts';
import { GatewayTimeout, type PaymentGateway } from './payment-gateway.ts';

export interface GatewayRegistry {
  /** The gateway with bounded calls. Refuses with `GatewayUnknown` when it is not registered. */
  gateway(gatewayId: number): PaymentGateway;
  /** Unwrapped. */
  readonly gateways: readonly PaymentGateway[];
  readonly ids: ReadonlySet<number>;
  /** Bounded as calls are; does not reject. */
  close(): Promise<void>;
}

/** Throws a ConfigError for duplicate ids. */
export function gatewayRegistry(
  gateways: readonly PaymentGateway[],
  bounds: GatewayBounds,
): GatewayRegistry {
  const byId = new Map<number, PaymentGateway>();
  for (const each of gateways) {
    const other = byId.get(each.gatewayId);
    if (other !== undefined) {
      const problem = `${other.name} and ${each.name} both claim gateway id ${each.gatewayId}`;
      throw new ConfigError([`gateways: ${problem}`]);
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
      await Promise.all(gateways.map((each) => closeInTime(each, bounds)));
    },
  };
}

/** Logs a failure: the stores are closed all the same. */
async function closeInTime(gateway: PaymentGateway, bounds: GatewayBounds): Promise<void> {
  const { gatewayId, name } = gateway;
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new GatewayTimeout(`${name} did not close in time`));
  const timer = setTimeout(giveUp, bounds.timeoutMs);
  try {
    await Promise.race([gateway.close(), tooLate]);
  } catch (error) {
    bounds.logger.error({ err: error, gatewayId }, 'the gateway could not be closed');
  } finally {
    clearTimeout(timer);
  }
}
