/** One commit of a build in one transaction, pipelined: all of it is sent before the first answer. */
import type pg from 'pg';
import type { CollectionSpec, Commit, CommitResult, Move } from '../read-model-store.ts';
import { integerArray, textArray } from './postgres-arrays.ts';
import { type Changes, type Step, stepsOf } from './postgres-changes.ts';
import { COMMIT_TIMEOUT_MS, type Database, type Statement } from './postgres-database.ts';
import type { Tables } from './postgres-schema.ts';

/** A commit need not be durable: from its checkpoint on it can be repeated from the log. */
const BEGIN = `BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = ${COMMIT_TIMEOUT_MS}`;

export interface CommitTarget {
  readonly database: Database;
  readonly id: number;
  readonly projection: string;
  readonly tables: Tables;
  readonly specs: ReadonlyMap<string, CollectionSpec>;
  readonly partitionIds: ReadonlyMap<string, number>;
}

export interface Tried {
  readonly commit: Commit;
  readonly changes: Changes;
  /** Of all tries of one commit, and of no other. */
  readonly token: string;
}

/** A step was to make a document that is there already. */
export class WrittenTwice extends Error {
  readonly step: Step;

  constructor(step: Step) {
    super(`${step.collection} has a document already`);
    this.step = step;
  }
}

/** A step was to replace a document that is not there. */
export class Missing extends Error {}

/** Rolls back a stale commit. */
class Stale extends Error {}

/** Throws `WrittenTwice`, `Missing`, or the error of the connection, after which it may be retried. */
export async function tryCommit(target: CommitTarget, tried: Tried): Promise<CommitResult> {
  const { database, tables } = target;
  const steps = stepsOf(tried.changes, target);
  const rest = restOf(tables, tried);
  try {
    await database.transaction(BEGIN, async (client) => {
      const guarded = guard(client, target, tried);
      const written = Promise.allSettled(
        [...steps, ...rest].map((each) => run(client, database, each)),
      );
      // The other statements of a stale commit may fail too, which does not matter.
      if ((await guarded) !== tried.commit.moves.length) throw new Stale();
      const counts = (await written).map(countOf);
      for (const [index, step] of steps.entries()) judge(step, counts[index]);
    });
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    return (await isLast(target, tried)) ? { outcome: 'committed' } : { outcome: 'stale' };
  }
  return { outcome: 'committed' };
}

/** An attempt whose answer was lost may have succeeded: then it is the last commit. */
async function isLast({ database, id }: CommitTarget, { token }: Tried): Promise<boolean> {
  const rows = await database.read({
    text: `SELECT 1 FROM ${shardsOf(database)} WHERE build_id = $1 AND last_commit = $2`,
    values: [id, token],
  });
  return rows.length > 0;
}

/** Locks the rows of the shards: a concurrent commit waits here, and then finds that a checkpoint moved. */
async function guard(
  client: pg.PoolClient,
  target: CommitTarget,
  { commit, token }: Tried,
): Promise<number> {
  const { moves, changes, lastEventTime } = commit;
  const { database, id, projection } = target;
  const behindMs =
    lastEventTime === undefined ? 0 : Math.max(0, Date.now() - Date.parse(lastEventTime));
  return run(client, database, {
    text: `UPDATE ${shardsOf(database)} s SET position = nullif(m.position, ''),
             revision = revision + $2 * (m.shard = $11)::int, last_commit = $3, behind_ms = $4
           FROM unnest($5::int8[], $6::int8[], $7::text[], $8::text[]) m (shard, epoch, expected, position)
           WHERE s.build_id = $1 AND s.shard = m.shard::int4 AND s.epoch = m.epoch
             AND coalesce(s.position, '') = m.expected AND s.last_commit IS DISTINCT FROM $3
           RETURNING pg_notify($9, $10)`,
    values: [
      id,
      changes.length > 0 ? 1 : 0,
      token,
      behindMs,
      ...movesOf(moves),
      database.schema,
      projection,
      // A commit counts once, in any of its shards.
      moves[0]?.shard ?? 0,
    ],
    isNamed: true,
  });
}

/** Shards, epochs, expected positions and checkpoints, each as a column; a position is never empty. */
export function movesOf(moves: readonly Move[]): readonly Buffer[] {
  return [
    integerArray(moves.map(({ shard }) => shard)),
    integerArray(moves.map(({ epoch }) => epoch)),
    textArray(moves.map(({ expected = '' }) => expected)),
    textArray(moves.map(({ checkpoint = '' }) => checkpoint)),
  ];
}

function restOf(tables: Tables, { commit, changes: { touched } }: Tried): readonly Statement[] {
  const { partitions, parkedStreams, parkedEvents } = tables;
  const { park = [], unpark = [] } = commit;
  const rest: Statement[] = [];
  if (touched.length > 0) {
    rest.push({
      text: `UPDATE ${partitions} SET revision = revision + 1 WHERE name = ANY($1::text[])`,
      values: [textArray(touched)],
      isNamed: true,
    });
  }
  if (unpark.length > 0) {
    const values = [textArray(unpark)];
    for (const table of [parkedEvents, parkedStreams]) {
      rest.push({ text: `DELETE FROM ${table} WHERE stream = ANY($1::text[])`, values });
    }
  }
  if (park.length > 0) {
    const streams = textArray(park.map(({ event }) => event.stream));
    rest.push(
      {
        text: `INSERT INTO ${parkedStreams} (stream, error)
               SELECT DISTINCT ON (stream) stream, error
               FROM unnest($1::text[], $2::text[]) WITH ORDINALITY u (stream, error, at)
               ORDER BY stream, at ON CONFLICT DO NOTHING`,
        values: [streams, textArray(park.map(({ error }) => error))],
      },
      {
        text: `INSERT INTO ${parkedEvents} (stream, event, revision)
               SELECT * FROM unnest($1::text[], $2::text[], $3::int8[])`,
        values: [
          streams,
          textArray(park.map(({ event }) => JSON.stringify(event))),
          park.map(({ event }) => event.revision),
        ],
      },
    );
  }
  return rest;
}

async function run(
  client: pg.PoolClient,
  database: Database,
  { text, values = [], isNamed = false }: Statement,
): Promise<number> {
  const name = isNamed ? database.nameOf(text) : {};
  const { rowCount } = await client.query({ ...name, text, values: [...values] });
  return rowCount ?? 0;
}

function countOf(settled: PromiseSettledResult<number>): number {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function judge(step: Step, count = 0): void {
  const { expected, does, collection } = step;
  if (expected === undefined || expected === count) return;
  if (does === 'make') throw new WrittenTwice(step);
  throw new Missing(
    `${collection} lacks ${expected - count} of the documents that it is to replace`,
  );
}

function shardsOf({ schema }: Database): string {
  return `${schema}.shards`;
}
