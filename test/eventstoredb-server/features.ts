// What the protocol server says that it can do: clients choose their ways by it.
import { Message } from './wire.ts';

const STREAMS = 'event_store.client.streams.streams';

/** As sent by the real server: lower-case names, and the features of a method beyond its first version. */
const METHODS: readonly (readonly [service: string, method: string, ...features: string[]])[] = [
  [STREAMS, 'read', 'position', 'events'],
  [STREAMS, 'append'],
  [STREAMS, 'delete'],
  [STREAMS, 'tombstone'],
  [STREAMS, 'batchappend', 'deadline_duration'],
  ['event_store.client.gossip.gossip', 'read'],
  ['event_store.client.server_features.serverfeatures', 'getsupportedmethods'],
];

export function supportedMethods(version: string): Buffer {
  const supported = new Message();
  for (const [service, method, ...features] of METHODS) {
    const entry = new Message().text(1, method).text(2, service);
    for (const feature of features) entry.text(3, feature);
    supported.message(1, entry);
  }
  return supported.text(2, version).encode();
}
