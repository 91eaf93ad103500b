/** All that is measured, in the order in which it is. */
import type { Stage } from './harness/stage.ts';
import { append } from './stages/append.ts';
import { load } from './stages/load.ts';

export const stages: readonly Stage[] = [append, load];
