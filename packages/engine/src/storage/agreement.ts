/** What hosts on one database must agree on: the first one says it, and each later start is held to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, EventStoreError, type Position } from '@counterfoil/core';
import { PROJECTIONS, type ReadModelStore } from '@counterfoil/projections';
import { firstEventOf } from '../personal-keys/keys-and-log.ts';
import { ConfigError, markOfMasterKey } from '../settings.ts';
import { type HostDatabase, setMarkOnce } from './host-database.ts';

/** The log's servers may be behind each other for a moment. */
const LOOKS = 10;
const LOOK_PAUSE_MS = 500;

/** Data made under one key is not readable under another. Throws a ConfigError for another. */
export async function agreeOnMasterKey(database: HostDatabase, masterKey: Buffer): Promise<void> {
  const mark = markOfMasterKey(masterKey);
  if ((await setMarkOnce(database.pool, 'master-key', mark)) === mark) return;
  throw new ConfigError([
    `MASTER_KEY (or secrets.json) is not the key that the data in ${database.place} was made with: all hosts need the same`,
  ]);
}

interface SharedStores {
  readonly database: HostDatabase;
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
}

/**
 * Refuses to go on with another log than the database was filled from, and with one that ends before
 * what was made from it: what was acknowledged would be denied.
 */
export async function agreeOnLog({ database, events, readModels }: SharedStores): Promise<void> {
  const first = await firstEventOf(events);
  if (first !== undefined) {
    const kept = await setMarkOnce(database.pool, 'first-event', first);
    if (kept !== first) throw otherLog(database);
  }
  const reached = await furthest(readModels);
  if (reached === undefined) return;
  for (let look = 1; ; look += 1) {
    const head = await events.head();
    if (head !== undefined && reached <= head) return;
    if (look === LOOKS) throw lostEvents(database, { reached, head });
    await sleep(LOOK_PAUSE_MS);
  }
}

async function furthest(readModels: ReadModelStore): Promise<Position | undefined> {
  let furthest: Position | undefined;
  for (const { name } of PROJECTIONS) {
    const reached = await (await readModels.live(name))?.checkpoint();
    if (reached !== undefined && (furthest === undefined || furthest < reached)) furthest = reached;
  }
  return furthest;
}

const ADVICE =
  'Put the right log back. If this log is to be taken as it is, drop the schemas counterfoil_read_models and counterfoil_host of the database, but keep the table personal_keys: without it nobody can read who paid';

function otherLog({ place }: HostDatabase): EventStoreError {
  return new EventStoreError(
    'corrupt',
    `this is another log than the one that ${place} was filled from: its first event is not the same. ${ADVICE}`,
  );
}

function lostEvents(
  { place }: HostDatabase,
  { reached, head }: { reached: Position; head: Position | undefined },
): EventStoreError {
  return new EventStoreError(
    'corrupt',
    `the log ends at position ${head ?? '0'}, but the read models in ${place} have read it up to ${reached}: events are lost, or an older log was put back. ${ADVICE}`,
  );
}
