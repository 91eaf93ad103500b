/** The sections of the console, in the order of its navigation. */
import { ACCOUNT } from './account/slice.ts';
import { OVERVIEW } from './overview/slice.ts';
import type { ConsoleSlice } from './slice.ts';

export const CONSOLE: readonly ConsoleSlice[] = [OVERVIEW, ACCOUNT];
