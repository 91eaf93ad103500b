/** The EventStoreDB adapter passes the contract with `@kurrent/kurrentdb-client`: a process has room for one client. */
import { contractsWith } from './support/eventstoredb.ts';

contractsWith('kurrentdb');
