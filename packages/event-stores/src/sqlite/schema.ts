/** The tables of the log, and how its file is recognised. */
import type { DatabaseSync } from 'node:sqlite';
import { LogFailure } from './failures.ts';

/** `CFOL` in the header of the file (https://sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x43464f4c;
export const SCHEMA_VERSION = 1;

/**
 * Streams have small integer ids, so that the indices of a new stream grow at their right edge
 * whatever the streams are called. A command is found by the last event of its append, so that
 * an append adds one entry to that index, next to those of its stream. Positions are given by the
 * one writer, without holes, and nothing is ever deleted.
 */
const TABLES = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES streams (id),
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    tenant_id INTEGER NOT NULL,
    time TEXT NOT NULL,
    command_id TEXT NOT NULL,
    command_fingerprint TEXT NOT NULL,
    ends_command INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_of_stream ON events (stream_id, revision);
  CREATE UNIQUE INDEX commands_of_stream ON events (stream_id, command_id) WHERE ends_command = 1;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Makes the tables in an empty file; refuses a file that is not a log, before anything is changed. */
export function prepareLog(database: DatabaseSync, path: string): void {
  const isNew = isEmpty(database);
  if (!isNew) checkLog(database, path);
  database.exec('PRAGMA journal_mode = WAL');
  if (isNew) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
}

/** Whether it is a log of this schema version. */
export function isLog(database: DatabaseSync): boolean {
  return (
    pragma(database, 'application_id') === APPLICATION_ID &&
    pragma(database, 'user_version') === SCHEMA_VERSION
  );
}

/** Refuses a file that is not a log of this project, or that a newer build has written. */
export function checkLog(database: DatabaseSync, path: string): void {
  const application = pragma(database, 'application_id');
  if (application !== APPLICATION_ID) {
    throw new LogFailure('corrupt', `${path}: a database, but not an event log of Counterfoil`);
  }
  const version = pragma(database, 'user_version');
  if (version > SCHEMA_VERSION) {
    throw new LogFailure(
      'corrupt',
      `${path}: schema version ${version}, but this build knows up to ${SCHEMA_VERSION}: use a newer build`,
    );
  }
  if (version < SCHEMA_VERSION) {
    throw new LogFailure('corrupt', `${path}: schema version ${version} was never released`);
  }
}

function isEmpty(database: DatabaseSync): boolean {
  const objects = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'];
  return objects === 0 && pragma(database, 'application_id') === 0;
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}
