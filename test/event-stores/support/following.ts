/** Follows a log beside a test. */
import type { EventStore, StoredEvent, SubscribeOptions } from '@counterfoil/core';
import { onTestFinished } from 'vitest';

/** The events of a subscription as they come, until its store is closed or the test ends. */
export function follow(store: EventStore, options: SubscribeOptions = {}): readonly StoredEvent[] {
  const seen: StoredEvent[] = [];
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  void (async () => {
    const { signal } = controller;
    for await (const batch of store.subscribe({ ...options, signal })) seen.push(...batch);
  })();
  return seen;
}
