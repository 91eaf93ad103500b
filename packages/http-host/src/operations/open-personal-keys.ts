/** Opens the customers' keys at a start, and refuses to begin anew beside a log that was sealed with others. */
import { existsSync, statSync } from 'node:fs';
import { type EventStore, isSealedEvent } from '@counterfoil/core';
import { type Config, ConfigError, findMasterKey } from '../config.ts';
import { openSound, StorageError } from '../damaged-files.ts';
import { dataFilesOf, isFile, type Located } from '../stores.ts';
import { deriveKey } from './credential-vault.ts';
import { PersonalKeys, type PersonalKeysOptions } from './personal-keys.ts';

const IN_MEMORY = ':memory:';
const SCAN_BATCH = 5_000;

export const KEYS_ADVICE =
  'Restore keys.db from a backup made with or after that of events.db. Without the keys nobody can read who paid: do not start with new ones';

const ANOTHER =
  'these keys are of another log: its first event is not the same. Put back the keys.db that belongs to events.db';

interface Opening {
  readonly located: Located;
  readonly masterKey: Buffer;
  readonly events: EventStore;
}

/** What keys are wrapped with. */
export function wrappingKeyOf(masterKey: Buffer): Buffer {
  return deriveKey(masterKey, 'customer keys');
}

/** Makes the file at the first start; in memory where the log is. */
export async function openPersonalKeys({
  located,
  masterKey,
  events,
}: Opening): Promise<PersonalKeys> {
  const path = dataFilesOf(located)?.keys ?? IN_MEMORY;
  const wrappingKey = wrappingKeyOf(masterKey);
  if (path === IN_MEMORY) return new PersonalKeys({ path, wrappingKey });
  const isNew = !existsSync(path) || statSync(path).size === 0;
  if (isNew) await refuseSealedLog(path, events);
  const keys = openSound(
    path,
    (file) => new PersonalKeys({ path: file, wrappingKey }),
    KEYS_ADVICE,
  );
  try {
    await refuseAnotherLog(keys, { path, events });
    return keys;
  } catch (error) {
    keys.close();
    throw error;
  }
}

/** For a thread that reads what the host writes; undefined where the log is in memory. */
export function keysOfThread(located: Located, masterKey: Buffer): PersonalKeysOptions | undefined {
  const path = dataFilesOf(located)?.keys;
  if (path === undefined) return undefined;
  return { path, wrappingKey: wrappingKeyOf(masterKey), readOnly: true };
}

/** For whoever reads the log beside the host or without one; undefined where there are no keys. */
export function openKeysToRead(config: Config): PersonalKeys | undefined {
  const path = dataFilesOf(config)?.keys;
  if (path === undefined || !isFile(path)) return undefined;
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) throw new ConfigError([`MASTER_KEY must be set: it opens ${path}`]);
  return new PersonalKeys({ path, wrappingKey: wrappingKeyOf(masterKey), readOnly: true });
}

/** A log of an earlier version has its persons in the open, and may be given its first keys. */
async function refuseSealedLog(path: string, events: EventStore): Promise<void> {
  for await (const batch of events.subscribe({ batchSize: SCAN_BATCH, untilHead: true })) {
    const sealed = batch.find(isSealedEvent);
    if (sealed === undefined) continue;
    throw new StorageError(
      `${path} has no keys, and the log tells of persons that were sealed with some (at position ${sealed.position}). ${KEYS_ADVICE}`,
    );
  }
}

interface OfLog {
  readonly path: string;
  readonly events: EventStore;
}

async function refuseAnotherLog(keys: PersonalKeys, { path, events }: OfLog): Promise<void> {
  const first = await firstEventOf(events);
  const { firstEvent } = keys;
  if (firstEvent === undefined) {
    if (keys.isEmpty) await refuseSealedLog(path, events);
    if (first !== undefined) keys.belongTo(first);
  } else if (firstEvent !== first) {
    throw new StorageError(`${path}: ${ANOTHER}`);
  }
}

/** Its id, which no other log has. */
export async function firstEventOf(events: EventStore): Promise<string | undefined> {
  for await (const [first] of events.subscribe({ batchSize: 1, untilHead: true })) {
    return first?.id;
  }
  return undefined;
}
