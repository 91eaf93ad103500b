/** The face of the package: each event store also has a subpath of its own, without the others' drivers. */
export { openSqliteEventStore, type SqliteEventStoreOptions } from './sqlite.ts';
