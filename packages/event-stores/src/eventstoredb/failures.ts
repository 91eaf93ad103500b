/** Maps the clients' errors to codes of the event store port; which of them are transient. */
import { EventStoreError, type EventStoreErrorCode } from '@counterfoil/core';
import type { Endpoint } from './connection-string.ts';

/** Status codes of gRPC (https://grpc.io/docs/guides/status-codes/). */
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

/** A call without an answer in time, or with an unusable one: its effect is unknown. */
export class NoAnswer extends Error {}

/** The parts of the clients' errors that are used; both have the same names for them. */
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

/** What failed: a refusal has another code for a writer than for a reader. */
export type Purpose = 'append' | 'read';

/**
 * The code of a permanent failure; undefined for transient ones, after which an append may or may not
 * have happened.
 */
export function lastingCode(error: unknown, purpose: Purpose): EventStoreErrorCode | undefined {
  if (error instanceof EventStoreError) return error.code;
  const { type, code, message } = partsOf(error);
  const text = String(message ?? '');
  switch (type) {
    case 'maximum-append-size-exceeded':
      return 'too-large';
    case 'stream-deleted':
      // Streams of a ledger are never deleted: events are missing.
      return 'corrupt';
    case 'access-denied':
      return purpose === 'append' ? 'read-only' : 'unavailable';
  }
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return purpose === 'append' ? 'read-only' : 'unavailable';
  }
  if (code === RESOURCE_EXHAUSTED && /larger than max/i.test(text)) return 'too-large';
  // An overloaded connection fails with RESOURCE_EXHAUSTED too, which is transient.
  if (purpose === 'append' && /(no|not enough) space/i.test(text)) return 'full';
  if (code === INVALID_ARGUMENT || code === UNIMPLEMENTED || type === 'invalid-argument') {
    return 'unavailable';
  }
  return undefined;
}

/** The port's error; `doing` names the operation in the message. */
export function failure(code: EventStoreErrorCode, doing: string, error: unknown): EventStoreError {
  if (error instanceof EventStoreError) return error;
  return new EventStoreError(code, `${doing}: ${textOf(error)}`, { cause: error });
}

/** The message, or the type where there is none. */
export function textOf(error: unknown): string {
  const { type, message } = partsOf(error);
  if (typeof message === 'string' && message !== '') return message;
  return typeof type === 'string' ? type : String(error);
}
