/** Bounds what is read at a gateway beside its calls: a timeout, and the form of the answers. */
import type { z } from 'zod';
import type { Logger } from '../logger.ts';
import { refused } from '../refusal.ts';
import { type AccountContext, CredentialsRefused } from './payment-gateway.ts';

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

/** @param what - What is read, for the log. */
export function boundedRead(
  { gatewayId }: { readonly gatewayId: number },
  what: string,
  { timeoutMs, logger }: ReadBounds,
): BoundedRead {
  return async (schema, { account }, call) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const timeout = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      return schema.parse(await Promise.race([call(signal), timeout]));
    } catch (error) {
      logger.error({ err: error, gatewayId }, `${what} of the gateway could not be read`);
      const { merchantAccountId } = account;
      throw error instanceof CredentialsRefused
        ? refused({ type: 'CredentialsRefused', gatewayId, merchantAccountId })
        : refused({ type: 'GatewayFailed', gatewayId });
    }
  };
}
