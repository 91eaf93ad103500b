/** Settles the room of attempts under monthly caps by their outcomes, whatever process recorded them. */
import { type Position, type StoredEvent, Transaction } from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import { type Following, followLog, isPermanent } from '../runtime/log-follower.ts';
import type { MonthlyCaps } from './monthly-caps.ts';

/** Every event that ends an attempt. */
const OUTCOMES = [
  'AttemptDeclined',
  'AuthorizationExpired',
  'PaymentBlocked',
  'PaymentCaptured',
  'PaymentDeclined',
  'PaymentFailed',
  'PaymentVoided',
] as const satisfies readonly Transaction.Event['type'][];

export interface CapSettlementOptions extends Following {
  readonly commands: CommandRunner;
  readonly caps: MonthlyCaps;
  /** The head of the log when the process began: before the first run of this, no room was reserved. */
  readonly firstAfter: Position | undefined;
}

/**
 * Follows the log until `signal` fires. Idempotent: an outcome may be read twice, or have been settled
 * by its request.
 */
export function followOutcomes(options: CapSettlementOptions): Promise<void> {
  return followLog({
    ...options,
    name: 'monthly-caps',
    types: new Set(OUTCOMES),
    async react(outcomes) {
      // Together, so that those of one account share an append.
      await Promise.all([...firstOfEach(outcomes)].map((stored) => settleOrLog(options, stored)));
    },
  });
}

/** Settling reads the current payment, so once per payment is enough. */
function firstOfEach(outcomes: readonly StoredEvent[]): Iterable<StoredEvent> {
  return new Map(outcomes.map((stored) => [stored.stream, stored])).values();
}

/** A payment that cannot be read keeps its reservation, and must not block the others. */
async function settleOrLog(options: CapSettlementOptions, stored: StoredEvent): Promise<void> {
  try {
    await settle(options, stored);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    const { stream } = stored;
    options.logger.error(
      { err: error, stream },
      'a reservation under a monthly cap could not be settled',
    );
  }
}

async function settle(
  { commands, caps }: CapSettlementOptions,
  { tenantId, stream }: StoredEvent,
): Promise<void> {
  const payment = await commands.stateOf(Transaction, stream);
  if (payment !== null) await caps.settle(tenantId, payment);
}
