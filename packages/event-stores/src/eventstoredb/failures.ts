/** What the clients' errors mean for a caller of the event store, and which of them may pass. */
import { EventStoreError, type EventStoreErrorCode } from '@counterfoil/core';
import type { Endpoint } from './connection-string.ts';

/** Status codes of gRPC (https://grpc.io/docs/guides/status-codes/). */
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

/** A call that had no answer in its time, or one that cannot be believed: nothing is known of what it did. */
export class NoAnswer extends Error {}

/** The parts of the clients' errors that are looked at; both name them alike. */
interface Parts {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly leader?: unknown;
}

function partsOf(error: unknown): Parts {
  return typeof error === 'object' && error !== null ? error : {};
}

export function isType(error: unknown, type: string): boolean {
  return partsOf(error).type === type;
}

/** The leader that a follower has named. */
export function leaderOf(error: unknown): Endpoint | undefined {
  const { leader } = partsOf(error);
  if (typeof leader !== 'object' || leader === null) return undefined;
  const { address, port } = leader as Partial<Endpoint>;
  return typeof address === 'string' && typeof port === 'number' ? { address, port } : undefined;
}

/** What is being done when it fails: a refusal means another thing to a writer than to a reader. */
export type Purpose = 'append' | 'read';

/**
 * The code of a failure that will not pass by itself; undefined for all others. Those may be gone at
 * the next attempt, and an append may or may not have happened.
 */
export function lastingCode(error: unknown, purpose: Purpose): EventStoreErrorCode | undefined {
  if (error instanceof EventStoreError) return error.code;
  const { type, code, message } = partsOf(error);
  const text = String(message ?? '');
  switch (type) {
    case 'maximum-append-size-exceeded':
      return 'too-large';
    case 'stream-deleted':
      // Nobody may delete a stream of a ledger: what it told is missing.
      return 'corrupt';
    case 'access-denied':
      return purpose === 'append' ? 'read-only' : 'unavailable';
  }
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return purpose === 'append' ? 'read-only' : 'unavailable';
  }
  if (code === RESOURCE_EXHAUSTED && /larger than max/i.test(text)) return 'too-large';
  // A connection that is asked for too much says RESOURCE_EXHAUSTED too, and that passes.
  if (purpose === 'append' && /(no|not enough) space/i.test(text)) return 'full';
  if (code === INVALID_ARGUMENT || code === UNIMPLEMENTED || type === 'invalid-argument') {
    return 'unavailable';
  }
  return undefined;
}

/** The port's error for what went wrong; `doing` says in which work. */
export function failure(code: EventStoreErrorCode, doing: string, error: unknown): EventStoreError {
  if (error instanceof EventStoreError) return error;
  return new EventStoreError(code, `${doing}: ${textOf(error)}`, { cause: error });
}

/** Some errors of the clients have no message: their type says what they are. */
export function textOf(error: unknown): string {
  const { type, message } = partsOf(error);
  if (typeof message === 'string' && message !== '') return message;
  return typeof type === 'string' ? type : String(error);
}
