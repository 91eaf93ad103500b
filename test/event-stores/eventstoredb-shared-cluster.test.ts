/** The EventStoreDB adapter beside others in one cluster, with `@eventstore/db-client`. */
import { describeSharedCluster } from './support/eventstoredb-shared-cluster.ts';

describeSharedCluster('eventstore');
