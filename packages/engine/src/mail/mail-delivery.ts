/** Sends due mails of the outbox, with retries up to a limit. */

import { withAsciiDomain } from '@counterfoil/core';
import { SpanKind } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';
import type { Clock } from '../runtime/clock.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { SenderDomains } from '../sender-domains/index.ts';
import { markFailed, traced } from '../tracing.ts';
import type { Letters, NoLetter } from './letters.ts';
import {
  type Attempt,
  type AttemptOutcome,
  contentName,
  type MailContent,
  mailOf,
} from './mail-content.ts';
import type { MailLinks } from './mail-links.ts';
import type { MailRoutes } from './mail-routes.ts';
import type { MailSeal } from './mail-seal.ts';
import type { Handover } from './mailer.ts';
import { hasOwnContent, KEPT, type MailEnd, type Outbox, type QueuedMail } from './outbox.ts';
import type { Suppressions } from './suppressions.ts';

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
  readonly routes: Pick<MailRoutes, 'routeOf' | 'senderOf' | 'profileOf'>;
  readonly links: Pick<MailLinks, 'linked'>;
  readonly senderDomains: Pick<SenderDomains, 'senderOf'>;
  readonly suppressions: Pick<Suppressions, 'among' | 'add'>;
  readonly seal: MailSeal;
  /** Appends that a mail has failed; idempotent. */
  readonly onFailed: (mail: QueuedMail, reason: string) => Promise<void>;
  /** False: nothing is sent yet. */
  readonly isServing: () => boolean;
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
  /** By server, the first result that reported it unreachable. */
  readonly unreachable: Map<string, Handover>;
}

/** What became of a try, and what is kept of the mail. */
interface Tried {
  readonly content: MailContent;
  readonly handover: Handover | { readonly outcome: 'kept' } | { readonly outcome: 'suppressed' };
}

export class MailDelivery implements TimedWork {
  readonly name = 'mails';
  readonly #options: MailDeliveryOptions;
  readonly #ended: Record<MailEnd, number> = { sent: 0, failed: 0, dropped: 0 };
  /** Outcomes that could not be recorded yet. Until then the mails look queued. */
  readonly #unrecorded: (() => Promise<void>)[] = [];
  /** The day on which old mails were forgotten last. */
  #forgottenOn = '';

  constructor(options: MailDeliveryOptions) {
    this.#options = options;
  }

