/** Messages between the threads: flat arrays, which clone several times faster than objects. */
import type { AppendRequest, Position } from '@counterfoil/core';
import { expectationCode } from '../append-request.ts';
import type { Failure } from './failures.ts';

export interface WriterOptions {
  readonly path: string;
}

/** The thread's first message: the head of the log, or why the log could not be opened. */
export type WriterGreeting = { readonly head: number } | { readonly failure: Failure };

/** The last message to the thread; all others are parts of batches. */
export const END = 'end';

/**
 * Commands one after the other: `COMMAND_FIELDS` values, then `EVENT_FIELDS` for each of its events.
 * Those that are appended as one are in one part.
 */
export type PackedAppends = readonly (string | number)[];

/** A part of a batch. The last one is committed together with those before it, and answered. */
export interface Part {
  readonly appends: PackedAppends;
  readonly isLast: boolean;
}

/** For each command three numbers: outcome, revision (or the index of its failure), position. */
export interface PackedReplies {
  readonly replies: readonly number[];
  readonly failures: readonly Failure[];
}

/**
 * stream, expectation, command id, fingerprint, number of events; and how many commands are appended as
 * one from this one on, 1 where it is by itself, and where it is not the first of them
 */
export const COMMAND_FIELDS = 6;
/** id, type, schema version, tenant, time, data, metadata */
export const EVENT_FIELDS = 7;
export const REPLY_FIELDS = 3;

/** An outcome besides those of `append-request.ts`. */
export const FAILED = 5;

/** Adds a measured request to a batch, the first of `together` that are appended as one. */
export function pack(request: AppendRequest, batch: (string | number)[], together = 1): void {
  const { stream, events, expected, command } = request;
  const { id: commandId, fingerprint } = command;
  batch.push(stream, expectationCode(expected), commandId, fingerprint, events.length, together);
  for (const { id, type, schemaVersion, tenantId, time, data, metadata } of events) {
    batch.push(id, type, schemaVersion, tenantId, time, data, metadata);
  }
}

/** As many digits as the largest safe integer has, so that positions compare as text. */
const ZEROS = '0000000000000000';
const POSITION = /^\d{16}$/;

export function positionOf(row: number): Position {
  const digits = String(row);
  return (ZEROS.slice(digits.length) + digits) as Position;
}

/** The row of a position; throws on what this store has not made. */
export function rowOf(position: Position): number {
  if (!POSITION.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return Number(position);
}
