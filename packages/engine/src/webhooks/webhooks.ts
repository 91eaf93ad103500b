/** Webhooks that are sent: what follows the log, what sends, what is kept of it, and their metrics. */
import type { Subject, TenantId } from '@counterfoil/core';
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import type { MetricsRegistry } from '../metrics-registry.ts';
import type { TimedWork } from '../runtime/timed-work.ts';
import type { Base, FollowingFrom } from '../slice.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { LazyTransport } from './lazy-transport.ts';
import type { MessageType } from './messages.ts';
import { DeliveryRetention } from './retention.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';
import { asksFor, deliveryIdOf, followForWebhooks } from './webhook-reactor.ts';
import { WebhookSender } from './webhook-sender.ts';

export interface WebhooksOptions extends Base, MerchantAccountParts {
  readonly webhookEndpoints: WebhookEndpoints;
  readonly deliveries: DeliveryStore;
}

/** A message that is about no event of the log. */
export interface Announcement {
  readonly tenantId: TenantId;
  readonly environment: 'live' | 'test';
  readonly type: MessageType;
  /** UUID, the same each time that the same thing is announced: it is the id of the message. */
  readonly id: string;
  /** When it happened. */
  readonly at: string;
  /** What is said. It is kept as it is: no personal data. */
  readonly data: object;
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #transport: LazyTransport;
  readonly #sender: WebhookSender;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#transport = new LazyTransport({ loopback: options.settings.loopbackWebhooks });
    this.#sender = new WebhookSender({ ...options, transport: this.#transport });
  }

  get works(): readonly TimedWork[] {
    const { deliveries, settings, clock } = this.#options;
    const days = settings.webhookLogDays;
    return [this.#sender, new DeliveryRetention({ deliveries, days, clock })];
  }

  /** Follows the log until the signal fires. */
  follow(following: FollowingFrom): Promise<void> {
    const { commands, webhookEndpoints, deliveries } = this.#options;
    return followForWebhooks({ ...following, commands, webhookEndpoints, deliveries });
  }

  /**
   * Sends a message to the endpoints that ask for its type, at least once. Durable when it resolves;
   * repeated with the same id it changes nothing.
   */
  async announce({ tenantId, environment, type, id, at, data }: Announcement): Promise<void> {
    const { deliveries, webhookEndpoints, clock } = this.#options;
    const asking = [...(await webhookEndpoints.state(tenantId)).values()].filter(
      (each) => each.environment === environment && asksFor(each, type, at),
    );
    const sandbox = environment === 'test';
    const message = { messageId: id, tenantId, type, subject: id, place: '', revision: null };
    const facts = { data: JSON.stringify(data), sandbox, customerId: null, createdAt: at };
    const added = asking.map(({ endpointId }) => ({
      id: deliveryIdOf(id, endpointId),
      endpointId,
      ...message,
      ...facts,
    }));
    if (added.length > 0) await deliveries.add(added, clock.now());
  }

  /** Empties what was answered to messages about a person. */
  forget(customer: Subject): Promise<void> {
    return this.#options.deliveries.forget(customer);
  }

  scrub(): Promise<boolean> {
    return this.#options.deliveries.scrub();
  }

  registerMetrics(metrics: MetricsRegistry): void {
    const { deliveries } = this.#options;
    const { counts } = this.#sender;
    // Without a database the other metrics must still be served.
    const kept = (name: 'pending' | 'dead') =>
      deliveries.counts().then(
        (all) => all[name],
        () => Number.NaN,
      );
    metrics.gauge('webhooks_pending', 'Webhooks that wait to be sent, or sent again', () =>
      kept('pending'),
    );
    metrics.gauge(
      'webhooks_dead_letters',
      'Webhooks that were given up, as long as they are kept',
      () => kept('dead'),
    );
    metrics.counter(
      'webhooks_delivered_total',
      'Webhooks that were answered with 2xx',
      () => counts.delivered,
    );
    metrics.counter(
      'webhook_failures_total',
      'Tries of webhooks that were not answered with 2xx',
      () => counts.failed,
    );
  }

  close(): void {
    this.#transport.close();
    this.#options.deliveries.close();
  }
}
