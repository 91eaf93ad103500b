/** How appends and their answers cross between the threads: flat arrays, which clone several times faster than objects. */
import type { AppendRequest, AppendResult, Position } from '@counterfoil/core';
import { expectationCode } from '../append-request.ts';
import type { Failure } from './failures.ts';

/** What the writer's thread is started with. */
export interface WriterOptions {
  readonly path: string;
}

/** Its first message: the head of the log, or why the log could not be opened. */
export type WriterGreeting = { readonly head: number } | { readonly failure: Failure };

/** The last message to it; all others are parts of batches. */
export const END = 'end';

/** Commands one after the other: `COMMAND_FIELDS` values, then `EVENT_FIELDS` for each of its events. */
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

/** stream, expectation, command id, fingerprint, number of events */
export const COMMAND_FIELDS = 5;
/** id, type, schema version, tenant, time, data, metadata */
export const EVENT_FIELDS = 7;
export const REPLY_FIELDS = 3;

export const APPENDED = 0;
export const REPEATED = 1;
export const CONFLICT = 2;
export const COMMAND_ID_REUSED = 3;
export const FAILED = 4;

/** Adds a measured request to a batch. */
export function pack(request: AppendRequest, batch: (string | number)[]): void {
  const { stream, events, expected, command } = request;
  batch.push(stream, expectationCode(expected), command.id, command.fingerprint, events.length);
  for (const { id, type, schemaVersion, tenantId, time, data, metadata } of events) {
    batch.push(id, type, schemaVersion, tenantId, time, data, metadata);
  }
}

/** Reads one answer that is not a failure. */
export function resultOf(outcome: number, revision: number, position: number): AppendResult {
  switch (outcome) {
    case APPENDED:
      return { outcome: 'appended', revision, position: positionOf(position) };
    case REPEATED:
      return { outcome: 'repeated', revision, position: positionOf(position) };
    case CONFLICT:
      return { outcome: 'conflict', actual: revision };
    case COMMAND_ID_REUSED:
      return { outcome: 'command-id-reused' };
    default:
      throw new Error(`not an outcome: ${outcome}`);
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
