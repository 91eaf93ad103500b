/** The command line of the example. */
import { parseArgs } from 'node:util';

export const USAGE =
  'npx -y pnpm@12 example:cluster [--seconds 60] [--seed 7] [--log postgres|eventstoredb]';

const LOGS = ['postgres', 'eventstoredb'] as const;
export type Log = (typeof LOGS)[number];

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 24 * 60 * 60;
const SEEDS = 2 ** 31;

export interface Options {
  /** How long processes are killed. */
  readonly seconds: number;
  /** Determines the load and the kills; scheduling by the kernel still varies. */
  readonly seed: number;
  /** The store of the events. */
  readonly log: Log;
}

/** An invalid command line; the message explains why. */
export class BadOption extends Error {
  override readonly name = 'BadOption';
}

export function readOptions(args: readonly string[]): Options {
  const { seconds, seed, log = 'postgres' } = valuesOf(args);
  const known = LOGS.find((each) => each === log);
  if (known === undefined) throw new BadOption(`--log must be one of ${LOGS.join(', ')}`);
  return {
    seconds: numberOf('--seconds', seconds, { least: 1, most: MOST_SECONDS }) ?? DEFAULT_SECONDS,
    seed: numberOf('--seed', seed, { least: 0, most: SEEDS - 1 }) ?? drawnSeed(),
    log: known,
  };
}

function valuesOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: [...args], options: { seconds: text, seed: text, log: text } }).values;
  } catch (error) {
    throw new BadOption((error as Error).message);
  }
}

function numberOf(
  name: string,
  text: string | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new BadOption(`${name} must be a whole number from ${least} to ${most}`);
}

function drawnSeed(): number {
  return Math.floor(Math.random() * SEEDS);
}
