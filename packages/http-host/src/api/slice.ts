/** What each slice of the interface declares of itself; `slices.ts` lists them all. */
import type { Refusal, RefusalCode } from '@counterfoil/engine';
import type { Endpoint } from '../http/endpoint.ts';
import type { ErrorCode, ErrorDetail } from '../http/errors.ts';

/** What callers are answered when the engine refuses. */
export interface Row<Each> {
  readonly code: ErrorCode;
  /** A sentence with the facts; absent where the title of the code says it all. */
  readonly text?: string | ((facts: Each) => string);
  readonly errors?: (facts: Each) => readonly ErrorDetail[];
}

export type RefusalOf<Code extends RefusalCode> = Extract<Refusal, { type: Code }>;
export type Rows<Code extends RefusalCode = RefusalCode> = {
  readonly [Each in Code]: Row<RefusalOf<Each>>;
};

export function rows<Code extends RefusalCode>(table: Rows<Code>): Rows<Code> {
  return table;
}

export interface ApiSlice<Services, Code extends RefusalCode> {
  readonly endpoints: (services: Services) => readonly Endpoint[];
  /** A refusal of several slices stands in one of them. */
  readonly refusals: Rows<Code>;
}

export function apiSlice<Services, Code extends RefusalCode = never>(
  endpoints: (services: Services) => readonly Endpoint[],
  refusals: Rows<Code> = {} as Rows<Code>,
): ApiSlice<Services, Code> {
  return { endpoints, refusals };
}
