/** Shards of the tenants: what a worker holds of the read models, and how far each one is. */
import type { Position } from '@counterfoil/core';

/** Of read models in PostgreSQL that are made without another number: as many workers can share them. */
export const DEFAULT_SHARDS = 8;
/** Far more than the workers of one log. */
export const MOST_SHARDS = 256;

/** How far each shard of a build is, in the order of the shards; undefined where nothing was applied. */
export type Checkpoints = readonly (Position | undefined)[];

/** A shard as one worker holds it: under the epoch of its lease. */
export interface Hold {
  readonly shard: number;
  readonly epoch: number;
}

/**
 * The shard of a tenant. Stable: read models on disk depend on it. Ids that are given in order, or in
 * steps, spread evenly (the finalizer of MurmurHash3).
 */
export function shardOf(tenantId: number, shards: number): number {
  if (shards === 1) return 0;
  let hash = (tenantId ^ Math.floor(tenantId / 2 ** 32)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % shards;
}

/** The smallest checkpoint; undefined, the beginning, when any is. */
export function earliest(checkpoints: Iterable<Position | undefined>): Position | undefined {
  let first: Position | undefined;
  for (const checkpoint of checkpoints) {
    if (checkpoint === undefined) return undefined;
    if (first === undefined || checkpoint < first) first = checkpoint;
  }
  return first;
}

/** The largest checkpoint; undefined when all are. */
export function latest(checkpoints: Iterable<Position | undefined>): Position | undefined {
  let last: Position | undefined;
  for (const checkpoint of checkpoints) last = later(last, checkpoint);
  return last;
}

/** Whether nothing of `checkpoint` is missing up to there. */
export function isAtLeast(checkpoint: Position | undefined, goal: Position | undefined): boolean {
  return goal === undefined || (checkpoint !== undefined && checkpoint >= goal);
}

export function sameCheckpoints(one: Checkpoints, other: Checkpoints): boolean {
  return one.length === other.length && one.every((each, shard) => each === other[shard]);
}

function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? other : one;
}
