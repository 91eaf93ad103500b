/** Bounds what is read at a gateway beside its calls: a timeout, and the form of the answers. */
import type { z } from 'zod';
import type { Logger } from '../logger.ts';
import { refused } from '../refusal.ts';
import { traced } from '../tracing.ts';
import { gatewaySpan } from './gateway-span.ts';
import { type AccountContext, CredentialsRefused, type PaymentGateway } from './payment-gateway.ts';

export interface ReadBounds {
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Reads one answer. Refuses with `CredentialsRefused`, and whatever else fails with `GatewayFailed`:
 * nothing was moved.
 */
export type BoundedRead = <Answer>(
  schema: z.ZodType<Answer>,
  context: AccountContext,
  call: (signal: AbortSignal) => Promise<unknown>,
) => Promise<Answer>;

/** @param what - What is read, for the log and for traces. */
export function boundedRead(
  gateway: Pick<PaymentGateway, 'gatewayId' | 'name'>,
  what: string,
  { timeoutMs, logger }: ReadBounds,
): BoundedRead {
  const { gatewayId } = gateway;
  return async (schema, context, call) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const timeout = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return await traced(
        () => gatewaySpan(gateway, what, context),
        async () => schema.parse(await Promise.race([call(signal), timeout])),
      );
    } catch (error) {
      logger.error({ err: error, gatewayId }, `${what} of the gateway could not be read`);
      const { merchantAccountId } = context.account;
      throw error instanceof CredentialsRefused
        ? refused({ type: 'CredentialsRefused', gatewayId, merchantAccountId })
        : refused({ type: 'GatewayFailed', gatewayId });
    }
  };
}
