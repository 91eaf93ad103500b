/** What was sent to the webhook endpoints of one tenant, for one caller; and sending it again. */
import { type WebhookEndpoints as Aggregate, Transaction, TransactionId } from '@counterfoil/core';
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import type { CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { type ToldEvent, ToldPayment } from '../input/told-payment.ts';
import { named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Attempt, Delivery, DeliveryPlace, DeliveryStore } from './delivery-store.ts';
import { messageOf } from './message-body.ts';
import { SENT_EVENTS } from './messages.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';
import { DeliveryId, DeliveryList, EndpointId, ReplayRange, TestMessage } from './webhook-input.ts';
import { deliveryIdOf } from './webhook-reactor.ts';

const DEFAULT_LIMIT = 100;
/** Messages about one payment that are looked for. */
const MAX_MESSAGES = 100;
/** Deliveries that one call replays. */
const MAX_REPLAYED = 5_000;
/** The type of a message that is sent on demand. */
const TEST_TYPE = 'webhook.test';

export interface DeliveryView {
  readonly id: string;
  /** `webhook-id`: the same to every endpoint, and for every try. */
  readonly messageId: string;
  readonly endpointId: string;
  readonly type: string;
  readonly status: Delivery['status'];
  /** Made altogether. */
  readonly attempts: number;
  /** Null unless `pending`. */
  readonly nextAttemptAt: string | null;
  /** Why the last try failed: a status of HTTP, or a word; null where it did not. */
  readonly reason: string | null;
  /** When it happened. */
  readonly createdAt: string;
  readonly changedAt: string;
}

export interface DeliveryDetail extends DeliveryView {
  /** What is sent: made from the log, so without what was erased since. */
  readonly body: object;
  readonly attemptLog: readonly Attempt[];
}

export interface DeliveryPage {
  readonly items: readonly DeliveryView[];
  /** `after` of the next page; absent on the last. */
  readonly end?: DeliveryPlace;
}

interface Services {
  readonly webhookEndpoints: WebhookEndpoints;
  readonly deliveries: DeliveryStore;
  readonly commands: CommandRunner;
  readonly clock: Clock;
}

export class TenantWebhooks {
  readonly #services: Services;
  readonly #acting: Acting;

  constructor(services: Services, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /** What was sent to an endpoint, or is to be, newest first. Refuses with `WebhookEndpointUnknown`. */
  async deliveries(endpointId: string, list: DeliveryList = {}): Promise<DeliveryPage> {
    await this.#endpoint(endpointId);
    const { limit = DEFAULT_LIMIT, after, ...filter } = list;
    const page = { after, limit: limit + 1 };
    const found = await this.#services.deliveries.page(endpointId, filter, page);
    const items = found.slice(0, limit).map(viewOf);
    const last = items.at(-1);
    const isLast = found.length <= limit || last === undefined;
    return isLast ? { items } : { items, end: { createdAt: last.createdAt, id: last.id } };
  }

  /**
   * What was sent about a payment to any endpoint, or is to be, the oldest first: of its first 100 messages.
   * Empty when the tenant has no payment of that id.
   */
  async ofPayment(paymentId: string): Promise<readonly DeliveryView[]> {
    const { tenantId } = this.#acting;
    const { success, data: transactionId } = TransactionId.safeParse(paymentId);
    const receivers = await this.#receivers();
    if (!success || receivers.length === 0) return [];
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const { records } = await this.#services.commands.recordedIn(Transaction, stream);
    const events = records.map(({ id, time, event }) => ({ id, recordedAt: time, event }));
    return this.#about(events, receivers);
  }

  /** As `ofPayment`, of a payment whose story has been read: the log is not read again. */
  async ofStory({ history }: ToldPayment): Promise<readonly DeliveryView[]> {
    return this.#about(history, await this.#receivers());
  }

  async #receivers(): Promise<readonly Aggregate.Endpoint[]> {
    const endpoints = await this.#services.webhookEndpoints.state(this.#acting.tenantId);
    return [...endpoints.values()].filter(({ direction }) => direction === 'out');
  }

  async #about(
    events: readonly ToldEvent[],
    receivers: readonly Aggregate.Endpoint[],
  ): Promise<readonly DeliveryView[]> {
    if (receivers.length === 0) return [];
    const { tenantId, environment } = this.#acting;
    const sent = events.filter(({ event }) => SENT_EVENTS.has(event.type)).slice(0, MAX_MESSAGES);
    const ids = sent.flatMap(({ id, recordedAt }) =>
      receivers.map(({ endpointId }) => deliveryIdOf(id, endpointId, recordedAt)),
    );
    const found = await this.#services.deliveries.ofIds(tenantId, ids);
    return found.filter(({ sandbox }) => environment === 'live' || sandbox).map(viewOf);
  }

  /** With body and tries. Refuses with `WebhookDeliveryUnknown`. */
  async delivery(endpointId: string, deliveryId: string): Promise<DeliveryDetail> {
    const found = await this.#delivery(endpointId, deliveryId);
    const body = await messageOf(this.#services.commands, found);
    const attemptLog = await this.#services.deliveries.attemptsOf(deliveryId);
    return { ...viewOf(found), body, attemptLog };
  }

  /** Sends one again, at once and with all its tries, under the same id. */
  async replay(endpointId: string, deliveryId: string): Promise<DeliveryView> {
    await this.#sendable(endpointId);
    await this.#delivery(endpointId, deliveryId);
    await this.#services.deliveries.replay(deliveryId, this.#services.clock.now());
    return viewOf(await this.#delivery(endpointId, deliveryId));
  }

  /**
   * As `replay`, of all that have ended, by default dead letters: at most 5,000, oldest first. `next` is
   * `since` of the call that goes on; null where nothing is left.
   */
  async replayRange(
    endpointId: string,
    { status = 'dead', ...range }: ReplayRange,
  ): Promise<{ readonly replayed: number; readonly next: string | null }> {
    await this.#sendable(endpointId);
    const { deliveries, clock } = this.#services;
    const page = { now: clock.now(), limit: MAX_REPLAYED };
    const times = await deliveries.replayAll(endpointId, { ...range, status }, page);
    const isAll = times.length < MAX_REPLAYED;
    return { replayed: times.length, next: isAll ? null : (times.toSorted().at(-1) ?? null) };
  }

  /** Sends a message of the type `webhook.test`, whatever the endpoint asks for; each id once. */
  async test(
    endpointId: string,
    { messageId = uuidV7() }: TestMessage = {},
  ): Promise<DeliveryView> {
    await this.#sendable(endpointId);
    const { deliveries, clock } = this.#services;
    const now = clock.now();
    const id = deliveryIdOf(messageId, endpointId);
    const { tenantId } = this.#acting;
    const added = { id, messageId, tenantId, endpointId, type: TEST_TYPE, subject: messageId };
    const data = JSON.stringify({ endpointId });
    const facts = { place: '', revision: null, data, sandbox: true, customerId: null };
    await deliveries.add([{ ...added, ...facts, createdAt: now }], now);
    return viewOf(await this.#delivery(endpointId, id));
  }

  async #endpoint(endpointId: string): Promise<Aggregate.Endpoint> {
    const endpoints = await this.#services.webhookEndpoints.state(this.#acting.tenantId);
    const found = endpoints.get(endpointId);
    // Nothing is sent to a source.
    if (found?.direction !== 'out') throw refused({ type: 'WebhookEndpointUnknown' });
    return found;
  }

  async #sendable(endpointId: string): Promise<void> {
    const { status } = await this.#endpoint(endpointId);
    if (status === 'disabled') throw refused({ type: 'WebhookEndpointDisabled' });
  }

  async #delivery(endpointId: string, deliveryId: string): Promise<Delivery> {
    await this.#endpoint(endpointId);
    const found = await this.#services.deliveries.get(endpointId, deliveryId);
    if (found === undefined) throw refused({ type: 'WebhookDeliveryUnknown' });
    return found;
  }
}

function viewOf(delivery: Delivery): DeliveryView {
  const { id, messageId, endpointId, type, status, attempts } = delivery;
  const { createdAt, changedAt, reason } = delivery;
  return {
    id,
    messageId,
    endpointId,
    type,
    status,
    attempts,
    nextAttemptAt: status === 'pending' ? delivery.dueAt : null,
    reason: reason === '' ? null : reason,
    createdAt,
    changedAt,
  };
}

export const WEBHOOK_INPUTS: CallInputs<TenantWebhooks> = {
  deliveries: [EndpointId, DeliveryList.optional()],
  delivery: [EndpointId, DeliveryId],
  ofPayment: [z.string()],
  ofStory: [ToldPayment],
  replay: [EndpointId, DeliveryId],
  replayRange: [EndpointId, ReplayRange],
  test: [EndpointId, TestMessage.optional()],
};

export const WEBHOOK_CALLS: RecordedCalls<TenantWebhooks> = {
  replay: ([, id]) => id,
  replayRange: named,
  test: named,
};
