/** Messages between a ledger and the thread that writes its activity. */

export interface ActivityThreadData {
  readonly path: string;
  /** Pragmas of the connection. */
  readonly settings: string;
  /** Values of a record. */
  readonly fields: number;
  /** Statements: add a record; remove those before an id, at most so many. */
  readonly add: string;
  readonly remove: string;
}

/** The last message to the thread; all others are answered in their order. */
export const END = 'end';

export type ToWriter =
  /** Records one after the other in a flat list, which clones several times faster than objects. */
  | { readonly type: 'add'; readonly values: readonly (string | number | null)[] }
  | { readonly type: 'remove'; readonly before: string; readonly limit: number }
  | typeof END;

/** How many records were written or removed, or why none was. */
export type FromWriter = { readonly changed: number } | { readonly error: unknown };
