/** Classifies errors of PostgreSQL and of the network to it. */

/** By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html): the same may succeed when it is asked again. */
const BROKEN_OFF = /^(08|40|53300|57P0)/;
/** It works too long, waits for a lock too long, takes no connections, or no writes: a standby, or a full disk. */
const HELD_UP = /^(53|57|55000|55P03|25006|25P0)/;
const NETWORK: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** What the driver says, without a code, of a connection that is gone. */
const GONE = /^(connection terminated|client has encountered|client was closed)/i;
/** What it says where no connection or no answer was to be had in time. */
const TOO_LATE = /^(timeout e|query read timeout|connection terminated due to connection timeout)/i;

/** Whether a connection or a transaction broke, so that asking again at once may help. */
export function isBrokenOff(error: unknown): boolean {
  const { code, message } = partsOf(error);
  if (typeof code !== 'string') return GONE.test(message) && !TOO_LATE.test(message);
  return NETWORK.has(code) || (isState(error) && BROKEN_OFF.test(code));
}

/** Whether the database cannot serve at the moment, whatever was asked of it. */
export function isOutage(error: unknown): boolean {
  if (isBrokenOff(error)) return true;
  const { code, message } = partsOf(error);
  return typeof code === 'string' ? isState(error) && HELD_UP.test(code) : TOO_LATE.test(message);
}

/** The system's codes may look alike: an error of PostgreSQL carries a severity. */
function isState(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

function partsOf(error: unknown): { readonly code?: unknown; readonly message: string } {
  return error instanceof Error ? error : { message: '' };
}
