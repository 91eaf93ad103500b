/** A process that opens a log on a cluster, uses it, closes it, and has to end by itself then. */
import { writeSync } from 'node:fs';
import { type ClientKind, openEventStoreDb } from '@counterfoil/event-stores/eventstoredb';
import { newAppend } from './appends.ts';

const STDOUT = 1;
const SUBSCRIPTIONS = 60;

const [url = '', client = 'eventstore', batches = 'false'] = process.argv.slice(2);
const store = await openEventStoreDb({
  url,
  client: client as ClientKind,
  batchAppends: batches === 'true',
});
const delivered = Array.from({ length: SUBSCRIPTIONS }, () => {
  const subscription = store.subscribe()[Symbol.asyncIterator]();
  const first = subscription.next();
  // Waits for more when the store is closed.
  return first.then(() => void subscription.next());
});
await store.append(newAppend());
await store.read(newAppend().stream);
await Promise.all(delivered);
await store.close();
writeSync(STDOUT, 'closed\n');
