/** The host's mail: the outbox, its reactor, its delivery and its metrics. */
import type { EventStore, Position } from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import type { Logger } from '../logger.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Following } from '../runtime/log-follower.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { References } from '../tenants/index.ts';
import type { SignIns } from '../users/index.ts';
import { Letters } from './letters.ts';
import { MailDelivery } from './mail-delivery.ts';
import { followForMails } from './mail-reactor.ts';
import type { MailSettings } from './mail-settings.ts';
import { type Mailer, smtpMailer } from './mailer.ts';
import { MAIL_READER, type Outbox } from './outbox.ts';

export interface MailingOptions {
  /** Undefined: no mails are queued or sent. */
  readonly settings: MailSettings | undefined;
  readonly outbox: Outbox;
  readonly commands: CommandRunner;
  readonly events: EventStore;
  readonly references: References;
  readonly signIns: Pick<SignIns, 'link'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Present when mails are sent. */
interface Sending {
  readonly settings: MailSettings;
  readonly mailer: Mailer;
  readonly delivery: MailDelivery;
}

export class Mailing {
  readonly #options: MailingOptions;
  readonly #sending: Sending | undefined;

  constructor(options: MailingOptions) {
    const { settings } = options;
    this.#options = options;
    if (settings === undefined) return;
    const mailer = smtpMailer(settings);
    const letters = new Letters(options);
    this.#sending = {
      settings,
      mailer,
      delivery: new MailDelivery({ ...options, letters, mailer }),
    };
  }

  /**
   * Called when the host begins to serve. Without settings the messages to callers say that no mail is sent, so
   * these mails must not be sent later either. A command-line tool does not call it.
   */
  async beginService(): Promise<void> {
    if (this.#sending === undefined) await this.#options.outbox.places.forget(MAIL_READER);
  }

  /** The scheduled work. */
  get works(): readonly TimedWork[] {
    return this.#sending === undefined ? [] : [this.#sending.delivery];
  }

  /** Follows the log until the signal fires. */
  async follow(
    following: Omit<Following, 'checkpoints'>,
    headAtStart: Position | undefined,
  ): Promise<void> {
    if (this.#sending === undefined) return;
    const { sandbox } = this.#sending.settings;
    const { commands, outbox } = this.#options;
    await followForMails({ ...following, commands, outbox, sandbox, headAtStart });
  }

  registerMetrics(metrics: MetricsRegistry): void {
    const { outbox } = this.#options;
    const counts = () => this.#sending?.delivery.counts;
    metrics.gauge('mails_queued', 'Mails waiting to be sent or retried', () =>
      // Without a database the other metrics must still be served.
      outbox.queuedCount().catch(() => Number.NaN),
    );
    metrics.counter(
      'mails_sent_total',
      'Mails accepted by the mail server',
      () => counts()?.sent ?? 0,
    );
    metrics.counter(
      'mails_failed_total',
      'Mails given up: refused, too old, or out of retries',
      () => counts()?.failed ?? 0,
    );
  }

  close(): void {
    this.#sending?.mailer.close();
    this.#options.outbox.close();
  }
}
