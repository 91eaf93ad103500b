/** Made-up appends for the tests of one adapter. */
import type { AppendRequest, EncodedEvent, EventStore, StoredEvent } from '@counterfoil/core';
import { CommandId, streamName, TenantId } from '@counterfoil/core';

const TENANT = TenantId.parse(1);

/** A new command that appends `count` events of about 200 bytes, by default to a new stream. */
export function newAppend(count = 1, parts: Partial<AppendRequest> = {}): AppendRequest {
  return {
    stream: streamName('transaction', TENANT, crypto.randomUUID()),
    events: Array.from({ length: count }, (_, index) => ({
      id: crypto.randomUUID(),
      type: 'Captured',
      schemaVersion: 1,
      tenantId: TENANT,
      time: '2024-02-29T12:34:56.789Z',
      data: JSON.stringify({ index, note: 'paid in full '.repeat(10) }),
      metadata: '{"actor":"clerk@example.com"}',
    })),
    expected: { kind: 'any' },
    command: { id: CommandId.parse(crypto.randomUUID()), fingerprint: '0123456789abcdef' },
    ...parts,
  };
}

/** An append of one event with these fields. */
export function appendOf(fields: Partial<EncodedEvent>): AppendRequest {
  const request = newAppend();
  return { ...request, events: request.events.map((event) => ({ ...event, ...fields })) };
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map(({ id }) => id);
}

/** The ids of all events that were to be appended. */
export function idsOfAll(requests: readonly AppendRequest[]): string[] {
  return requests.flatMap(({ events }) => idsOf(events));
}

export async function wholeLog(store: EventStore): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ untilHead: true })) events.push(...batch);
  return events;
}
