/** A log on EventStoreDB that cannot be opened, with the client kurrentdb. */
import { describeOpening } from './support/eventstoredb-opening.ts';

describeOpening('kurrentdb');
