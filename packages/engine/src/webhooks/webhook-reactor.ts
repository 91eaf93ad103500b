/** Follows the log and adds deliveries to the endpoints that ask for an event. */
import {
  type WebhookEndpoints as Aggregate,
  DamagedEvent,
  type Position,
  type StoredEvent,
  type TenantId,
} from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import { deterministicUuid } from '../ids.ts';
import { type Following, followLog } from '../runtime/log-follower.ts';
import { type AddedDelivery, type DeliveryStore, WEBHOOK_READER } from './delivery-store.ts';
import { aboutOf, type MessageType, messageTypeOf, SENT_EVENTS } from './messages.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';

export interface WebhookReactorOptions extends Omit<Following, 'checkpoints'> {
  readonly commands: CommandRunner;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly deliveries: DeliveryStore;
  /** The head of the log when the host started: events before the first start are not sent. */
  readonly headAtStart: Position | undefined;
}

/** Follows the log until `signal` fires. Idempotent: an event has one delivery to each endpoint. */
export function followForWebhooks(options: WebhookReactorOptions): Promise<void> {
  const { commands, webhookEndpoints, deliveries, headAtStart, ...following } = options;
  return followLog({
    ...following,
    name: WEBHOOK_READER,
    checkpoints: deliveries.places,
    types: SENT_EVENTS,
    firstAfter: headAtStart,
    async react(batch) {
      const states = new Map<TenantId, Aggregate.State>();
      for (const { tenantId } of batch) {
        if (states.has(tenantId)) continue;
        states.set(tenantId, await webhookEndpoints.state(tenantId));
      }
      const added: AddedDelivery[] = [];
      for (const stored of batch) {
        added.push(...(await deliveriesOf(options, stored, states.get(stored.tenantId))));
      }
      if (added.length > 0) await deliveries.add(added, commands.clock.now());
    },
  });
}

/** None for an event that cannot be read: it must not block the others. */
async function deliveriesOf(
  { commands, logger }: WebhookReactorOptions,
  stored: StoredEvent,
  endpoints: Aggregate.State | undefined,
): Promise<readonly AddedDelivery[]> {
  const type = messageTypeOf(stored.type);
  if (type === undefined || endpoints === undefined) return [];
  const asking = [...endpoints.values()].filter((each) => asksFor(each, type, stored.time));
  if (asking.length === 0) return [];
  try {
    const about = await aboutOf(commands, stored);
    if (about === undefined) return [];
    const { sandbox, customerId } = about;
    const { id: messageId, tenantId, stream, revision, position, time: createdAt } = stored;
    return asking
      .filter(({ environment }) => (environment === 'test') === sandbox)
      .map(({ endpointId, ordered }) => ({
        id: deliveryIdOf(messageId, endpointId, createdAt),
        ...{ messageId, tenantId, endpointId, type, subject: stream, place: position, revision },
        ...{ data: null, sandbox, customerId, createdAt, ordered },
      }));
  } catch (error) {
    if (!(error instanceof DamagedEvent)) throw error;
    const { stream, id } = stored;
    logger.error({ err: error, stream, event: id }, 'the event of a webhook cannot be read');
    return [];
  }
}

/** The same for a message and an endpoint, however often the log is read; `at` is the time of its event. */
export function deliveryIdOf(messageId: string, endpointId: string, at?: string): string {
  return deterministicUuid([messageId, endpointId], at === undefined ? undefined : Date.parse(at));
}

/** Nothing is kept for an endpoint that was disabled, and nothing from before it was there is sent. */
export function asksFor(
  { direction, status, eventTypes, createdAt }: Aggregate.Endpoint,
  type: MessageType,
  at: string,
): boolean {
  if (direction !== 'out' || status === 'disabled' || at < createdAt) return false;
  return eventTypes.includes('*') || eventTypes.includes(type);
}
