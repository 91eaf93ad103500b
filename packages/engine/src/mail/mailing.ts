/** The mail of a ledger: the outbox, its reactor, its delivery and its metrics. */
import { Email, type EventStore, type Position } from '@counterfoil/core';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import { deterministicUuid } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Following } from '../runtime/log-follower.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { SenderDomains } from '../sender-domains/index.ts';
import type { AuthenticationLinks } from '../subscriptions/index.ts';
import type { References } from '../tenants/index.ts';
import type { SignIns } from '../users/index.ts';
import { Letters } from './letters.ts';
import { type MailCounts, MailDelivery } from './mail-delivery.ts';
import type { MailLinks } from './mail-links.ts';
import { followForMails } from './mail-reactor.ts';
import type { MailRoutes } from './mail-routes.ts';
import type { MailSeal } from './mail-seal.ts';
import type { MailSettings } from './mail-settings.ts';
import { MAIL_READER, type Outbox, type QueuedMail, SERVERLESS_READER } from './outbox.ts';
import type { Suppressions } from './suppressions.ts';

export interface MailingOptions {
  /** Undefined: only tenants with a server of their own send mails. */
  readonly settings: MailSettings | undefined;
  readonly keepsMails: boolean;
  readonly outbox: Outbox;
  readonly routes: MailRoutes;
  readonly links: MailLinks;
  readonly senderDomains: SenderDomains;
  readonly suppressions: Suppressions;
  readonly seal: MailSeal;
  readonly commands: CommandRunner;
  readonly events: EventStore;
  readonly references: References;
  readonly signIns: Pick<SignIns, 'link'>;
  readonly authenticationLinks: Pick<AuthenticationLinks, 'urlOf'>;
  /** Where the host's pages are, if that is known. */
  readonly publicUrl: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class Mailing {
  readonly #options: MailingOptions;
  readonly #delivery: MailDelivery;
  readonly #begun = Promise.withResolvers<void>();
  #isServing = false;

  constructor(options: MailingOptions) {
    this.#options = options;
    const letters = new Letters(options);
    const onFailed = (mail: QueuedMail, reason: string) => this.#recordFailure(mail, reason);
    const isServing = () => this.#isServing;
    this.#delivery = new MailDelivery({ ...options, letters, onFailed, isServing });
    if (options.settings !== undefined) this.#begin();
  }

  /**
   * Called when the host begins to serve. A command-line tool does not call it: one that knows of no mail
   * server must not take the mails of the host for such as cannot be sent.
   */
  async beginService(): Promise<void> {
    const { settings, outbox } = this.#options;
    // What happened while there was no server, or one, was settled then: the answers to callers said so.
    await outbox.places.forget(settings === undefined ? MAIL_READER : SERVERLESS_READER);
    this.#begin();
  }

  #begin(): void {
    this.#begun.resolve();
    this.#isServing = true;
  }

  get counts(): MailCounts {
    return this.#delivery.counts;
  }

  /** The scheduled work. */
  get works(): readonly TimedWork[] {
    return [this.#delivery];
  }

  /** Follows the log until the signal fires. */
  async follow(
    following: Omit<Following, 'checkpoints'>,
    headAtStart: Position | undefined,
  ): Promise<void> {
    const { commands, outbox, routes, settings } = this.#options;
    await Promise.race([this.#begun.promise, endOf(following.signal)]);
    if (!this.#isServing) return;
    const takes = routes.takes.bind(routes);
    const reader = settings === undefined ? SERVERLESS_READER : MAIL_READER;
    await followForMails({ ...following, commands, outbox, takes, reader, headAtStart });
  }

  /** Once for each mail, for those who follow the log. */
  async #recordFailure(
    { eventId: emailId, tenantId, sandbox, kind }: QueuedMail,
    reason: string,
  ): Promise<void> {
    const { commands, clock } = this.#options;
    const failed = { tenantId, emailId, sandbox, kind, reason, at: clock.now() };
    const commandId = deterministicUuid(['email failed', emailId]);
    const command = { type: 'RecordEmailFailure', ...failed } as const;
    await commands.execute(Email, command, { commandId, content: emailId }, SYSTEM);
  }

  registerMetrics(metrics: MetricsRegistry): void {
    const { outbox } = this.#options;
    metrics.gauge('mails_queued', 'Mails waiting to be sent or retried', () =>
      // Without a database the other metrics must still be served.
      outbox.queuedCount().catch(() => Number.NaN),
    );
    metrics.counter(
      'mails_sent_total',
      'Mails accepted by the mail server',
      () => this.counts.sent,
    );
    metrics.counter(
      'mails_failed_total',
      'Mails given up: refused, too old, or out of retries',
      () => this.counts.failed,
    );
  }

  close(): void {
    this.#options.routes.close();
    this.#options.outbox.close();
  }
}

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
