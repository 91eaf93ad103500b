/** Runs the bench of two commits alternately on one machine, and compares their own side of each row. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Progress } from '../harness/progress.ts';
import type { Results, RowResult } from '../harness/results.ts';
import type { Stage } from '../harness/stage.ts';
import { baseTree } from './base-tree.ts';
import { type Compared, compared, comparisonTable, type Pass, rowIn } from './versus.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** Limit for the printed table; results are read from a file. */
const MAX_OUTPUT_BYTES = 2 ** 26;

export interface ComparisonOptions {
  readonly ref: string;
  readonly passes: number;
  readonly quick: boolean;
  readonly rounds: number;
  readonly seed: number;
}

/**
 * Each pass runs both commits directly after each other, stage by stage, in separate processes; the
 * order alternates. A stage that fails is left out. Resolves with 1 where one fails, or a row is slower
 * beyond its spread.
 */
export async function compare(
  stages: readonly Stage[],
  results: string,
  options: ComparisonOptions,
): Promise<number> {
  const { commit, folder } = baseTree(options.ref, join(results, 'compare'));
  const comparable = await inBoth(stages, folder);
  const progress = new Progress(comparable.length * options.passes * 2);
  const rows: Compared[] = [];
  const failures: string[] = [];
  try {
    for (const { name, ids } of comparable) {
      try {
        rows.push(...(await comparedStage({ name, ids }, { folder, progress, options })));
      } catch (error) {
        // The figures of the other stages are good.
        const [reason = ''] = (error as Error).message.split('\n');
        failures.push(`${name}: ${reason}`);
      }
    }
  } finally {
    progress.stop();
  }
  const left = failures.map((failure) => `\nNot compared: ${failure}\n`).join('');
  const table = `Base: ${commit}. ${options.passes} passes.\n\n${comparisonTable(rows)}\n${left}`;
  writeFileSync(join(results, 'compare.md'), table);
  const json = JSON.stringify({ commit, rows, failures }, null, 2);
  writeFileSync(join(results, 'compare.json'), `${json}\n`);
  console.log(`${table}\nWritten to ${results}: compare.md, compare.json`);
  if (failures.length > 0) return 1;
  return rows.some(({ isSlower }) => isSlower) ? 1 : 0;
}

interface Comparing {
  readonly folder: string;
  readonly progress: Progress;
  readonly options: ComparisonOptions;
}

/** Throws when a run fails, or a row of it. */
async function comparedStage(
  { name, ids }: { readonly name: string; readonly ids: readonly string[] },
  { folder, progress, options }: Comparing,
): Promise<readonly Compared[]> {
  const passes = ids.map((): Pass[] => []);
  for (let pass = 0; pass < options.passes; pass += 1) {
    const run = async (tree: string, side: string) => {
      progress.say(`${name}: pass ${pass + 1} of ${options.passes}, ${side}`);
      const measured = await benchOf(tree, ids, options);
      progress.done();
      return ids.map((id) => rowIn(measured, id));
    };
    const early = pass % 2 === 0 ? await run(folder, 'base') : undefined;
    const here = await run(PROJECT, 'here');
    const base = early ?? (await run(folder, 'base'));
    for (const [index, row] of passes.entries()) {
      row.push({ base: base[index] as RowResult, here: here[index] as RowResult });
    }
  }
  return passes.flatMap(([first, ...others]) =>
    first === undefined ? [] : [compared([first, ...others])],
  );
}

/** The stages and rows that both commits have; the others are listed and skipped. */
async function inBoth(stages: readonly Stage[], base: string) {
  const known = new Set(await rowIdsOf(base));
  const left = stages.flatMap(({ rows }) => rows).filter(({ id }) => !known.has(id));
  if (left.length > 0) console.error(`Not in the base: ${left.map(({ id }) => id).join(', ')}`);
  return stages
    .map(({ name, rows }) => ({
      name,
      ids: rows.map(({ id }) => id).filter((id) => known.has(id)),
    }))
    .filter(({ ids }) => ids.length > 0);
}

/** Queried in a separate process: some modules of two commits cannot be loaded together. */
async function rowIdsOf(tree: string): Promise<string[]> {
  const listing = `
    import { stages } from ${JSON.stringify(pathToFileURL(join(tree, 'bench/stages.ts')))};
    console.log(JSON.stringify(stages.flatMap(({ rows }) => rows.map(({ id }) => id))));
    process.exit();`;
  const args = ['--input-type=module', '--eval', listing];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tree });
  return JSON.parse(stdout);
}

/** A failed row is in the results with its reason; the command then exits with 1. */
async function benchOf(
  tree: string,
  ids: readonly string[],
  { quick, rounds, seed }: ComparisonOptions,
): Promise<Results> {
  const args = ['--only', ids.join(','), '--rounds', `${rounds}`, '--seed', `${seed}`];
  const command = [join(tree, 'bench/main.ts'), ...args, ...(quick ? ['--quick'] : [])];
  try {
    await promisify(execFile)(process.execPath, command, {
      cwd: tree,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 1) throw error;
  }
  return JSON.parse(readFileSync(join(tree, 'bench/results/latest.json'), 'utf8'));
}
