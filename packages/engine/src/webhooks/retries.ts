/** When a delivery that failed is tried again. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay before each try, from the failure of the one before. After the last one it is a dead letter. */
export const TRY_AFTER_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** Of a delay, added at random: receivers that were away are not met by all senders at once. */
const JITTER = 0.2;
/** The longest that a receiver may ask to wait. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * The delay after a failure, in milliseconds; undefined after the last try. `tries` are those that have
 * failed, `random` is at least 0 and less than 1.
 */
export function delayAfter(
  tries: number,
  { retryAfterMs = 0, random }: { readonly retryAfterMs?: number; readonly random: number },
): number | undefined {
  const delayMs = TRY_AFTER_MS[tries];
  if (delayMs === undefined) return undefined;
  const spreadMs = Math.round(delayMs * (1 + JITTER * random));
  return Math.max(spreadMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** `Retry-After` of an answer, as milliseconds from `now`; 0 where it says nothing. */
export function retryAfterMs(header: string | undefined, now: string): number {
  if (header === undefined) return 0;
  if (/^\d{1,10}$/.test(header.trim())) return Number(header) * SECOND_MS;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - Date.parse(now));
}
