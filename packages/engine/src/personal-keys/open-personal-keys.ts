/** Opens the customers' keys at a start; refuses missing keys for a sealed log. */
import { existsSync, statSync } from 'node:fs';
import type { EventStore } from '@counterfoil/core';
import { deriveKey } from '../derive-key.ts';
import { ConfigError, findMasterKey, type Settings } from '../settings.ts';
import { openSound, StorageError } from '../storage/damaged-files.ts';
import { type HostDatabase, openHostDatabase } from '../storage/open-host-database.ts';
import { dataFilesOf, hostDatabaseUrlOf, isFile, type Located } from '../storage/stores.ts';
import type { CustomerKeys, CustomerVault } from './customer-keys.ts';
import { KEY_TABLE } from './key-rows.ts';
import { compareKeys, firstEventOf, NO_KEYS, tieToLog } from './keys-and-log.ts';
import { PersonalKeyTable } from './personal-key-table.ts';
import { PersonalKeys, type PersonalKeysOptions } from './personal-keys.ts';

const IN_MEMORY = ':memory:';

/** Beside the host's own connections: keys are asked for by the batch, one batch after the other. */
const READING_CONNECTIONS = 2;

const LOST_FOR_GOOD =
  'Without the keys the personal data of payments cannot be read: do not start with new ones. Where they are lost for good: `counterfoil customers erase-unreadable` (docs/operations.md, Lost keys)';

export const KEYS_ADVICE = `Put back the keys.db that belongs to this log, with its keys.db-wal, or restore it from a backup made with or after that of events.db. ${LOST_FOR_GOOD}`;

const TABLE_ADVICE = `Restore the tables ${KEY_TABLE} and ${KEY_TABLE}_of_log from a backup made with or after that of the log, or copy into them what keys.db has. ${LOST_FOR_GOOD}`;

const ANOTHER =
  'these keys are of another log: its first event is not the same. Put back the keys that belong to the log';

interface Opening {
  readonly located: Located;
  readonly masterKey: Buffer;
  readonly events: EventStore;
  /** That of the hosts, where it is open already. */
  readonly database?: HostDatabase | undefined;
}

/** What keys are wrapped with. */
export function wrappingKeyOf(masterKey: Buffer): Buffer {
  return deriveKey(masterKey, 'customer keys');
}

/** In the database of the hosts where they have one, in memory where the log is, and else in a file. */
export async function openPersonalKeys({
  located,
  masterKey,
  events,
  database,
}: Opening): Promise<CustomerVault> {
  const wrappingKey = wrappingKeyOf(masterKey);
  const url = hostDatabaseUrlOf(located);
  if (url !== undefined) {
    const keys = await openTable({ url, wrappingKey }, database);
    const place = database === undefined ? KEY_TABLE : `${KEY_TABLE} in ${database.place}`;
    return kept(keys, { place, events, advice: TABLE_ADVICE });
  }
  const path = dataFilesOf(located)?.keys ?? IN_MEMORY;
  if (path === IN_MEMORY) return new PersonalKeys({ path, wrappingKey });
  const ofLog = { place: path, events, advice: KEYS_ADVICE };
  const isNew = !existsSync(path) || statSync(path).size === 0;
  if (isNew) {
    const { loss } = await compareKeys(NO_KEYS, events);
    if (loss !== undefined) throw new StorageError(`${path} ${loss}. ${KEYS_ADVICE}`);
  }
  const keys = openSound(
    path,
    (file) => new PersonalKeys({ path: file, wrappingKey }),
    KEYS_ADVICE,
  );
  return kept(keys, ofLog);
}

/** For the erasure of lost keys: opens incomplete keys, or creates new ones. */
export async function openKeysAsTheyAre(
  located: Located,
  masterKey: Buffer,
): Promise<CustomerVault> {
  const wrappingKey = wrappingKeyOf(masterKey);
  const url = hostDatabaseUrlOf(located);
  if (url !== undefined) return openTable({ url, wrappingKey });
  const path = dataFilesOf(located)?.keys ?? IN_MEMORY;
  return openSound(path, (file) => new PersonalKeys({ path: file, wrappingKey }), KEYS_ADVICE);
}

