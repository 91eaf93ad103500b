/** Keys that put what grows with time in descending order: keys are listed in ascending order. */

/** As many as the digits of the largest integer that a number holds exactly. */
const DIGITS = 16;

/** The part of a key for an integer from 0, such as an id or an instant in milliseconds. */
export function newestFirst(grown: number): string {
  return String(Number.MAX_SAFE_INTEGER - grown).padStart(DIGITS, '0');
}
