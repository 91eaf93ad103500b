/** A log on EventStoreDB that cannot be opened, with the client eventstore. */
import { describeOpening } from './support/eventstoredb-opening.ts';

describeOpening('eventstore');
