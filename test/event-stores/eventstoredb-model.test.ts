/** The EventStoreDB adapter beside a model while the server fails at random, with `@eventstore/db-client`. */
import { describeModel } from './support/eventstoredb-model.ts';

describeModel('eventstore');
