/** The EventStoreDB adapter passes the contract with `@eventstore/db-client`. */
import { contractsWith } from './support/eventstoredb.ts';

contractsWith('eventstore');
