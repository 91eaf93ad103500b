/** Versions that callers saw: a command about what has changed since is rejected. */

export interface Stale {
  readonly type: 'StaleRowVersion';
  readonly rowVersion: number;
  readonly current: number;
}

/** Undefined where the caller saw the current version, or named none. */
export function staleness(rowVersion: number | undefined, current: number): Stale | undefined {
  if (rowVersion === undefined || rowVersion === current) return undefined;
  return { type: 'StaleRowVersion', rowVersion, current };
}
