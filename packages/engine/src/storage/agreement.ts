/** Checks at start that all hosts of a database use the same master key and the same log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, EventStoreError, type Position } from '@counterfoil/core';
import { latest, PROJECTIONS, type ReadModelStore } from '@counterfoil/projections';
import { firstEventOf } from '../personal-keys/keys-and-log.ts';
import { ConfigError, markOfMasterKey } from '../settings.ts';
import type { HostDatabase } from './host-database.ts';
import { setMarkOnce } from './host-marks.ts';

/** A replica of the log may lag for a moment. */
const LOOKS = 10;
const LOOK_PAUSE_MS = 500;

/** Throws a ConfigError for another key: the data would not be readable. */
export async function agreeOnMasterKey(database: HostDatabase, masterKey: Buffer): Promise<void> {
  const mark = markOfMasterKey(masterKey);
  if ((await setMarkOnce(database.pool, 'master-key', mark)) === mark) return;
  throw new ConfigError([
    `the master key is not the one that the data in ${database.place} was made with: all processes need the same`,
  ]);
}

interface SharedStores {
  readonly database: HostDatabase;
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
}

/**
 * Throws for another log than the database was filled from, and for one that ends before what the read
 * models have read: acknowledged events would be missing.
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
    const checkpoints = await (await readModels.live(name))?.checkpoints();
    furthest = latest([furthest, ...(checkpoints ?? [])]);
  }
  return furthest;
}

const ADVICE =
  'Put the right log back. If this log is to be taken as it is, drop the schemas counterfoil_read_models and counterfoil_host of the database, but keep the table personal_keys: without it the personal data of payments cannot be read';

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
