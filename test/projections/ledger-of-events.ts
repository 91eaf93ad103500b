/** Logs for tests: events appended to a memory store, and read models made of them. */
import { randomUUID } from 'node:crypto';
import {
  type AnyVault,
  type CommandId,
  createMemoryEventStore,
  type Event,
  type EventStore,
  encodeEvent,
  type Position,
  type StreamName,
  sealerOf,
  streamName,
  type TenantId,
} from '@counterfoil/core';
import {
  createMemoryReadModelStore,
  DetailView,
  EntryView,
  LedgerView,
  PROJECTIONS,
  type Projection,
  type ProjectionMessage,
  type ReadModelStore,
  ReferenceView,
  runProjections,
  SearchView,
  SubscriptionView,
} from '@counterfoil/projections';

export const NOW = '2026-01-01T00:00:00.000Z';
export const TENANT = 1 as TenantId;

export function tenant(id: number): TenantId {
  return id as TenantId;
}

/** Appends events to a stream one by one; answers the position of the last. */
export async function append(
  events: EventStore,
  {
    stream,
    tenantId = TENANT,
    vault,
  }: { stream: StreamName; tenantId?: TenantId; vault?: AnyVault },
  story: readonly Event[],
): Promise<Position> {
  let position = '' as Position;
  for (const event of story) {
    const sealer = await sealerOf(vault, { tenantId, events: [event] });
    const encoded = encodeEvent(event, sealer && { tenantId, vault: sealer });
    position = await appendEncoded(events, { stream, tenantId }, encoded);
  }
  return position;
}

/** Appends what the catalog may not know. */
export async function appendEncoded(
  events: EventStore,
  { stream, tenantId }: { stream: StreamName; tenantId: TenantId },
  encoded: { type: string; schemaVersion: number; data: string },
): Promise<Position> {
  const id = randomUUID() as CommandId;
  const result = await events.append({
    stream,
    events: [
      {
        id: randomUUID(),
        ...encoded,
        tenantId,
        time: NOW,
        metadata: '{"actor":"a@b.test"}',
      },
    ],
    expected: { kind: 'any' },
    command: { id, fingerprint: 'f' },
  });
  if (result.outcome !== 'appended') throw new Error(result.outcome);
  return result.position;
}

export function paymentStream(id: string, tenantId: TenantId = TENANT): StreamName {
  return streamName('transaction', tenantId, id);
}

export interface World {
  readonly events: EventStore;
  readonly store: ReadModelStore;
  readonly messages: ProjectionMessage[];
  /** Applies what is in the log now. */
  catchUp(options?: {
    projections?: readonly Projection[];
    maxBatchEvents?: number;
  }): Promise<void>;
  readonly reference: ReferenceView;
  readonly search: SearchView;
  readonly detail: DetailView;
  readonly ledger: LedgerView;
  readonly journal: EntryView;
  readonly subscriptions: SubscriptionView;
}

export function world(
  store: ReadModelStore = createMemoryReadModelStore(),
  vault?: AnyVault,
): World {
  const events = createMemoryEventStore();
  const messages: ProjectionMessage[] = [];
  const reference = new ReferenceView(store);
  return {
    events,
    store,
    messages,
    reference,
    search: new SearchView(store, reference),
    detail: new DetailView(store, reference),
    ledger: new LedgerView(store),
    journal: new EntryView(store),
    subscriptions: new SubscriptionView(store),
    async catchUp({ projections = PROJECTIONS, maxBatchEvents = 1_000 } = {}) {
      await runProjections({
        events,
        store,
        projections,
        vault,
        holder: 'test',
        now: () => Date.parse(NOW),
        untilHead: true,
        maxBatchEvents,
        notify: (message) => messages.push(message),
      });
    },
  };
}

/** What a subscription went through comes into the log, and the read models have taken it in. */
export async function happenedTo(
  { events, catchUp }: Pick<World, 'events' | 'catchUp'>,
  { subscriptionId, tenantId }: { readonly subscriptionId: number; readonly tenantId: TenantId },
  story: readonly Event[],
): Promise<void> {
  const stream = streamName('subscription', tenantId, subscriptionId);
  await append(events, { stream, tenantId }, story);
  await catchUp();
}
