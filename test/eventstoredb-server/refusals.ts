// The errors of the protocol: status, text and trailers as the real server sends them.
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import type { Refusal } from './faults.ts';
import type { Expected } from './log.ts';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export function notLeader(leader: Endpoint): StatusObject {
  return refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.address,
    'leader-endpoint-port': String(leader.port),
  });
}

export function noLeader(): StatusObject {
  return refusal(status.UNKNOWN, 'No leader info available in response');
}

export function streamDeleted(stream: string): StatusObject {
  return refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

/** For deletions; an append answers this with a message of its own. */
export function wrongExpectedVersion(
  stream: string,
  expected: Expected,
  current: bigint,
): StatusObject {
  const version = expectedNumber(expected);
  const text =
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, ` +
    `Expected version: ${version}, Actual version: ${current}`;
  return refusal(status.FAILED_PRECONDITION, text, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(version),
    'actual-version': String(current),
  });
}

export function appendTooLarge(maxAppendSize: number): StatusObject {
  return refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${maxAppendSize} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maxAppendSize),
  });
}

export function metadataMissing(name: string): StatusObject {
  return refusal(status.INVALID_ARGUMENT, `Required Metadata Property '${name}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });
}

export function invalidPosition(): StatusObject {
  return refusal(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
}

export function invalidArgument(text: string): StatusObject {
  return refusal(status.INVALID_ARGUMENT, text);
}

/** What a server that drops those who read too slowly ends their subscription with. */
export function slowConsumer(): StatusObject {
  return refusal(status.UNKNOWN, 'Exception was thrown by handler.');
}

export function shuttingDown(): StatusObject {
  return refusal(status.CANCELLED, 'The server is shutting down.');
}

/** What the fault switch `refuse` answers. */
export function refusalOf(reason: Refusal, maxAppendSize: number): StatusObject {
  switch (reason) {
    case 'diskFull':
      return refusal(status.RESOURCE_EXHAUSTED, 'There is not enough space on the disk.');
    case 'appendTooLarge':
      return appendTooLarge(maxAppendSize);
    case 'notReady':
      return refusal(status.UNAVAILABLE, 'Server Is Not Ready');
    case 'tooBusy':
      return refusal(status.UNAVAILABLE, 'Server Is Too Busy');
    case 'noLeader':
      return noLeader();
    case 'commitTimeout':
      return refusal(status.ABORTED, 'Operation timed out: Commit timed out.');
    case 'accessDenied':
      return refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
    case 'unauthenticated':
      return refusal(status.UNAUTHENTICATED, '');
  }
}

function refusal(
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): StatusObject {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return { code, details, metadata };
}

/** The real server counts the expectations without a revision below zero. */
function expectedNumber(expected: Expected): bigint {
  switch (expected) {
    case 'any':
      return -2n;
    case 'noStream':
      return -1n;
    case 'streamExists':
      return -4n;
    default:
      return expected;
  }
}
