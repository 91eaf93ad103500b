/** Sends what is due in the outbox: tried again after a while, given up in the end. */

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

/** How long a mail waits after its first try in vain, its second, and so on; then it has failed. */
export const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
];

/** News that is older, because the host stood still or had no mail settings, is news no more. */
const MAX_AGE_MS = 7 * DAY_MS;

const PAGE = 100;
/** Of one round; the next one goes on. */
const MAX_PAGES = 10;
const CONCURRENCY = 4;
/** A host that stops waits so long for the answers to mails that are on their way. */
const STOP_GRACE_MS = 5_000;

export interface MailDeliveryOptions {
  readonly outbox: Outbox;
  readonly letters: Pick<Letters, 'letterOf'>;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Of this process. */
export interface MailCounts {
  readonly sent: number;
  readonly failed: number;
  readonly dropped: number;
}

/** What the mails of one round share. */
interface Round {
  readonly stopping: AbortSignal;
  /** Fires when the answer to a mail under way is waited for no longer. */
  readonly giveUp: AbortSignal;
  /** How it was told that the server cannot be reached; undefined as long as it can. */
  away: Handover | undefined;
}

export class MailDelivery implements TimedWork {
  readonly name = 'mails';
  readonly #options: MailDeliveryOptions;
  readonly #ended: Record<MailEnd, number> = { sent: 0, failed: 0, dropped: 0 };
  /** What became of mails and could not be written down. Until it is, they seem to wait. */
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
    const round: Round = { stopping, giveUp: given.signal, away: undefined };
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
      // Where nothing can be written down, the same mails would go out in every round.
      stops: () => round.stopping.aborted || this.#unrecorded.length > 0,
      act: async (mail) => {
        // Another host may still have it in hand, which was to send until a moment ago.
        if (!(await this.#options.outbox.claim(mail))) return;
        // A server that cannot be reached counts as tried for all that were due: the next mail would
        // only wait for the same silence.
        const handover = round.away ?? (await this.#handOver(mail, round.giveUp));
        if (handover?.outcome === 'put-off' && handover.unreachable) round.away = handover;
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
      // One that cannot be written must not keep the others waiting.
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
    logger.warn({ ...facts, dueAt }, 'a mail was not taken; it is tried again');
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

  /** Throws as long as it cannot be written down. */
  async #recordRest(): Promise<void> {
    for (let write = this.#unrecorded[0]; write !== undefined; write = this.#unrecorded[0]) {
      await write();
      this.#unrecorded.shift();
    }
  }
}

/** Ids only: no address, and no answer of a server, which may name one. */
function factsOf({ eventId, kind, tenantId, stream, tries }: QueuedMail) {
  return { mail: eventId, kind, tenantId, stream, tries };
}

/** A signal that fires some time after another. */
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