  get counts(): MailCounts {
    return { ...this.#ended };
  }

  async nextDueAt(): Promise<string | undefined> {
    const { outbox, isServing } = this.#options;
    return isServing() ? outbox.nextDueAt() : undefined;
  }

  async runDue(stopping: AbortSignal): Promise<void> {
    const { outbox, clock, isServing } = this.#options;
    if (!isServing()) return;
    await this.#recordRest();
    await this.#forgetOld();
    const given = graceAfter(stopping);
    const round: Round = { stopping, giveUp: given.signal, unreachable: new Map() };
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

  async #forgetOld(): Promise<void> {
    const { outbox, clock } = this.#options;
    const now = clock.now();
    const today = now.slice(0, 'yyyy-mm-dd'.length);
    if (this.#forgottenOn === today) return;
    await outbox.forgetOld(now);
    this.#forgottenOn = today;
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
        await this.#try(mail, round);
      },
    });
  }

  async #try(mail: QueuedMail, round: Round): Promise<void> {
    const { clock, logger } = this.#options;
    if (Date.parse(clock.now()) - Date.parse(mail.recordedAt) > MAX_AGE_MS) {
      const kept = await this.#keptOf(mail);
      return this.#fail(mail, kept, 'too-old');
    }
    let tried: Tried | NoLetter;
    try {
      const content = await this.#contentOf(mail);
      tried = 'nothing' in content ? content : await this.#handOver(mail, content, round);
    } catch (error) {
      // One mail that cannot be rendered must not delay the others.
      logger.error({ err: error, ...factsOf(mail) }, 'a mail could not be written');
      return this.#putOff(mail, undefined, 'unwritten');
    }
    if ('nothing' in tried) return this.#end(mail, 'dropped', { reason: tried.nothing });
    await this.#settle(mail, tried);
  }

  /** A mail of the ledger is written at each try: what it says may have changed. */
  async #contentOf(mail: QueuedMail): Promise<MailContent | NoLetter> {
    const { outbox, seal, letters, routes } = this.#options;
    const kept = await this.#keptOf(mail);
    if (hasOwnContent(mail)) return kept ?? { nothing: 'erased' };
    const letter = await letters.letterOf(mail);
    if ('nothing' in letter) return letter;
    const from = await routes.senderOf(mail.tenantId);
    if (from === undefined) throw new Error('no sender is set');
    const { to, subject, text, html } = letter;
    await outbox.address(mail.eventId, [seal.addressDigest(mail, to.address)]);
    return {
      ...{ from, to: [to], cc: [], bcc: [], replyTo: null, subject, body: { text, html } },
      ...{ headers: [], listUnsubscribe: false, template: mail.kind },
      ...{ open: [to.address], delivered: false, history: kept?.history ?? [] },
    };
  }

  async #keptOf(mail: QueuedMail): Promise<MailContent | undefined> {
    const { outbox, seal } = this.#options;
    const { eventId, tries } = mail;
    const isNew = !hasOwnContent(mail) && tries === 0;
    const sealed = isNew ? undefined : await outbox.contentOf(eventId);
    return sealed === undefined ? undefined : seal.open(contentName(eventId), sealed);
  }

  async #handOver(mail: QueuedMail, given: MailContent, round: Round): Promise<Tried> {
    const { routes, senderDomains, suppressions, clock } = this.#options;
    const stopped = await suppressions.among(mail, given.open, mail.kind);
    const open = given.open.filter((address) => !stopped.has(address));
    const history = [...given.history, ...[...stopped].map((each) => this.#suppressed(each))];
    const content = { ...given, open, history };
    if (open.length === 0) return { content, handover: { outcome: 'suppressed' } };
    const sender = await senderDomains.senderOf(mail.tenantId, content.from.address);
    if (mail.kind === 'submitted' && sender === undefined) {
      return { content, handover: { outcome: 'refused', reason: 'unauthorized-domain' } };
    }
    const route = mail.kept === true ? undefined : await routes.routeOf(mail);
    if (route === undefined || route.kind === 'kept') {
      return { content: await this.#linked(mail, content), handover: { outcome: 'kept' } };
    }
    // An unreachable server counts as an attempt for all its due mails: the next ones would only wait for
    // the same timeout.
    const known = round.unreachable.get(route.key);
    if (known !== undefined) return { content, handover: known };
    if (route.kind === 'none') return { content, handover: NO_SERVER };
    const shown = mailOf(mail.eventId, clock.now(), await this.#linked(mail, content));
    const whole = { ...shown, dkim: sender?.dkim ?? null };
    const handover = await handedOver(mail, () => route.mailer.send(whole, round.giveUp));
    if (handover.outcome === 'put-off' && handover.unreachable) {
      round.unreachable.set(route.key, handover);
    }
    return { content, handover };
  }

  /** As its readers get it. What the ledger mails by itself is never tracked. */
  async #linked(mail: QueuedMail, content: MailContent): Promise<MailContent> {
    const { links, routes } = this.#options;
    if (mail.kind !== 'submitted') return content;
    const { tracking } = await routes.profileOf(mail.tenantId);
    return links.linked(mail.eventId, mail, content, tracking);
  }

  #suppressed(recipient: string): Attempt {
    const at = this.#options.clock.now();
    return { at, outcome: 'suppressed', recipient, reason: 'suppressed', response: '' };
  }

  async #settle(mail: QueuedMail, { content, handover }: Tried): Promise<void> {
    const { clock } = this.#options;
    if (handover.outcome === 'kept') {
      const history = [...content.history, attempt(clock.now(), 'kept', KEPT)];
      const reason = KEPT;
      return this.#end(mail, 'sent', { reason, content: { ...content, open: [], history } });
    }
    if (handover.outcome === 'suppressed') {
      if (content.delivered)
        return this.#end(mail, 'sent', { reason: '', content: ended(content) });
      return this.#fail(mail, content, 'suppressed');
    }
    const after = await this.#noted(mail, content, handover);
    if (after.open.length === 0) {
      if (after.delivered) return this.#end(mail, 'sent', { reason: '', content: ended(after) });
      const reason = 'reason' in handover ? handover.reason : 'rejected';
      return this.#fail(mail, after, reason);
    }
    await this.#putOff(mail, after, 'reason' in handover ? handover.reason : 'rejected');
  }

  /** The content after a try: whom it is still to be delivered to, and the words of the server. */
  async #noted(mail: QueuedMail, content: MailContent, handover: Handover): Promise<MailContent> {
    const at = this.#options.clock.now();
    const { outcome, rejected = [], response = '' } = handover;
    const isRejected = (address: string, permanent: boolean) =>
      rejected.some(
        (each) => each.isPermanent === permanent && each.address === withAsciiDomain(address),
      );
    const bounced = content.open.filter((address) => isRejected(address, true));
    const isBounce = handover.outcome === 'refused' && handover.isOfRecipient === true;
    const [only, ...others] = content.open;
    // Of several recipients none is known to be at fault for what is refused as a whole.
    if (isBounce && only !== undefined && others.length === 0 && bounced.length === 0) {
      bounced.push(only);
    }
    const note = 'reason' in handover ? handover.reason : '';
    for (const email of bounced) {
      const found = rejected.find(({ address }) => address === withAsciiDomain(email));
      const suppression = { email, reason: 'bounce', note: found?.reason ?? note, at } as const;
      await this.#options.suppressions.add(mail, suppression);
    }
    const open = content.open.filter((address) => {
      if (outcome === 'refused' || bounced.includes(address)) return false;
      return outcome === 'put-off' || isRejected(address, false);
    });
    const whole = { ...attempt(at, OUTCOME[outcome], note), response };
    const each = rejected.map(({ address: recipient, isPermanent, reason, response }) => {
      const found = isPermanent ? 'failed' : 'deferred';
      return { at, outcome: found, recipient, reason, response } satisfies Attempt;
    });
    const delivered = content.delivered || outcome === 'sent';
    return { ...content, open, delivered, history: [...content.history, whole, ...each] };
  }

  /** Ends it as failed once it has been tried often enough. */
  async #putOff(mail: QueuedMail, content: MailContent | undefined, reason: string): Promise<void> {
    const { outbox, clock, logger } = this.#options;
    const waitMs = RETRY_AFTER_MS[mail.tries];
    if (waitMs === undefined) {
      if (content?.delivered !== true) return this.#fail(mail, content, reason);
      return this.#end(mail, 'sent', { reason, content: ended(content) });
    }
    const at = clock.now();
    const dueAt = new Date(Date.parse(at) + waitMs).toISOString();
    const tries = mail.tries + 1;
    const kept = this.#sealed(mail, content);
    // It stays one that no server gets.
    const noted = mail.kept === true ? KEPT : reason;
    await this.#record(() =>
      outbox.putOff(mail.eventId, { tries, dueAt, reason: noted, at, ...kept }),
    );
    logger.warn({ ...factsOf(mail), reason, dueAt }, 'a mail was not accepted; it is retried');
  }

  /** What it says is kept with it, unless it can be written again: it may be sent again. */
  async #fail(mail: QueuedMail, tried: MailContent | undefined, reason: string): Promise<void> {
    const { onFailed, logger } = this.#options;
    const content =
      tried !== undefined && hasOwnContent(mail) ? { ...tried, open: [] } : tried && ended(tried);
    const ending = this.#ending(mail, 'failed', { reason, content });
    await this.#record(async () => {
      await onFailed(mail, reason);
      await ending();
    });
    logger.warn({ ...factsOf(mail), reason }, 'a mail was given up');
  }

  async #end(mail: QueuedMail, end: MailEnd, ended: Ending): Promise<void> {
    await this.#record(this.#ending(mail, end, ended));
  }

  #ending(mail: QueuedMail, end: MailEnd, { reason, content }: Ending): () => Promise<void> {
    const { outbox, clock } = this.#options;
    const at = clock.now();
    const ended = { end, tries: mail.tries + 1, reason, at, ...this.#sealed(mail, content) };
    if (reason !== KEPT) this.#ended[end] += 1;
    return () => outbox.end(mail.eventId, ended);
  }

  #sealed(mail: QueuedMail, content: MailContent | undefined) {
    if (content === undefined) return {};
    // A mail of the ledger is written again at the next try.
    const isWritten = !hasOwnContent(mail) && content.open.length > 0;
    const kept = isWritten ? { ...content, body: null } : content;
    return { content: this.#options.seal.seal(contentName(mail.eventId), kept) };
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

function handedOver(mail: QueuedMail, send: () => Promise<Handover>): Promise<Handover> {
  return traced(
    () => ({
      name: 'send mail',
      kind: SpanKind.CLIENT,
      attributes: {
        'counterfoil.tenant_id': mail.tenantId,
        'counterfoil.mail': mail.eventId,
        'counterfoil.mail_kind': mail.kind,
        'counterfoil.attempt': mail.tries + 1,
      },
    }),
    async (span) => {
      const handover = await send();
      span?.setAttribute('counterfoil.outcome', handover.outcome);
      if (span !== undefined && handover.outcome !== 'sent') markFailed(span, handover.reason);
      return handover;
    },
  );
}

/** Ids only: no address, and no answer of a server, which may contain one. */
function factsOf({ eventId, kind, tenantId, stream, tries }: QueuedMail) {
  return { mail: eventId, kind, tenantId, stream, tries };
}

interface Ending {
  readonly reason: string;
  readonly content?: MailContent | undefined;
}

const OUTCOME = { sent: 'sent', 'put-off': 'deferred', refused: 'failed' } as const;

const NO_SERVER: Handover = { outcome: 'put-off', reason: 'no-server', unreachable: true };

function attempt(at: string, outcome: AttemptOutcome, reason: string): Attempt {
  return { at, outcome, recipient: '', reason, response: '' };
}

/** Nothing is left to send. */
function ended(content: MailContent): MailContent {
  return { ...content, body: null, open: [] };
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
