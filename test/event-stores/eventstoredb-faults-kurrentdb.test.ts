/** The EventStoreDB adapter on a server that fails, with `@kurrent/kurrentdb-client`. */
import { describeAppendFaults } from './support/eventstoredb-append-faults.ts';
import { describeFollowFaults } from './support/eventstoredb-follow-faults.ts';

describeAppendFaults('kurrentdb');
describeFollowFaults('kurrentdb');
