/**
 * One side of a comparison: prepares a stage of its own tree, and measures rows of it on request.
 * A process of its own, since some modules of two commits cannot be loaded together. It is copied into
 * the tree of the other commit: what it imports has to be there too.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RunPostgres } from '../harness/postgres.ts';
import type { Prepared } from '../harness/stage.ts';
import { stages } from '../stages.ts';

const RESULTS = join(import.meta.dirname, '../results');

export type Order =
  | { readonly kind: 'list' }
  | { readonly kind: 'prepare'; readonly stage: string; readonly quick: boolean; seed: number }
  | { readonly kind: 'measure'; readonly row: string }
  | { readonly kind: 'close' };

export type Reply = { readonly value: unknown } | { readonly error: string };

let folder: string | undefined;
let prepared: Prepared | undefined;
const postgres = new RunPostgres();

async function carriedOut(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'list':
      return stages.flatMap(({ rows }) => rows.map(({ id }) => id));
    case 'prepare':
      return prepare(order);
    case 'measure': {
      const sides = prepared?.sides[order.row];
      if (sides === undefined) throw new Error(`the stage has not prepared ${order.row}`);
      return sides.own();
    }
    case 'close':
      await prepared?.close();
      prepared = undefined;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      await postgres.stop();
      return undefined;
  }
}

async function prepare({ stage: name, quick, seed }: Order & { kind: 'prepare' }): Promise<void> {
  const stage = stages.find((each) => each.name === name);
  if (stage === undefined) throw new Error(`no stage ${name}`);
  mkdirSync(RESULTS, { recursive: true });
  folder = mkdtempSync(join(RESULTS, 'scratch-'));
  prepared = await stage.prepare({ quick, rounds: 1, seed, folder, postgres, say: () => {} });
}

process.on('message', (order: Order) => {
  carriedOut(order)
    .then(
      (value): Reply => ({ value }),
      (error: Error): Reply => ({ error: error.message }),
    )
    .then((reply) => process.send?.(reply, () => order.kind === 'close' && process.exit()));
});
// Its parent has ended.
process.on('disconnect', () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit();
});
