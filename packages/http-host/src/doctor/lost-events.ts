/** Notices a log that has lost its end: files that are made from the log remember how far they had read. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EventStoreError, type Position } from '@counterfoil/core';
import { type DataFiles, readModelFiles } from '../stores.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import type { Examined } from './folder.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** A file that has seen the log up to this position. */
export interface Witness {
  readonly path: string;
  readonly position: Position;
}

interface Testimony {
  readonly witnesses: readonly Witness[];
  /** Files that could not be asked, with the reason. */
  readonly silent: readonly string[];
}

/** Asks every read model and the checkpoints of the reactors. A file that cannot be read is silent. */
export function witnessesOf(files: DataFiles): Testimony {
  const { readModels, checkpoints } = files;
  const asked: readonly (readonly [path: string, sql: string])[] = [
    [checkpoints, 'SELECT max(position) AS position FROM checkpoints'],
    ...readModelFiles(files)
      .filter((path) => path !== readModels)
      .map((path) => [path, 'SELECT position FROM meta'] as const),
  ];
  const witnesses: Witness[] = [];
  const silent: string[] = [];
  for (const [path, sql] of asked) {
    if (!existsSync(path)) continue;
    try {
      const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      try {
        const position = database.prepare(sql).get()?.['position'];
        if (typeof position === 'string') witnesses.push({ path, position: position as Position });
      } finally {
        database.close();
      }
    } catch (error) {
      silent.push(`${path}: ${reasonOf(error)}`);
    }
  }
  return { witnesses, silent };
}

function beyond(witnesses: readonly Witness[], head: Position | undefined): readonly Witness[] {
  return witnesses.filter(({ position }) => head === undefined || position > head);
}

/**
 * Refuses to go on with a log that ends before what was made from it: what was acknowledged would
 * be denied, and positions would be given a second time.
 */
export function refuseLostEvents(files: DataFiles, head: Position | undefined): void {
  const { witnesses } = witnessesOf(files);
  const [first] = beyond(witnesses, head);
  if (first === undefined) return;
  throw new EventStoreError(
    'corrupt',
    `${files.events}: the log ends at position ${endOf(head)}, but ${first.path} has read it up to ${first.position}: events are lost, or an older log was put back. ${ADVICE}`,
  );
}

function endOf(head: Position | undefined): string {
  return head ?? '0';
}

const ADVICE =
  'Look for events.db-wal or a newer backup first, and run `counterfoil doctor`. If the log is to be taken as it is, remove reactors.db and the files of the read models (with -wal and -shm): the host makes them again.';

/** Whether the log still has everything that was once read from it. */
export function checkLoss({ files }: Examined, head: Position | undefined): Checked {
  const findings = new Findings('loss');
  const { witnesses, silent } = witnessesOf(files);
  for (const { path, position } of beyond(witnesses, head)) {
    findings.damage(
      `the log ends at position ${endOf(head)}, but ${path} has read it up to ${position}: events are lost, or an older log was put back`,
      `The host refuses to start on it. ${ADVICE}`,
    );
  }
  for (const each of silent) {
    findings.warn(
      `${each}; it cannot tell how far the log once went`,
      'See what is said of the file under databases.',
    );
  }
  return findings.made(`head ${endOf(head)}, ${witnesses.length} files that have read the log`);
}
