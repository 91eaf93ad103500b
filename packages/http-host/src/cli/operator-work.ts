/** A process for one piece of an operator's work, begun by the host and ended with it. */
import { tmpdir } from 'node:os';
import { presentIn } from '@counterfoil/engine';
import { CHECKS, examine } from '@counterfoil/engine/doctor';
import { openReadModels } from '@counterfoil/engine/storage';
import { PROJECTIONS, type Rebuilt } from '@counterfoil/projections';
import { loadGateways } from '../load-gateways.ts';
import {
  type Begin,
  countRows,
  type FromProcess,
  shownProgress,
  shownRebuilt,
} from '../operator/do-work.ts';
import { rebuildModel, withStores } from '../operator/model-stores.ts';
import type { Examined, Outcome, WorkProgress } from '../operator/work.ts';
import { turnOffCoreDumps } from './core-dumps.ts';

const SHOW_EVERY_MS = 250;

turnOffCoreDumps();
// The host is gone, or has ended the work.
process.on('disconnect', () => process.exit(1));
process.once('message', (begin: Begin) => void run(begin));

async function run(begin: Begin): Promise<void> {
  let answer: FromProcess;
  try {
    answer = { type: 'done', outcome: await done(begin, everySoOften()) };
  } catch (error) {
    answer = { type: 'failed', message: (error as Error).message };
  }
  process.send?.(answer, () => process.exit());
}

async function done(begin: Begin, onProgress: (progress: WorkProgress) => void): Promise<Outcome> {
  const { work } = begin;
  switch (work.kind) {
    case 'rebuild':
      return {
        kind: 'rebuild',
        ...shownRebuilt(await rebuilt(begin, work.projection, onProgress)),
      };
    case 'count':
      return { kind: 'count', ...(await counted(begin, work.projection)) };
    case 'examine':
      return { kind: 'examine', ...(await examined(begin, work.quick, onProgress)) };
  }
}

async function rebuilt(
  { config }: Begin,
  name: string,
  onProgress: (progress: WorkProgress) => void,
): Promise<Rebuilt> {
  const projection = PROJECTIONS.find((each) => each.name === name);
  if (projection === undefined) throw new Error(`There is no read model ${name}`);
  return withStores(config, (stores) =>
    rebuildModel(stores, projection, {
      onProgress: (progress) => onProgress(shownProgress(progress)),
    }),
  );
}

async function counted({ config }: Begin, projection: string) {
  const store = await openReadModels(config.readModelUrl, { readOnly: true });
  try {
    return await countRows(store, projection);
  } finally {
    await store.close();
  }
}

async function examined(
  { config, gatewayIds }: Begin,
  quick: boolean,
  onProgress: (progress: WorkProgress) => void,
): Promise<Examined> {
  const gateways = await loadGateways(config, process.cwd());
  try {
    const examination = await examine(config, {
      quick,
      gatewayIds,
      gateways,
      scratch: tmpdir(),
      now: () => presentIn(config).nowMs,
      onProgress: (what, done, total) => onProgress({ what, done, total }),
      onChecked: () => undefined,
    });
    const checks = examination.checks.map((each) => ({ ...each, title: CHECKS[each.check] }));
    return { ...examination, checks };
  } finally {
    await Promise.all(gateways.map((each) => each.close()));
  }
}

/** A message for each page of the log would keep the host busy. */
function everySoOften(): (progress: WorkProgress) => void {
  let last: { readonly what: string; readonly at: number } | undefined;
  return (progress) => {
    const at = performance.now();
    if (last?.what === progress.what && at - last.at < SHOW_EVERY_MS) return;
    last = { what: progress.what, at };
    const message: FromProcess = { type: 'progress', progress };
    process.send?.(message);
  };
}
