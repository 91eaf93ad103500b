/** Measures two commits alternately on one machine, and compares their own side of each row. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Progress } from '../harness/progress.ts';
import type { Stage } from '../harness/stage.ts';
import { baseTree } from './base-tree.ts';
import { SideProcess } from './side-process.ts';
import { type Compared, compared, comparisonTable, type Pass } from './versus.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** What is compared by default: the paths that people wait for. */
export const WAITED_FOR: readonly string[] = [
  'append-64',
  'http-detail',
  'http-search',
  'http-payment',
  'submit',
];

export interface ComparisonOptions {
  readonly ref: string;
  readonly passes: number;
  readonly quick: boolean;
  readonly seed: number;
}

interface Comparing {
  readonly base: string;
  readonly progress: Progress;
  readonly options: ComparisonOptions;
}

/**
 * Both commits prepare a stage, each in a process of its own; a pass measures a row of both directly
 * after each other, and the order alternates. A stage that fails is left out. Resolves with 1 where one
 * fails, or a row is slower beyond its spread.
 */
export async function compare(
  stages: readonly Stage[],
  results: string,
  options: ComparisonOptions,
): Promise<number> {
  const { commit, folder: base } = baseTree(options.ref, join(results, 'compare'));
  const comparable = await inBoth(stages, base);
  const progress = new Progress(comparable.flatMap(({ rows }) => rows).length);
  const rows: Compared[] = [];
  const failures: string[] = [];
  try {
    for (const stage of comparable) {
      try {
        rows.push(...(await comparedStage(stage, { base, progress, options })));
      } catch (error) {
        // The figures of the other stages are good.
        const [reason = ''] = (error as Error).message.split('\n');
        failures.push(`${stage.name}: ${reason}`);
      }
    }
  } finally {
    progress.stop();
  }
  const left = failures.map((failure) => `\nNot compared: ${failure}\n`).join('');
  const scale = options.quick ? 'quick' : 'in full';
  const title = `Base: ${commit}. ${options.passes} passes, ${scale}.`;
  const table = `${title}\n\n${comparisonTable(rows)}\n${left}`;
  writeFileSync(join(results, 'compare.md'), table);
  const json = JSON.stringify({ commit, rows, failures }, null, 2);
  writeFileSync(join(results, 'compare.json'), `${json}\n`);
  console.log(`${table}\nWritten to ${results}: compare.md, compare.json`);
  if (failures.length > 0) return 1;
  return rows.some(({ isSlower }) => isSlower) ? 1 : 0;
}

/** Throws where either side cannot prepare or measure the stage. */
async function comparedStage(
  { name, rows }: Stage,
  { base, progress, options }: Comparing,
): Promise<readonly Compared[]> {
  const sides = { base: new SideProcess(base), here: new SideProcess(PROJECT) };
  try {
    for (const [side, process] of Object.entries(sides)) {
      progress.say(`${name}: preparing ${side}`);
      await process.prepare(name, options);
    }
    const found: Compared[] = [];
    for (const row of rows) {
      const passes: Pass[] = [];
      // Pass 0 warms up files, caches and the JIT.
      for (let pass = 0; pass <= options.passes; pass += 1) {
        progress.say(`${row.id}: pass ${pass} of ${options.passes}`);
        const measured = await onePass(row.id, sides, { baseFirst: pass % 2 === 0 });
        if (pass > 0) passes.push(measured);
      }
      found.push(compared(row, passes));
      progress.done();
    }
    return found;
  } finally {
    await Promise.allSettled([sides.base.close(), sides.here.close()]);
  }
}

async function onePass(
  id: string,
  { base, here }: Readonly<Record<'base' | 'here', SideProcess>>,
  { baseFirst }: { readonly baseFirst: boolean },
): Promise<Pass> {
  const early = baseFirst ? await base.measure(id) : undefined;
  const own = await here.measure(id);
  return { base: early ?? (await base.measure(id)), here: own };
}

/** The stages and rows that both commits have; the others are listed and skipped. */
async function inBoth(stages: readonly Stage[], base: string): Promise<readonly Stage[]> {
  const side = new SideProcess(base);
  const known = new Set(await side.rows());
  await side.close();
  const left = stages.flatMap(({ rows }) => rows).filter(({ id }) => !known.has(id));
  if (left.length > 0) console.error(`Not in the base: ${left.map(({ id }) => id).join(', ')}`);
  return stages
    .map((stage) => ({ ...stage, rows: stage.rows.filter(({ id }) => known.has(id)) }))
    .filter(({ rows }) => rows.length > 0);
}
