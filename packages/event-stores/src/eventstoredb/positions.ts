/** Positions of the log: texts that sort like the places on the server. */
import { EventStoreError, type Position } from '@counterfoil/core';

/** A place in the log of the server: unsigned numbers of 64 bits. */
export interface Place {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const DIGITS = 16;
const FORM = /^(?<commit>[0-9a-f]{16})-(?<prepare>[0-9a-f]{16})$/;
/** Sent by servers that do not report the place. */
const UNKNOWN = 2n ** 64n - 1n;

export function positionOf(place: Place | undefined): Position {
  if (place === undefined || place.commit === UNKNOWN || place.prepare === UNKNOWN) {
    throw new EventStoreError(
      'unavailable',
      'the server does not report the position of an event: it must be of version 22.6 or later',
    );
  }
  return `${hex(place.commit)}-${hex(place.prepare)}` as Position;
}

function hex(value: bigint): string {
  return value.toString(16).padStart(DIGITS, '0');
}

/** Throws a RangeError for a position of another adapter. */
export function placeOf(position: Position): Place {
  const { commit, prepare } = FORM.exec(position)?.groups ?? {};
  if (commit === undefined || prepare === undefined) {
    throw new RangeError(`not a position of this log: ${position}`);
  }
  return { commit: BigInt(`0x${commit}`), prepare: BigInt(`0x${prepare}`) };
}

/** Negative when the first is before the second. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.commit !== other.commit) return one.commit < other.commit ? -1 : 1;
  if (one.prepare === other.prepare) return 0;
  return one.prepare < other.prepare ? -1 : 1;
}
