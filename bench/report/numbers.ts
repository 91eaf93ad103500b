/** Formats figures. */
import { spreadOf } from '../harness/rounds.ts';

/** Three significant digits, and whole thousands in groups. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

/** The median of several rounds, and the smallest and the largest: `25 (23–40)`. */
export function spread(values: readonly number[], digits: number): string {
  const { median, smallest, largest } = spreadOf(values);
  const [at, from, to] = [median, smallest, largest].map((each) => each.toFixed(digits));
  return `${at} (${from}–${to})`;
}
