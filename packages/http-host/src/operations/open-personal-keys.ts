/** Opens the customers' keys at a start, and refuses to begin anew beside a log that was sealed with others. */
import { existsSync, statSync } from 'node:fs';
import { type EventStore, isSealedEvent, type Position } from '@counterfoil/core';
import { type Config, ConfigError, findMasterKey } from '../config.ts';
import { openSound, StorageError } from '../damaged-files.ts';
import { type HostDatabase, openHostDatabase } from '../host-database.ts';
import { dataFilesOf, hostDatabaseUrlOf, isFile, type Located } from '../stores.ts';
import { deriveKey } from './credential-vault.ts';
import type { CustomerKeys, CustomerVault } from './customer-keys.ts';
import { KEY_TABLE } from './personal-key-rows.ts';
import { PersonalKeyTable } from './personal-key-table.ts';
import { PersonalKeys, type PersonalKeysOptions } from './personal-keys.ts';

const IN_MEMORY = ':memory:';
const SCAN_BATCH = 5_000;

/** Beside the host's own connections: keys are asked for by the batch, one batch after the other. */
const READING_CONNECTIONS = 2;

export const KEYS_ADVICE =
  'Restore keys.db from a backup made with or after that of events.db. Without the keys nobody can read who paid: do not start with new ones';

const TABLE_ADVICE = `Restore the table ${KEY_TABLE} from a backup made with or after that of the log, or copy into it what keys.db has. Without the keys nobody can read who paid: do not start with new ones`;

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
  if (isNew) await refuseSealedLog(ofLog, () => true);
  const keys = openSound(
    path,
    (file) => new PersonalKeys({ path: file, wrappingKey }),
    KEYS_ADVICE,
  );
  return kept(keys, ofLog);
}

/** The keys, if they are of this log. */
async function kept<Keys extends CustomerKeys>(keys: Keys, ofLog: OfLog): Promise<Keys> {
  try {
    await refuseAnotherLog(keys, ofLog);
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

/** In the thread itself: it has connections of its own. */
export async function openKeysInThread(options: KeysOfThread): Promise<CustomerVault> {
  return 'url' in options ? openTable(options) : new PersonalKeys(options);
}

/** For whoever reads the log beside the host or without one; undefined where there are no keys. */
export async function openKeysToRead(config: Config): Promise<CustomerVault | undefined> {
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
 * A log of an earlier version has its persons in the open, and may be given its first keys. So may one
 * that another host has just begun to seal: then there are keys by now.
 */
async function refuseSealedLog(
  { place, events, advice }: OfLog,
  hasNoKeys: () => boolean | Promise<boolean>,
): Promise<void> {
  const position = await firstSealedIn(events);
  if (position === undefined || !(await hasNoKeys())) return;
  throw new StorageError(
    `${place} has no keys, and the log tells of persons that were sealed with some (at position ${position}). ${advice}`,
  );
}

async function firstSealedIn(events: EventStore): Promise<Position | undefined> {
  for await (const batch of events.subscribe({ batchSize: SCAN_BATCH, untilHead: true })) {
    const sealed = batch.find(isSealedEvent);
    if (sealed !== undefined) return sealed.position;
  }
  return undefined;
}

async function refuseAnotherLog(keys: CustomerKeys, ofLog: OfLog): Promise<void> {
  const { place, events } = ofLog;
  let firstEvent = await keys.firstEvent();
  const first = await firstEventOf(events);
  if (await keys.isEmpty()) await refuseSealedLog(ofLog, () => keys.isEmpty());
  if (firstEvent === undefined) {
    if (first === undefined) return;
    await keys.belongTo(first);
    // Of two hosts that say it at once, the first one is right.
    firstEvent = await keys.firstEvent();
  }
  if (firstEvent !== first) throw new StorageError(`${place}: ${ANOTHER}`);
}

/** Its id, which no other log has. */
export async function firstEventOf(events: EventStore): Promise<string | undefined> {
  for await (const [first] of events.subscribe({ batchSize: 1, untilHead: true })) {
    return first?.id;
  }
  return undefined;
}
