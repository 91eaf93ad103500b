/** Which files of a data folder a backup holds, and where they belong. */
import { join } from 'node:path';
import { testClockFileIn } from '../runtime/clock.ts';
import { masterKeyCheckIn, secretsFileIn } from '../settings.ts';
import { type DataFiles, dataFilesOf, isInMemory, type Located } from '../storage/stores.ts';

/** A backup cannot be made or restored; the message says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const LOG = 'events.db';
export const LOG_MARK = 'log.check';
export const MASTER_KEY_FILE = 'secrets.json';

/** They have read the log, or repeat what was answered about it: never ahead of it. */
const READ_BEFORE_THE_LOG = {
  'activity.db': 'activity',
  'idempotency.db': 'answers',
  'reactors.db': 'checkpoints',
  'mails.db': 'mails',
  'webhooks.db': 'webhooks',
} as const;

/** The log needs them: never behind it. */
const READ_AFTER_THE_LOG = {
  'keys.db': 'keys',
  'sandbox-gateway.db': 'gateway',
  'users.db': 'users',
  'evidence.db': 'evidence',
} as const;

const DATABASES = { ...READ_BEFORE_THE_LOG, [LOG]: 'events', ...READ_AFTER_THE_LOG } as const;

type DatabaseName = keyof typeof DATABASES;

/** In the order in which they are read. */
export const DATABASE_NAMES = Object.keys(DATABASES) as readonly DatabaseName[];

const MARKS = ['master-key.check', 'test-clock.json'] as const;

/** Every name that a backup may have. Read models are made again from the log. */
export const BACKUP_NAMES = [LOG_MARK, ...MARKS, MASTER_KEY_FILE, ...DATABASE_NAMES] as const;

export type BackupName = (typeof BACKUP_NAMES)[number];

export interface BackupPlaces {
  readonly files: DataFiles;
  /** Where the file of a name is, or belongs. */
  pathOf(name: BackupName): string;
}

/** Throws a BackupError for a ledger that is not kept in files. */
export function backupPlacesOf(located: Located): BackupPlaces {
  const { dataDir } = located;
  const files = dataFilesOf(located);
  if (isInMemory(located)) throw new BackupError('the log is in memory: there are no files');
  if (files === undefined) {
    throw new BackupError(
      'the log or the read models are on a server: use its own tools, such as pg_dump; docs/operations.md, Backup, says in which order',
    );
  }
  const marks: Readonly<Record<string, string>> = {
    [LOG_MARK]: files.logMark,
    'master-key.check': masterKeyCheckIn(dataDir),
    'test-clock.json': testClockFileIn(dataDir),
    [MASTER_KEY_FILE]: secretsFileIn(dataDir),
  };
  const pathOf = (name: BackupName) =>
    isDatabase(name) ? files[DATABASES[name]] : (marks[name] ?? join(dataDir, name));
  return { files, pathOf };
}

export function isDatabase(name: BackupName): name is DatabaseName {
  return Object.hasOwn(DATABASES, name);
}

export const COPIED_MARKS: readonly BackupName[] = MARKS;
