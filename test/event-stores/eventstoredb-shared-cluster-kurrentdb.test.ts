/** The EventStoreDB adapter beside others in one cluster, with `@kurrent/kurrentdb-client`. */
import { describeSharedCluster } from './support/eventstoredb-shared-cluster.ts';

describeSharedCluster('kurrentdb');
