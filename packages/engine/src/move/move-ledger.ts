/** Moves a ledger to other stores: its log, event by event, and the tables of the engine's own. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync } from 'node:fs';
import type { EventStore } from '@counterfoil/core';
import { firstEventOf } from '../personal-keys/keys-and-log.ts';
import { testClockFileIn } from '../runtime/clock.ts';
import {
  type MoveMark,
  moveMarkOf,
  refuseMoved,
  removeMoveMark,
  setMoveMark,
} from '../storage/move-marks.ts';
import { dataFilesOf } from '../storage/stores.ts';
import { compareLogs, copyLog, countEvents } from './log-copy.ts';
import { MoveError } from './move-error.ts';
import { MOVED_TABLES, type MovedRow, type MovedTable } from './moved-tables.ts';
import { rowsAtOnce } from './own-tables.ts';
import { Positions } from './positions.ts';
import { openSide, type Side, type Stores } from './side.ts';

/** Longer than the lease of a killed process. */
const PATIENCE_MS = 32_000;
/** In a column of positions: of a message that no event asked for. */
const NO_POSITION = '';

export interface MoveOptions {
  readonly from: Stores;
  readonly to: Stores;
  /** For how long a lease that another process holds is waited for. Default: 32 s. */
  readonly patienceMs?: number;
  /** Called with what has been done of a step, and how much it is. May throw to stop the move. */
  readonly onProgress?: (step: MoveStep, done: number, total: number) => void;
}

/** `count`: the events of the source; `log`, `tables`: what is copied; `compare-…`: what is compared. */
export type MoveStep = 'count' | 'log' | 'compare-log' | 'tables' | 'compare-tables';

export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly events: number;
  /** SHA-256 over all events, in hex: of both sides. */
  readonly digest: string;
  readonly tables: readonly MovedTableResult[];
}

export interface MovedTableResult {
  readonly file: string;
  readonly table: string;
  readonly rows: number;
  /** SHA-256 over all rows, in hex: of both sides. */
  readonly digest: string;
}

/**
 * Both sides must be at rest, and are held until it ends. The target must be empty, or hold what a move
 * of the same source has left: then it goes on. Throws a MoveError.
 */
export async function moveLedger(options: MoveOptions): Promise<Moved> {
  const { from, to, patienceMs = PATIENCE_MS, onProgress = () => undefined } = options;
  refuseSame(from, to);
  await using opened = new AsyncDisposableStack();
  const open = async (stores: Stores, isTarget: boolean) =>
    opened.adopt(await openSide(stores, { isTarget, patienceMs }), (side) => side.close());
  const source = await open(from, false);
  const events = opened.adopt(await source.openLog(), (log) => log.close());
  const ends = await endsOf(events, source.name);
  const target = await open(to, true);
  await claim({ source, target, ends });
  const moved = opened.adopt(await target.openLog(), (log) => log.close());

  const check = () => {
    source.check();
    target.check();
  };
  const report = (step: MoveStep, done: number, total: number) => {
    check();
    onProgress(step, done, total);
  };
  const total = await countEvents(events);
  report('count', total, total);
  const { keepsOrder } = target;
  const onEvents = (count: number) => report('log', count, total);
  await copyLog({ source: events, target: moved, keepsOrder, onEvents });

  const positions = new Positions(await wantedPositions(source));
  const compared = await compareLogs({
    source: events,
    target: moved,
    onEvent: (one, other) => positions.meet(one, other),
    onEvents: (count) => report('compare-log', count, total),
  });
  const tables = await moveTables({ source, target, positions, report });
  if ((await endsOf(events, source.name)).head !== ends.head) {
    throw new MoveError('in-use', `${source.name} was written to meanwhile: stop all hosts on it`);
  }
  check();
  await finish({ from, to, source, target, ends });
  return { from: source.name, to: target.name, ...compared, tables };
}

function refuseSame(from: Stores, to: Stores): void {
  const log = (stores: Stores) => `${stores.eventStoreUrl} ${stores.eventStorePrefix ?? ''}`;
  if (log(from) !== log(to) && from.readModelUrl !== to.readModelUrl) return;
  throw new MoveError('refused', 'the ledger is there already: name other stores to move it to');
}

interface Ends {
  /** The id of the first event. */
  readonly firstEvent: string;
  /** The position of the last one. */
  readonly head: string;
}

async function endsOf(events: EventStore, name: string): Promise<Ends> {
  const head = await events.head();
  const newest = await events.newest?.();
  if (newest !== undefined && (head === undefined || newest > head)) {
    throw new MoveError(
      'in-use',
      `${name} has events that are not settled: end the open transactions of its server (pg_stat_activity), and move again`,
    );
  }
  const firstEvent = await firstEventOf(events);
  if (head === undefined || firstEvent === undefined) {
    throw new MoveError('refused', `the log of ${name} is empty: there is nothing to move`);
  }
  return { firstEvent, head };
}

interface Sides {
  readonly source: Side;
  readonly target: Side;
  readonly ends: Ends;
}

