/** Bounds the calls of an adapter: a timeout and a concurrency limit. */
import type { Logger } from '../logger.ts';
import { Refused, refused } from '../refusal.ts';
import { GatewayTimeout, type PaymentGateway } from './payment-gateway.ts';

export interface GatewayBounds {
  /** After this time a call fails with `GatewayTimeout` and its signal is aborted. */
  readonly timeoutMs: number;
  /** Maximum concurrent calls. Further calls are refused before anything is sent. */
  readonly maxInFlight: number;
  readonly logger: Pick<Logger, 'error'>;
}

/** The signal is aborted on timeout. */
type Call<Answer> = (signal: AbortSignal) => Promise<Answer>;

/**
 * Wraps a gateway. Refuses with `GatewayBusy` beyond the limit, and with `GatewayFailed` when the adapter
 * fails; the outcome of the request is then unknown.
 */
export function boundedGateway(gateway: PaymentGateway, bounds: GatewayBounds): PaymentGateway {
  const { gatewayId, name } = gateway;
  const { timeoutMs, maxInFlight, logger } = bounds;
  let inFlight = 0;

  async function bounded<Answer>(call: Call<Answer>): Promise<Answer> {
    if (inFlight >= maxInFlight) throw refused({ type: 'GatewayBusy', gatewayId });
    inFlight += 1;
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new GatewayTimeout(`${name} (gateway ${gatewayId}) did not answer in time`);
        // Reject before the abort: the adapter may answer the abort with its own error.
        reject(error);
        ending.abort(error);
      }, timeoutMs);
    });
    try {
      return await Promise.race([call(ending.signal), timeout]);
    } catch (error) {
      if (error instanceof GatewayTimeout || error instanceof Refused) throw error;
      logger.error({ err: error, gatewayId }, 'the gateway failed');
      throw refused({ type: 'GatewayFailed', gatewayId });
    } finally {
      clearTimeout(timer);
      inFlight -= 1;
    }
  }

  /** A call that moves no money: a timeout leaves no unknown outcome. */
  async function looked<Answer>(call: Call<Answer>): Promise<Answer> {
    try {
      return await bounded(call);
    } catch (error) {
      if (!(error instanceof GatewayTimeout)) throw error;
      throw refused({ type: 'GatewayFailed', gatewayId });
    }
  }

  return {
    gatewayId,
    name,
    tokenize: (card, fingerprint) =>
      looked((signal) => gateway.tokenize(card, fingerprint, signal)),
    findToken: (token) => looked((signal) => gateway.findToken(token, signal)),
    charge: (request) => bounded((signal) => gateway.charge(request, signal)),
    confirm: (request) => bounded((signal) => gateway.confirm(request, signal)),
    capture: (request) => bounded((signal) => gateway.capture(request, signal)),
    void: (request) => bounded((signal) => gateway.void(request, signal)),
    refund: (request) => bounded((signal) => gateway.refund(request, signal)),
    findCharge: (key) => bounded((signal) => gateway.findCharge(key, signal)),
    findFollowUp: (key) => bounded((signal) => gateway.findFollowUp(key, signal)),
    noticesOf: (id) => looked((signal) => gateway.noticesOf(id, signal)),
    close: () => gateway.close(),
  };
}
