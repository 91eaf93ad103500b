/** Gives gateways the answers to disputes that are due: after growing waits where they cannot be asked. */
import {
  DisputeEvidence,
  decodeEvent,
  type StoredEvent,
  type TenantId,
  type TransactionId,
} from '@counterfoil/core';
import type { Logger } from '../logger.ts';
import type { Clock } from '../runtime/clock.ts';
import { waitAfter } from '../runtime/growing-wait.ts';
import { type Following, followLog, isPermanent } from '../runtime/log-follower.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { GatewayAnswers } from './gateway-answers.ts';
import type { PendingAnswer, PendingAnswers } from './pending-answers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WAITS = { firstMs: MINUTE_MS, longestMs: HOUR_MS };
/** Half a year of hours: disputes have ended long before. */
const MAX_TRIES = 4_400;
const AT_ONCE = 50;
const GIVEN_UP = 'the gateway could not be asked';

export interface AnswerWorkOptions {
  readonly answers: GatewayAnswers;
  readonly pending: PendingAnswers;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class AnswerWork implements TimedWork {
  readonly name = 'dispute-answers';
  readonly #options: AnswerWorkOptions;

  constructor(options: AnswerWorkOptions) {
    this.#options = options;
  }

  nextDueAt(): Promise<string | undefined> {
    return this.#options.pending.nextDueAt();
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    const { pending, clock } = this.#options;
    for (const each of await pending.dueBy(clock.now(), AT_ONCE)) {
      if (stopping.aborted) return;
      await this.#send(each);
    }
  }

  async #send(each: PendingAnswer): Promise<void> {
    const { answers, pending, clock, logger } = this.#options;
    const tenantId = each.tenantId as TenantId;
    const disputeId = each.disputeId as TransactionId;
    const tries = each.tries + 1;
    try {
      if (tries > MAX_TRIES) await answers.giveUp({ tenantId, disputeId }, GIVEN_UP);
      else await answers.send({ tenantId, disputeId });
      await pending.remove(each.position);
    } catch (error) {
      logger.warn({ err: error, tenantId, disputeId }, 'an answer to a dispute was not sent');
      const dueMs = Date.parse(clock.now()) + waitAfter(tries, WAITS);
      const dueAt = new Date(dueMs).toISOString();
      await pending.put({ ...each, tries, dueAt });
    }
  }
}

/** What was answered becomes due. The dispute itself says what is to be sent. */
export function followAnswers(
  options: Following & Pick<AnswerWorkOptions, 'pending' | 'clock'>,
): Promise<void> {
  const { pending, clock } = options;
  return followLog({
    ...options,
    name: 'dispute-answers',
    types: new Set(['EvidenceSubmitted', 'ChargebackAccepted']),
    async react(events) {
      for (const stored of events) {
        const { tenantId, position } = stored;
        const disputeId = disputeIdOf(stored, options.logger);
        if (disputeId === undefined) continue;
        await pending.put({ position, tenantId, disputeId, tries: 0, dueAt: clock.now() });
      }
    },
  });
}

/** Undefined for an event that cannot be read, which must not hold up the others. */
function disputeIdOf(stored: StoredEvent, logger: Logger): TransactionId | undefined {
  const { tenantId, stream } = stored;
  try {
    const event = decodeEvent(stored);
    if (event.type === 'ChargebackAccepted') return event.chargebackId;
    const of = DisputeEvidence.streamOf({ tenantId, disputeId: '' as TransactionId });
    return stream.slice(of.length) as TransactionId;
  } catch (error) {
    if (!isPermanent(error)) throw error;
    logger.error({ err: error, stream }, 'an answer to a dispute could not be read');
    return undefined;
  }
}
