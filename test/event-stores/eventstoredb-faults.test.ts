/** The EventStoreDB adapter on a server that fails, with `@eventstore/db-client`. */
import { describeAppendFaults } from './support/eventstoredb-append-faults.ts';
import { describeFollowFaults } from './support/eventstoredb-follow-faults.ts';

describeAppendFaults('eventstore');
describeFollowFaults('eventstore');
