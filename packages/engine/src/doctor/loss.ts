/** Checks that the log is the same one and has not lost its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, Position } from '@counterfoil/core';
import { counted } from '../counted.ts';
import { firstEventOf } from '../personal-keys/keys-and-log.ts';
import { ANOTHER_LOG, beyond, type LogReader, lossOf } from '../storage/lost-events.ts';
import { UNFINISHED_ADVICE } from '../storage/unfinished-restore.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings } from './finding.ts';
import type { OpenedLog } from './open-log.ts';

/** A server of the log may be behind the others for a moment. */
const LOOKS = 10;
const LOOK_PAUSE_MS = 500;

const NO_LOG_ADVICE =
  'Nothing, if no host ever ran here, or its first start was interrupted: start it. Else correct DATA_DIR or the URLs, or restore the log from a backup.';

export async function checkLoss(
  { place, keys, advice }: Pick<Examining, 'place' | 'keys' | 'advice'>,
  log: OpenedLog,
): Promise<Checked> {
  const findings = new Findings('loss');
  const { events, walks, reason } = log;
  if (place.unfinishedRestore !== undefined) {
    findings.damage(place.unfinishedRestore, UNFINISHED_ADVICE);
    return findings.leftOut('a restore has not ended');
  }
  // Before the head: beside a running host they read on.
  const readers = await place.readers();
  const kept = await place.firstEvent();
  if (walks === undefined) {
    const traces = readers.map(({ name, position }) => `${name} has read a log up to ${position}`);
    if (kept !== undefined) traces.push('the id of its first event was kept');
    if (((await keys?.count()) ?? 0) > 0) traces.push(`${place.keysName} has keys of customers`);
    for (const trace of traces) findings.damage(`${reason}, and ${trace}`, advice.loss);
    if (traces.length === 0) findings.warn(reason, NO_LOG_ADVICE);
    return findings.leftOut(reason);
  }
  const isOnServers = place.database !== undefined;
  const head = events === undefined ? log.head : await headReaching(events, readers, isOnServers);
  for (const reader of beyond(readers, head)) findings.damage(lossOf(reader, head), advice.loss);
  if (events === undefined) return findings.leftOut(reason);
  if (kept !== undefined && kept !== (await firstEventOf(events))) {
    findings.damage(ANOTHER_LOG, advice.loss);
  }
  return findings.made(
    `head ${head ?? '0'}, ${counted(readers.length, 'reader')} of the log with a position`,
  );
}

async function headReaching(
  events: EventStore,
  readers: readonly LogReader[],
  isOnServers: boolean,
): Promise<Position | undefined> {
  for (let look = 1; ; look += 1) {
    const head = await events.head();
    if (!isOnServers || look === LOOKS || beyond(readers, head).length === 0) return head;
    await sleep(LOOK_PAUSE_MS);
  }
}