/** Marks the target as what this move fills; goes on with one that it has marked before. */
async function claim({ source, target, ends }: Sides): Promise<void> {
  const kept = await moveMarkOf(target.marks);
  const isOurs = kept?.state === 'filling' && kept.firstEvent === ends.firstEvent;
  await refuseLeft(source, isOurs);
  if (isOurs && kept.head === ends.head) return;
  if (isOurs) {
    throw new MoveError(
      'refused',
      `${source.name} was used since the move to ${target.name} began: empty the target, and move again`,
    );
  }
  const taken = kept === undefined ? await target.taken() : takenBy(kept);
  if (taken !== undefined) {
    throw new MoveError('refused', `the target is not empty: ${taken}. A move needs an empty one`);
  }
  await setMoveMark(target.marks, { state: 'filling', from: source.name, ...ends });
}

function takenBy(mark: MoveMark): string {
  return mark.state === 'filling'
    ? `it holds a part of the ledger of ${mark.from}`
    : `it held a ledger that was moved to ${mark.to}`;
}

/** A source that has been left may only complete the move that left it. */
async function refuseLeft(source: Side, isResumed: boolean): Promise<void> {
  const found = await moveMarkOf(source.marks);
  if (found === undefined || (found.state === 'left' && isResumed)) return;
  await refuseMoved(source.marks, source.name);
}

interface Moving {
  readonly source: Side;
  readonly target: Side;
  readonly positions: Positions;
  readonly report: (step: MoveStep, done: number, total: number) => void;
}

async function wantedPositions({ tables }: Side): Promise<readonly string[]> {
  const wanted = new Set<string>();
  for (const table of MOVED_TABLES) {
    const { position } = table;
    if (position === undefined) continue;
    for await (const row of tables.rows(table)) {
      if (row[position] !== NO_POSITION) wanted.add(String(row[position]));
    }
  }
  return [...wanted];
}

async function moveTables(moving: Moving): Promise<readonly MovedTableResult[]> {
  const { report } = moving;
  const total = MOVED_TABLES.length;
  for (const [index, table] of MOVED_TABLES.entries()) {
    await copyTable(table, moving, () => report('tables', index, total));
  }
  report('tables', total, total);
  const compared: MovedTableResult[] = [];
  for (const [index, table] of MOVED_TABLES.entries()) {
    compared.push(await compareTable(table, moving));
    report('compare-tables', index + 1, total);
  }
  return compared;
}

/** From its beginning each time: rows of queues change without an event. */
async function copyTable(
  table: MovedTable,
  { source, target, positions }: Moving,
  onRows: () => void,
): Promise<void> {
  const most = rowsAtOnce(table);
  await target.tables.clear(table);
  onRows();
  let rows: MovedRow[] = [];
  const add = async () => {
    if (rows.length > 0) await target.tables.add(table, rows);
    rows = [];
    onRows();
  };
  for await (const row of source.tables.rows(table)) {
    rows.push(translated(table, row, positions));
    if (rows.length === most) await add();
  }
  await add();
  await target.tables.end(table);
}

/** A row of the source as the target is to have it. */
function translated({ position }: MovedTable, row: MovedRow, positions: Positions): MovedRow {
  if (position === undefined || row[position] === NO_POSITION) return row;
  return { ...row, [position]: positions.of(String(row[position])) };
}

async function compareTable(table: MovedTable, moving: Moving): Promise<MovedTableResult> {
  const moved = moving.target.tables.rows(table);
  try {
    return await compareRows(table, moving, moved);
  } finally {
    // A server's connection is held until then.
    await moved.return(undefined);
  }
}

async function compareRows(
  table: MovedTable,
  { source, positions }: Moving,
  moved: AsyncGenerator<MovedRow, undefined>,
): Promise<MovedTableResult> {
  const digest = createHash('sha256');
  let rows = 0;
  for await (const row of source.tables.rows(table)) {
    const expected = textOf(translated(table, row, positions));
    const { value: found } = await moved.next();
    if (found === undefined || textOf(found) !== expected) throw different(table, row);
    digest.update(expected);
    rows += 1;
  }
  const { value: more } = await moved.next();
  if (more !== undefined) throw different(table, more);
  return { file: table.file, table: table.inFile, rows, digest: digest.digest('hex') };
}

function textOf(row: MovedRow): string {
  const values = Object.values(row);
  return JSON.stringify(
    values.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value)),
  );
}

/** Names the row by its key, which is no secret and no personal data, but for those of failed sign-ins. */
function different(table: MovedTable, row: MovedRow): MoveError {
  const key = table.key.map((name) => `${name} ${row[name]}`).join(', ');
  return new MoveError(
    'different',
    `${table.inSchema} is not the same in the target: the row of ${key}. Does another process write to it? Empty it, and move again`,
  );
}

/** From here on the target is what hosts start on: the source is marked first, so that they never start on both. */
async function finish({
  from,
  to,
  source,
  target,
  ends,
}: Sides & Pick<MoveOptions, 'from' | 'to'>) {
  const { masterKey } = await source.storeMarks();
  await target.setStoreMarks({ firstEvent: ends.firstEvent, masterKey });
  const clock = testClockFileIn(from.dataDir);
  if (dataFilesOf(to) !== undefined && existsSync(clock)) {
    copyFileSync(clock, testClockFileIn(to.dataDir));
  }
  const { firstEvent } = ends;
  await setMoveMark(source.marks, { state: 'left', to: target.name, firstEvent });
  await removeMoveMark(target.marks);
}
