/** Names of processes as lease holders on the read models. */
import { hostname } from 'node:os';
import { uuidV7 } from '../../ids.ts';
import { hostDatabaseUrlOf, type Located } from '../../storage/stores.ts';

/**
 * The holder of a log that only one host can open: a restarted host reacquires its lease at once.
 */
export const ONLY_HOST = 'host';

/** Processes that share read models have unique names. */
export function holderFor(located: Located): string {
  return hostDatabaseUrlOf(located) === undefined ? ONLY_HOST : `${hostname()}-${uuidV7()}`;
}
