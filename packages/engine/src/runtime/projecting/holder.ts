/** The names under which processes take leases on the read models. */
import { hostname } from 'node:os';
import { uuidV7 } from '../../ids.ts';
import { hostDatabaseUrlOf, type Located } from '../../storage/stores.ts';

/**
 * Names the host of a log that only one can have: the lease of a killed one is taken up at once by
 * its successor.
 */
export const ONLY_HOST = 'host';

/** Where several processes share the read models, each has a name that no other one ever has. */
export function holderFor(located: Located): string {
  return hostDatabaseUrlOf(located) === undefined ? ONLY_HOST : `${hostname()}-${uuidV7()}`;
}
