/** The writer's thread: opens the log for writing, and commits each batch that it receives. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { releaseMemory } from '../release-memory.ts';
import { failureOf, LogFailure } from './failures.ts';
import { logFaultAtStart } from './faults.ts';
import { LogWriter } from './log-writer.ts';
import { makePrivate } from './make-private.ts';
import type { Part, WriterGreeting, WriterOptions } from './messages.ts';
import { END } from './messages.ts';
import { prepareLog } from './schema.ts';
import { lockForWriting } from './writer-lock.ts';

/** FULL: a commit returns when the disk has it. The checkpoint comes every 16 MiB of log. */
const SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA cache_size = -32000;
`;

/** After the start of what the store was opened for. */
const RELEASE_MS = 5_000;

interface OpenLog {
  readonly lock: DatabaseSync;
  readonly database: DatabaseSync;
  readonly writer: LogWriter;
}

function open(path: string): OpenLog {
  // First: SQLite opens a file on a read-only disk without an error and fails at the first write.
  accessSync(dirname(path), constants.W_OK);
  if (existsSync(path)) accessSync(path, constants.W_OK);
  const lock = lockForWriting(path);
  try {
    refuseDamage(path);
    makePrivate(path);
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    try {
      prepareLog(database, path);
      database.exec(SETTINGS);
      return { lock, database, writer: new LogWriter(database, path) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.close();
    throw error;
  }
}

function refuseDamage(path: string): void {
  const fault = logFaultAtStart(path);
  if (fault !== undefined) throw new LogFailure('corrupt', `${path}: the log is damaged: ${fault}`);
}

function serve(port: NonNullable<typeof parentPort>, options: WriterOptions): void {
  let log: OpenLog;
  try {
    log = open(options.path);
  } catch (error) {
    const { code = 'unavailable', message } = failureOf(error, options.path);
    port.postMessage({ failure: { code, message } } satisfies WriterGreeting);
    port.close();
    return;
  }
  port.on('message', (message: Part | typeof END) => {
    if (message !== END) {
      const { appends, isLast } = message;
      if (isLast) port.postMessage(log.writer.apply(appends));
      else log.writer.add(appends);
      return;
    }
    log.database.close();
    log.lock.close();
    port.close();
  });
  port.postMessage({ head: log.writer.head } satisfies WriterGreeting);
  // Not before the first append, nor for a store that is open for a moment.
  setTimeout(releaseMemory, RELEASE_MS).unref();
}

if (parentPort !== null) serve(parentPort, workerData as WriterOptions);
