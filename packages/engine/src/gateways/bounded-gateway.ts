/** Bounds each call of an adapter: so long, and so many at a time. */
import type { Logger } from '../logger.ts';
import { Refused, refused } from '../refusal.ts';
import { GatewayTimeout, type PaymentGateway } from './payment-gateway.ts';

export interface GatewayBounds {
  /** A call without an answer for so long ends with `GatewayTimeout`, and its signal is aborted. */
  readonly timeoutMs: number;
  /** Calls under way at the same time; the next one is refused before anything is sent. */
  readonly maxInFlight: number;
  readonly logger: Pick<Logger, 'error'>;
}

/** Under a signal that says when nobody waits for the answer any more. */
type Call<Answer> = (signal: AbortSignal) => Promise<Answer>;

/**
 * The same gateway, whose calls end. Refuses with `GatewayBusy` beyond the limit, and with `GatewayFailed`
 * when the adapter fails; how far the request has come is then not known either.
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
        // First the caller: an adapter that hears of the end answers with an error of its own.
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

  /** A call that moves no money: without an answer, nothing is left to be found out. */
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
