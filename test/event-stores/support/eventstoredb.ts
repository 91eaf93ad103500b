/** What the tests of the EventStoreDB adapter share: both clients, and logs of their own in one cluster. */
import type { EventStore } from '@counterfoil/core';
import {
  type ClientKind,
  type EventStoreDbOptions,
  openEventStoreDb,
} from '@counterfoil/event-stores/eventstoredb';

export const CLIENTS: readonly ClientKind[] = ['eventstore', 'kurrentdb'];

/** A prefix that no other log has. */
export function newPrefix(): string {
  return `test_${crypto.randomUUID().replaceAll('-', '')}.`;
}

const opened: EventStore[] = [];

/** Opens a log that `closeStores` closes. */
export async function open(options: EventStoreDbOptions): Promise<EventStore> {
  const store = await openEventStoreDb({ prefix: newPrefix(), ...options });
  opened.push(store);
  return store;
}

export async function closeStores(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
}
