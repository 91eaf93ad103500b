// What the handlers of a node's calls know of their node.
import type { StatusObject } from '@grpc/grpc-js';
import type { Faults, Operation } from './faults.ts';
import type { Log } from './log.ts';
import type { SubscriptionOptions } from './subscriptions.ts';

export interface CallContext {
  readonly log: Log;
  readonly faults: Faults;
  readonly maxAppendSize: number;
  readonly subscriptions: SubscriptionOptions;
  count(operation: Operation): void;
  /** Why this node does not take a call with such headers. */
  refusalFor(metadata: { get(key: string): readonly unknown[] }): StatusObject | undefined;
  dropConnection(peer: string): void;
  /** Ends the node, as its process would be ended. */
  die(): void;
}