/** The keys, if they are of this log. */
async function kept<Keys extends CustomerKeys>(keys: Keys, ofLog: OfLog): Promise<Keys> {
  try {
    await refuseOtherKeys(keys, ofLog);
    return keys;
  } catch (error) {
    await keys.close();
    throw error;
  }
}

/** What it takes to open the table from anywhere, a thread for one. */
interface TableOptions {
  readonly url: string;
  readonly wrappingKey: Uint8Array;
  readonly readOnly?: boolean;
}

export type KeysOfThread = PersonalKeysOptions | TableOptions;

async function openTable(
  { url, ...options }: TableOptions,
  open?: HostDatabase,
): Promise<PersonalKeyTable> {
  if (open !== undefined) return new PersonalKeyTable({ pool: open.pool, ...options });
  const { pool, close } = await openHostDatabase(url, { connections: READING_CONNECTIONS });
  return new PersonalKeyTable({ pool, ...options, onClose: close });
}

/** For a thread that reads what the hosts write; undefined where the log is in memory. */
export function keysOfThread(located: Located, masterKey: Buffer): KeysOfThread | undefined {
  const wrappingKey = wrappingKeyOf(masterKey);
  const url = hostDatabaseUrlOf(located);
  if (url !== undefined) return { url, wrappingKey, readOnly: true };
  const path = dataFilesOf(located)?.keys;
  return path === undefined ? undefined : { path, wrappingKey, readOnly: true };
}

/** For a worker beside hosts: it would park whatever lacks its key. */
export async function refuseLostKeys({
  masterKey,
  events,
  database,
}: Pick<Opening, 'masterKey' | 'events'> & { readonly database: HostDatabase }): Promise<void> {
  const { pool, place } = database;
  const wrappingKey = wrappingKeyOf(masterKey);
  const keys = new PersonalKeyTable({ pool, wrappingKey, readOnly: true });
  const { loss } = await compareKeys(keys, events);
  if (loss !== undefined) {
    throw new StorageError(`${KEY_TABLE} in ${place} ${loss}. ${TABLE_ADVICE}`);
  }
}

/** In the thread itself: it has connections of its own. */
export async function openKeysInThread(options: KeysOfThread): Promise<CustomerVault> {
  return 'url' in options ? openTable(options) : new PersonalKeys(options);
}

/** For readers of the log beside the host or without one; undefined when there are no keys. */
export async function openKeysToRead(config: Settings): Promise<CustomerVault | undefined> {
  const url = hostDatabaseUrlOf(config);
  const path = dataFilesOf(config)?.keys;
  if (url === undefined && (path === undefined || !isFile(path))) return undefined;
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) {
    throw new ConfigError([`MASTER_KEY must be set: it opens ${path ?? KEY_TABLE}`]);
  }
  const options = keysOfThread(config, masterKey);
  return options && openKeysInThread(options);
}

interface OfLog {
  /** Where the keys stand, for people. */
  readonly place: string;
  readonly events: EventStore;
  readonly advice: string;
}

/**
 * Refuses keys of another log, and those that lack some that the log was sealed with: new ones must
 * never be made in their place. A log of an earlier version has its persons in the open, and may be
 * given its first keys.
 */
async function refuseOtherKeys(keys: CustomerKeys, { place, events, advice }: OfLog) {
  const tied = await keys.firstEvent();
  if (tied !== undefined && tied !== (await firstEventOf(events))) {
    throw new StorageError(`${place}: ${ANOTHER}`);
  }
  const { loss, mark } = await compareKeys(keys, events);
  if (loss !== undefined) throw new StorageError(`${place} ${loss}. ${advice}`);
  if (!(await tieToLog(keys, events))) throw new StorageError(`${place}: ${ANOTHER}`);
  if (mark !== undefined) await keys.setMark(mark);
}
