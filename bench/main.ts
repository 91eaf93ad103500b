/** Runs the bench: `node bench/main.ts [--quick | --full] [--only id,id] [--rounds n] [--seed n] [--compare ref]`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, WAITED_FOR } from './compare/compare.ts';
import { RunPostgres } from './harness/postgres.ts';
import { Progress } from './harness/progress.ts';
import { type Failure, type RowResult, resultsOf, rowResultOf } from './harness/results.ts';
import { measureRow } from './harness/rounds.ts';
import type { Prepared, Setting, Stage } from './harness/stage.ts';
import { plotOf } from './report/plot.ts';
import { tableOf } from './report/table.ts';
import { stages } from './stages.ts';

const RESULTS = join(import.meta.dirname, 'results');
/** With fewer rounds the median is not meaningful. */
const MIN_ROUNDS = 5;
/** With fewer passes of a comparison, random variation would mark rows as slower. */
const MIN_PASSES = 5;
const DEFAULT_SEED = 20_260_101;
/** Signals that abort the bench, with the exit status; child processes end with it. */
const BROKEN_OFF = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

interface Options {
  readonly quick: boolean;
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seed: number;
  /** Compares with this commit, instead of with the peers. */
  readonly ref: string | undefined;
  readonly passes: number;
}

interface Outcome {
  readonly results: RowResult[];
  readonly failures: Failure[];
}

function optionsOf(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: String(MIN_ROUNDS) },
      seed: { type: 'string', default: String(DEFAULT_SEED) },
      compare: { type: 'string' },
      passes: { type: 'string', default: String(MIN_PASSES) },
    },
  });
  const { compare: ref } = values;
  const chosen = values.only.split(',').filter((id) => id !== '');
  const only = chosen.length === 0 && ref !== undefined ? WAITED_FOR : chosen;
  const ids = stages.flatMap(({ rows }) => rows.map(({ id }) => id));
  const unknown = only.filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new Error(`no row ${unknown.join(', ')}; there are: ${ids.join(', ')}`);
  return {
    // Whoever waits for a comparison wants it soon.
    quick: values.quick || (ref !== undefined && !values.full),
    only,
    rounds: wholeNumber('--rounds', values.rounds, MIN_ROUNDS),
    seed: wholeNumber('--seed', values.seed, 0),
    ref,
    passes: wholeNumber('--passes', values.passes, MIN_PASSES),
  };
}

function wholeNumber(option: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`${option} is a whole number of at least ${least}`);
}

async function main(args: string[]): Promise<number> {
  const options = optionsOf(args);
  const isWanted = (id: string) => options.only.length === 0 || options.only.includes(id);
  const chosen = stages
    .map((stage) => ({ ...stage, rows: stage.rows.filter(({ id }) => isWanted(id)) }))
    .filter(({ rows }) => rows.length > 0);
  mkdirSync(RESULTS, { recursive: true });
  const { ref } = options;
  return ref === undefined ? bench(chosen, options) : compare(chosen, RESULTS, { ...options, ref });
}

async function bench(chosen: readonly Stage[], options: Options): Promise<number> {
  const startedAt = new Date();
  const outcome: Outcome = { results: [], failures: [] };
  // Beside the results on a real disk: the temporary folder may be in memory.
  const folder = mkdtempSync(join(RESULTS, 'scratch-'));
  for (const [signal, status] of BROKEN_OFF) {
    process.once(signal, () => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(status);
    });
  }
  const postgres = new RunPostgres();
  const progress = new Progress(chosen.flatMap(({ rows }) => rows).length);
  try {
    for (const stage of chosen) {
      await runStage(stage, { ...options, folder, postgres }, progress, outcome);
    }
  } finally {
    progress.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const { quick, only, rounds, seed } = options;
  const results = resultsOf({
    quick,
    partial: only.length > 0,
    rounds,
    seed,
    startedAt,
    ...outcome,
  });
  const table = tableOf(results);
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(RESULTS, 'table.md'), table);
  writeFileSync(join(RESULTS, 'plot.svg'), plotOf(results));
  console.log(`${table}\nWritten to ${RESULTS}: latest.json, table.md, plot.svg`);
  return outcome.failures.length > 0 ? 1 : 0;
}

/** Measures the rows of one stage; failures are reported at the end, and other rows continue. */
async function runStage(
  stage: Stage,
  options: Options & Pick<Setting, 'folder' | 'postgres'>,
  progress: Progress,
  { results, failures }: Outcome,
): Promise<void> {
  const { quick, rounds, seed, postgres } = options;
  const folder = join(options.folder, stage.name);
  mkdirSync(folder);
  const say = (what: string) => progress.say(what);
  const setting: Setting = { quick, rounds, seed, folder, postgres, say };
  const failed = (id: string, error: unknown) => {
    failures.push({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : `${error}`,
    });
    progress.done();
  };
  let prepared: Prepared | undefined;
  try {
    prepared = await stage.prepare(setting);
    for (const row of stage.rows) {
      try {
        const sides = prepared.sides[row.id];
        if (sides === undefined) throw new Error(`the stage has not prepared ${row.id}`);
        const measured = await measureRow(row, sides, setting);
        results.push(rowResultOf(measured, { seed, data: prepared.facts }));
        progress.done();
      } catch (error) {
        failed(row.id, error);
      }
    }
  } catch (error) {
    for (const { id } of stage.rows) failed(id, error);
  } finally {
    await prepared?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  // An explicit exit: a partially prepared stage may leave threads or servers open.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
}
