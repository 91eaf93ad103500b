/** The EventStoreDB adapter beside a model while the server fails at random, with `@kurrent/kurrentdb-client`. */
import { describeModel } from './support/eventstoredb-model.ts';

describeModel('kurrentdb');
