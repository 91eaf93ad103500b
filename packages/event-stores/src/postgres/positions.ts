/** Positions of a log in PostgreSQL: a transaction's place and the ordinal of an event in it. */
import type { Position } from '@counterfoil/core';

/** As many digits as the largest `bigint` has. */
const TRANSACTION_DIGITS = 19;
const ORDINAL_DIGITS = 10;
const POSITION = /^\d{29}$/;

/** Before every event: transactions begin at 3. */
export const BEFORE_ALL = '0'.repeat(TRANSACTION_DIGITS + ORDINAL_DIGITS) as Position;

export function positionOf(transaction: string, ordinal: number): Position {
  const text = transaction.padStart(TRANSACTION_DIGITS, '0');
  return (text + String(ordinal).padStart(ORDINAL_DIGITS, '0')) as Position;
}

/** The parts of a position as PostgreSQL takes them; throws on what this store has not made. */
export function partsOf(position: Position): readonly [transaction: string, ordinal: string] {
  if (!POSITION.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return [position.slice(0, TRANSACTION_DIGITS), position.slice(TRANSACTION_DIGITS)];
}
