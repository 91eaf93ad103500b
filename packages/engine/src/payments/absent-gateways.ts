/** Merchant accounts whose gateway is not registered. */
import { merchantAccountsOf, type ReadModelStore } from '@counterfoil/projections';
import type { Logger } from '../logger.ts';

/** Accounts that are logged one by one; the others are counted. */
const MAX_NAMED = 20;

export interface WithoutGateway {
  readonly tenantId: number;
  readonly merchantAccountId: number;
  readonly gatewayId: number;
}

/** From the reference read model. Throws `not-ready` while it is being built. */
export async function* accountsWithoutGateway(
  store: ReadModelStore,
  gatewayIds: ReadonlySet<number>,
): AsyncGenerator<WithoutGateway> {
  for await (const { tenantId, merchantAccountId, settings } of merchantAccountsOf(store)) {
    const { gatewayId } = settings;
    if (!gatewayIds.has(gatewayId)) yield { tenantId, merchantAccountId, gatewayId };
  }
}

/** Payments on these accounts are refused, so the start logs them. */
export async function warnOfAbsentGateways({
  store,
  gatewayIds,
  logger,
}: {
  readonly store: ReadModelStore;
  readonly gatewayIds: ReadonlySet<number>;
  readonly logger: Logger;
}): Promise<void> {
  let count = 0;
  try {
    for await (const account of accountsWithoutGateway(store, gatewayIds)) {
      count += 1;
      if (count <= MAX_NAMED) logger.warn(account, 'the gateway of a merchant account is absent');
    }
  } catch (error) {
    logger.warn({ err: error }, 'the check for absent gateways failed');
  }
  const more = count - MAX_NAMED;
  if (more > 0) logger.warn({ accounts: more }, 'more merchant accounts whose gateway is absent');
}
