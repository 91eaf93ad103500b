/** The host's mail as one part: the outbox, what fills it, what empties it, and how it can be watched. */
import type { EventStore, Position } from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import type { Logger } from '../logger.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Following } from '../runtime/log-follower.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { References } from '../tenants/index.ts';
import { type Confirmations, confirmations } from './confirmations.ts';
import { Letters } from './letters.ts';
import { MailDelivery } from './mail-delivery.ts';
import { followForMails } from './mail-reactor.ts';
import type { MailSettings } from './mail-settings.ts';
import { type Mailer, smtpMailer } from './mailer.ts';
import { MAIL_READER, type Outbox } from './outbox.ts';

export interface MailingOptions {
  /** Undefined: no mails are sent, and none are asked for. */
  readonly settings: MailSettings | undefined;
  readonly outbox: Outbox;
  readonly commands: CommandRunner;
  readonly events: EventStore;
  readonly references: References;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What mails are sent with, where they are sent. */
interface Sending {
  readonly settings: MailSettings;
  readonly mailer: Mailer;
  readonly delivery: MailDelivery;
}

export class Mailing {
  readonly #options: MailingOptions;
  readonly #sending: Sending | undefined;
  readonly confirmations: Confirmations;

  constructor(options: MailingOptions) {
    const { settings } = options;
    this.#options = options;
    this.confirmations = confirmations(settings);
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
   * The host begins to serve. Without settings it tells its callers that nothing is mailed: nor shall
   * it be when there are settings again. A command on the folder serves nobody, and may lack them.
   */
  async beginService(): Promise<void> {
    if (this.#sending === undefined) await this.#options.outbox.places.forget(MAIL_READER);
  }

  /** What has to be run when it is due. */
  get works(): readonly TimedWork[] {
    return this.#sending === undefined ? [] : [this.#sending.delivery];
  }

  /** Follows the log to the end of the signal. */
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
    metrics.gauge('mails_queued', 'Mails that wait to be sent, or to be tried again', () =>
      // Without a database the other metrics must still be served.
      outbox.queuedCount().catch(() => Number.NaN),
    );
    metrics.counter(
      'mails_sent_total',
      'Mails that the mail server has taken',
      () => counts()?.sent ?? 0,
    );
    metrics.counter(
      'mails_failed_total',
      'Mails that were given up: refused, too old, or tried in vain to the end',
      () => counts()?.failed ?? 0,
    );
  }

  close(): void {
    this.#sending?.mailer.close();
    this.#options.outbox.close();
  }
}
