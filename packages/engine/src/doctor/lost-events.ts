/** Notices a log that has lost its end: files that are made from the log remember how far they had read. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type EventStore, EventStoreError, type Position } from '@counterfoil/core';
import { openForReading } from '@counterfoil/event-stores/sqlite';
import { positionIn } from '@counterfoil/projections';
import { counted } from '../counted.ts';
import { type DataFiles, isFile, readModelFiles } from '../storage/stores.ts';
import type { Examined } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import { settledReadModels } from './settled-read-models.ts';

/** What has seen the log up to this position: a file, or a row of a database. */
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
export function witnessesOf(files: DataFiles, models = readModelFiles(files)): Testimony {
  const { readModels, checkpoints } = files;
  const questions: readonly (readonly [path: string, ask: (of: DatabaseSync) => unknown])[] = [
    [checkpoints, reactedIn],
    ...models.filter((path) => path !== readModels).map((path) => [path, positionIn] as const),
  ];
  const witnesses: Witness[] = [];
  const silent: string[] = [];
  for (const [path, ask] of questions) {
    if (!isFile(path)) continue;
    try {
      const position = asked(path, ask);
      if (typeof position === 'string') witnesses.push({ path, position: position as Position });
    } catch (error) {
      // A rebuild beside this may have removed it.
      if (isFile(path)) silent.push(`${path}: ${reasonOf(error)}`);
    }
  }
  return { witnesses, silent };
}

/** How far the followers of the log are. */
function reactedIn(database: DatabaseSync): unknown {
  return database.prepare('SELECT max(position) AS position FROM checkpoints').get()?.['position'];
}

/** Undefined for a database that has no tables: the start that made it was broken off. */
function asked<Answer>(path: string, ask: (of: DatabaseSync) => Answer): Answer | undefined {
  const database = openForReading(path);
  try {
    const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'];
    return tables === 0 ? undefined : ask(database);
  } finally {
    database.close();
  }
}

/** What shows that there was a log here with events in it; the strongest first. */
export function tracesOf(files: DataFiles): readonly string[] {
  const { witnesses, silent } = witnessesOf(files);
  const traces = witnesses.map(
    ({ path, position }) => `${path} has read a log here up to ${position}`,
  );
  if (keptMark(files) !== undefined) traces.push(`${files.logMark} is the mark of one`);
  for (const [path, table] of [
    [files.gateway, 'request'],
    [files.answers, 'answer'],
    [files.mails, 'mails'],
    [files.keys, 'personal_key'],
  ] as const) {
    if (isFile(path) && hasRows(path, table)) traces.push(`${path} tells of what is in one`);
  }
  return [...traces, ...silent.map((each) => `nobody knows what was in ${each}`)];
}

/** What cannot be read may have some. */
function hasRows(path: string, table: string): boolean {
  try {
    const row = asked(path, (database) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get());
    return row !== undefined;
  } catch {
    return true;
  }
}

export function beyond(
  witnesses: readonly Witness[],
  head: Position | undefined,
): readonly Witness[] {
  return witnesses.filter(({ position }) => head === undefined || position > head);
}

/**
 * Refuses to go on with a log that ends before what was made from it: what was acknowledged would
 * be denied, and positions would be given a second time. Refuses another log than the folder had
 * before as well; the first start that finds an event marks the log by it.
 */
export async function refuseLostEvents(files: DataFiles, events: EventStore): Promise<void> {
  const head = await events.head();
  const { witnesses } = witnessesOf(files);
  const [first] = beyond(witnesses, head);
  if (first !== undefined) {
    const { path, position } = first;
    throw new EventStoreError(
      'corrupt',
      `${files.events}: ${lossOf({ path, position, head })}. ${ADVICE}`,
    );
  }
  if (existsSync(files.logMark) && !isFile(files.logMark)) {
    throw new EventStoreError('unavailable', `${files.logMark} is not a file: remove it`);
  }
  const mark = await markOf(events);
  const kept = keptMark(files);
  if (kept === undefined && mark !== undefined) {
    writeFileSync(files.logMark, `${mark}\n`, { mode: 0o600 });
  } else if (kept !== mark) {
    throw new EventStoreError('corrupt', `${files.events}: ${ANOTHER}. ${ANOTHER_ADVICE}`);
  }
}

/** The id of the first event, which no other log has. */
async function markOf(events: EventStore): Promise<string | undefined> {
  for await (const [first] of events.subscribe({ batchSize: 1, untilHead: true })) {
    return first?.id;
  }
  return undefined;
}

/** An empty file is what a power cut may leave of one. */
export function keptMark({ logMark }: DataFiles): string | undefined {
  if (!isFile(logMark)) return undefined;
  return readFileSync(logMark, 'utf8').trim() || undefined;
}

export const ANOTHER =
  'this is another log than the one that belongs here: its first event is not the same';
const ANOTHER_ADVICE =
  'Is events.db, or an events.db-wal beside it, that of another folder? Put back the right one. If this log is meant to take its place, remove log.check, idempotency.db, reactors.db and the files of the read models.';

export function lossOf({
  path,
  position,
  head,
}: Witness & { readonly head: Position | undefined }): string {
  return `the log ends at position ${endOf(head)}, but ${path} has read it up to ${position}: events are lost, or an older log was put back`;
}

export function endOf(head: Position | undefined): string {
  return head ?? '0';
}

const ADVICE =
  'Look for events.db-wal or a newer backup first, and run `counterfoil doctor`. If the log is to be taken as it is, remove idempotency.db, reactors.db and the files of the read models (with -wal and -shm): the host makes them again.';

/** Whether the log still has everything that was once read from it, and is the same log. */
export async function checkLoss({ files }: Examined, events: EventStore): Promise<Checked> {
  const findings = new Findings('loss');
  // Before the head: beside a running host they read on.
  const { witnesses, silent } = witnessesOf(files, settledReadModels(files));
  const head = await events.head();
  for (const witness of beyond(witnesses, head)) {
    findings.damage(lossOf({ ...witness, head }), `The host refuses to start on it. ${ADVICE}`);
  }
  const kept = keptMark(files);
  if (kept !== undefined && kept !== (await markOf(events))) {
    findings.damage(ANOTHER, `The host refuses to start on it. ${ANOTHER_ADVICE}`);
  }
  for (const each of silent) {
    findings.warn(
      `${each}; it cannot tell how far the log once went`,
      'See what is said of the file under databases.',
    );
  }
  return findings.made(
    `head ${endOf(head)}, ${counted(witnesses.length, 'file')} that ${witnesses.length === 1 ? 'has' : 'have'} read the log`,
  );
}

const NO_LOG_ADVICE =
  'The host refuses to start on it. Put the right events.db back, or the newest backup that the doctor finds sound (docs/operations.md, Restore).';

/** What is lost where the file of the log is an empty one, or another file: all that was read from it. */
export function checkLossOfAll({ files }: Examined, error: unknown): Checked {
  const findings = new Findings('loss');
  const reason = reasonOf(error);
  if (error instanceof EventStoreError && error.code === 'corrupt') {
    const traces = tracesOf(files);
    for (const trace of traces) findings.damage(`${reason}; and ${trace}`, NO_LOG_ADVICE);
    // The first start may have been killed before the log was laid out.
    if (traces.length === 0) {
      findings.warn(reason, 'Nothing, if the host never ran here. Else put the right file back.');
    }
  }
  return findings.leftOut(reason);
}
