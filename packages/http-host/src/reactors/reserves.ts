/** Lets go of rolling reserves when their hold is over. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import { type ReadModelStore, reserveReleases } from '@counterfoil/projections';
import type { RequestLogger } from '../http/endpoint.ts';
import { Refusal } from '../http/errors.ts';
import { deterministicUuid } from '../http/uuid.ts';
import { type Ledger, SYSTEM } from '../operations/ledger.ts';

/** Of one round; what is released leaves the list, so the next round finds the rest. */
const MAX_RELEASES = 200;

interface ReserveOptions {
  readonly ledger: Ledger;
  readonly store: ReadModelStore;
  readonly logger: RequestLogger;
}

/** One release for each payment, named by it: doing it again releases nothing more. */
export async function releaseDueReserves({ ledger, store, logger }: ReserveOptions): Promise<void> {
  const at = ledger.clock.now();
  const { work } = await reserveReleases(store, { limit: MAX_RELEASES });
  for (const { tenantId, transactionId, dueAt } of work) {
    // The nearest come first.
    if (dueAt > at) return;
    const releaseId = deterministicUuid([transactionId, 'reserve']) as TransactionId;
    try {
      await ledger.carryOut(
        Transaction,
        {
          type: 'ReleaseReserve',
          tenantId: tenantId as TenantId,
          transactionId: transactionId as TransactionId,
          releaseId,
          at,
        },
        { commandId: releaseId },
        SYSTEM,
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      logger.warn({ err: error, transactionId }, 'a reserve could not be released');
    }
  }
}
