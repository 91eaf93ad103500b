/** Sends due mails of the outbox, with retries up to a limit. */

import type { Logger } from '../logger.ts';
import type { Clock } from '../runtime/clock.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { Letters } from './letters.ts';
import type { Handover, Mailer } from './mailer.ts';
import type { MailEnd, Outbox, QueuedMail } from './outbox.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Delay after each failed attempt. After the last one the mail has failed. */
export const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
];

/** Older mails, after downtime or missing mail settings, are not sent. */
const MAX_AGE_MS = 7 * DAY_MS;

const PAGE = 100;
/** Per round. */
const MAX_PAGES = 10;
const CONCURRENCY = 4;
/** How long a stop waits for the answers of mails being sent. */
const STOP_GRACE_MS = 5_000;

export interface MailDeliveryOptions {
  readonly outbox: Outbox;
  readonly letters: Pick<Letters, 'letterOf'>;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Since the start of this process. */
export interface MailCounts {
  readonly sent: number;
  readonly failed: number;
  readonly dropped: number;
}

/** State of a round. */
interface Round {
  readonly stopping: AbortSignal;
  /** Fires when answers are no longer waited for. */
  readonly giveUp: AbortSignal;
  /** The first result that reported an unreachable server. */
  unreachable: Handover | undefined;
}

export class MailDelivery implements TimedWork {
  readonly name = 'mails';
  readonly #options: MailDeliveryOptions;
  readonly #ended: Record<MailEnd, number> = { sent: 0, failed: 0, dropped: 0 };
  /** Outcomes that could not be recorded yet. Until then the mails look queued. */
  readonly #unrecorded: (() => Promise<void>)[] = [];

  constructor(options: MailDeliveryOptions) {
    this.#options = options;
  }

  get counts(): MailCounts {
    return { ...this.#ended };
  }

  nextDueAt(): Promise<string | undefined> {
    return this.#options.outbox.nextDueAt();
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    const { outbox, clock } = this.#options;
    await this.#recordRest();
    const given = graceAfter(stopping);
    const round: Round = { stopping, giveUp: given.signal, unreachable: undefined };
    try {
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const mails = await outbox.due(clock.now(), PAGE);
        if (mails.length === 0) return;
        await this.#sendAll(mails, round);
        if (stopping.aborted) return;
      }
    } finally {
      given.forget();
    }
  }

  async #sendAll(mails: readonly QueuedMail[], round: Round): Promise<void> {
    await inParallel({
      items: mails,
      atOnce: CONCURRENCY,
      // While outcomes cannot be recorded, every round would send the same mails.
      stops: () => round.stopping.aborted || this.#unrecorded.length > 0,
      act: async (mail) => {
        // The previous leader may still be sending it.
        if (!(await this.#options.outbox.claim(mail))) return;
        // An unreachable server counts as an attempt for all due mails: the next ones would only wait for
        // the same timeout.
        const handover = round.unreachable ?? (await this.#handOver(mail, round.giveUp));
        if (handover?.outcome === 'put-off' && handover.unreachable) round.unreachable = handover;
        if (handover !== undefined) await this.#settle(mail, handover);
      },
    });
  }

  /** Undefined when nothing is to be sent. */
  async #handOver(mail: QueuedMail, giveUp: AbortSignal): Promise<Handover | undefined> {
    const { letters, mailer, clock, logger } = this.#options;
    if (Date.parse(clock.now()) - Date.parse(mail.recordedAt) > MAX_AGE_MS) {
      return { outcome: 'refused', reason: 'too-old' };
    }
    try {
      const letter = await letters.letterOf(mail);
      if ('nothing' in letter) {
        await this.#end(mail, 'dropped', letter.nothing);
        return undefined;
      }
      return await mailer.send({ ...letter, id: mail.eventId, date: clock.now() }, giveUp);
    } catch (error) {
      // One mail that cannot be rendered must not delay the others.
      logger.error({ err: error, ...factsOf(mail) }, 'a mail could not be written');
      return { outcome: 'put-off', reason: 'unwritten', unreachable: false };
    }
  }

  async #settle(mail: QueuedMail, handover: Handover): Promise<void> {
    const { outbox, clock, logger } = this.#options;
    if (handover.outcome === 'sent') {
      await this.#end(mail, 'sent', '');
      return;
    }
    const { reason } = handover;
    const waitMs = handover.outcome === 'put-off' ? RETRY_AFTER_MS[mail.tries] : undefined;
    const facts = { ...factsOf(mail), reason };
    if (waitMs === undefined) {
      await this.#end(mail, 'failed', reason);
      logger.warn(facts, 'a mail was given up');
      return;
    }
    const at = clock.now();
    const dueAt = new Date(Date.parse(at) + waitMs).toISOString();
    const tries = mail.tries + 1;
    await this.#record(() => outbox.putOff(mail.eventId, { tries, dueAt, reason, at }));
    logger.warn({ ...facts, dueAt }, 'a mail was not accepted; it is retried');
  }

  async #end(mail: QueuedMail, end: MailEnd, reason: string): Promise<void> {
    const { outbox, clock } = this.#options;
    const ended = { end, tries: mail.tries + 1, reason, at: clock.now() };
    this.#ended[end] += 1;
    await this.#record(() => outbox.end(mail.eventId, ended));
  }

  async #record(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#unrecorded.push(write);
      throw error;
    }
  }

  /** Throws while recording fails. */
  async #recordRest(): Promise<void> {
    for (let write = this.#unrecorded[0]; write !== undefined; write = this.#unrecorded[0]) {
      await write();
      this.#unrecorded.shift();
    }
  }
}

/** Ids only: no address, and no answer of a server, which may contain one. */
function factsOf({ eventId, kind, tenantId, stream, tries }: QueuedMail) {
  return { mail: eventId, kind, tenantId, stream, tries };
}

/** A signal that fires a grace period after another. */
function graceAfter(stopping: AbortSignal): { signal: AbortSignal; forget: () => void } {
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => giveUp.abort(), STOP_GRACE_MS);
  };
  if (stopping.aborted) begin();
  else stopping.addEventListener('abort', begin, { once: true });
  return {
    signal: giveUp.signal,
    forget() {
      stopping.removeEventListener('abort', begin);
      clearTimeout(timer);
    },
  };
}
