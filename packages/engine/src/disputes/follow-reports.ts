/** Brings reports into the books after a crash, and ends alerts whose refund was paid later. */
import {
  Dispute,
  type StoredEvent,
  type StreamName,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { type Following, followLog, isPermanent } from '../runtime/log-follower.ts';
import { refundIdOfAlert } from './answers.ts';
import type { DisputeIntake } from './intake.ts';

export interface ReportFollowing extends Following {
  readonly intake: DisputeIntake;
  readonly commands: CommandRunner;
}

export function followReports(options: ReportFollowing): Promise<void> {
  return followLog({
    ...options,
    name: 'dispute-reports',
    types: new Set(['DisputeReported', 'DisputeUpdated', 'DisputeMatched', 'Refunded']),
    async react(events) {
      for (const stored of events) {
        if (stored.type === 'Refunded') await resolveRefunded(options, stored);
        else await options.intake.settleLater(stored.tenantId, disputeIdOf(stored));
      }
    },
  });
}

function disputeIdOf({ stream, tenantId }: { stream: StreamName; tenantId: TenantId }) {
  const prefix = Dispute.streamOf({ tenantId, disputeId: '' as TransactionId });
  return stream.slice(prefix.length) as TransactionId;
}

/** The refund that answers an alert may be paid long after it was asked for. */
async function resolveRefunded(
  { commands, logger }: ReportFollowing,
  stored: StoredEvent,
): Promise<void> {
  const { stream, tenantId } = stored;
  try {
    const payment = await commands.stateOf(Transaction, stream);
    for (const { alertId, status } of payment?.alerts ?? []) {
      const refundId = refundIdOfAlert(alertId);
      const refund = payment?.refunds.find((each) => each.refundId === refundId);
      if (payment === null || status !== 'AlertOpen' || refund?.status !== 'Refunded') continue;
      const { transactionId } = payment;
      const at = commands.clock.now();
      const moved = { alertId, to: 'AlertResolved', note: 'refunded', at } as const;
      await commands.execute(
        Transaction,
        { type: 'MoveAlert', tenantId, transactionId, ...moved },
        { commandId: uuidV7() },
        SYSTEM,
      );
    }
  } catch (error) {
    if (!isPermanent(error)) throw error;
    logger.warn({ err: error, stream }, 'an alert could not be resolved');
  }
}
