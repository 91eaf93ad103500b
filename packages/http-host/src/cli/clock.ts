/** `counterfoil clock …`: shows and advances the test clock, of a running host or of a stopped one's folder. */

import { ConfigError, type Destination, MAX_MOVE_SECONDS } from '@counterfoil/engine';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withProgressBar } from './progress-bar.ts';
import { type ReachedClock, RemoteClock } from './remote-clock.ts';
import type { Session } from './session.ts';

const SECOND_MS = 1_000;

interface Place {
  readonly url?: string;
  readonly key?: string;
  readonly tenant?: string;
}

export function addClockCommands(program: Command, session: Session): void {
  const clock = program
    .command('clock')
    .description('Show and move the test clock, where TEST_CLOCK is 1');
  atPlace(clock.command('show').description('Show what time it is')).action((place: Place) =>
    withClock(session, place, async (reached) => session.console.log(await reached.now())),
  );
  atPlace(
    clock
      .command('advance')
      .description('Move it ahead, and do everything that becomes due')
      .argument('<duration>', 'such as 90s, 15m, 12h, 180d, 52w or 1d12h', durationSeconds),
  ).action((seconds: number, place: Place) =>
    withClock(session, place, (reached) => move(session, reached, { byMs: seconds * SECOND_MS })),
  );
  atPlace(
    clock
      .command('set')
      .description('Move it to an instant that is not past, and do everything that becomes due')
      .argument('<instant>', 'ISO 8601 with its zone, such as 2031-01-31T12:00:00Z', instantMs),
  ).action((toMs: number, place: Place) =>
    withClock(session, place, (reached) => move(session, reached, { toMs })),
  );
}

function atPlace(command: Command): Command {
  return command
    .option('--url <url>', 'of a running host; the stores of stopped ones when absent')
    .addOption(
      new Option('--key <key>', 'an API key with the scope clock:write, for --url').env(
        'COUNTERFOIL_API_KEY',
      ),
    )
    .addOption(
      new Option('--tenant <id>', 'the tenant of the key, for --url').env('COUNTERFOIL_TENANT'),
    );
}

async function withClock(
  session: Session,
  { url, key, tenant }: Place,
  work: (clock: ReachedClock) => Promise<void>,
): Promise<void> {
  if (url !== undefined) {
    if (key === undefined || tenant === undefined) {
      throw new ConfigError(['--url needs --key (COUNTERFOIL_API_KEY) and --tenant']);
    }
    return work(new RemoteClock({ url, key, tenant }));
  }
  if (!session.config().testClock) {
    throw new ConfigError(['TEST_CLOCK must be 1: there is no clock to move without it']);
  }
  return session.withOnlyHost(async ({ testClock }) => {
    if (testClock === undefined) throw new Error('a host with TEST_CLOCK=1 has a test clock');
    await work({
      now: async () => testClock.now(),
      move: (destination, onStep) => testClock.move(destination, { onStep }),
    });
  });
}

async function move(
  { stdout, console }: Session,
  clock: ReachedClock,
  destination: Destination,
): Promise<void> {
  const { now, steps, unfinished } = await withProgressBar(
    stdout,
    'Moving the clock',
    (onProgress) =>
      clock.move(destination, (doneMs, totalMs) =>
        onProgress(Math.round(doneMs / SECOND_MS), Math.round(totalMs / SECOND_MS)),
      ),
  );
  console.log(`The clock shows ${now} (steps: ${steps})`);
  for (const { work, dueAt } of unfinished) {
    console.log(`Not done yet, though it is due since ${dueAt}: ${work}`);
  }
}

const UNITS = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;
const DURATION = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;

function durationSeconds(text: string): number {
  const found = DURATION.exec(text);
  if (found === null || text === '')
    throw new InvalidArgumentError('must be a duration such as 180d or 1d12h');
  const seconds = UNITS.reduce(
    (sum, [, length], index) => sum + Number(found[index + 1] ?? 0) * length,
    0,
  );
  if (seconds <= MAX_MOVE_SECONDS) return seconds;
  throw new InvalidArgumentError('must be at most ten years (3652d)');
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

function instantMs(text: string): number {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError('must be an instant, such as 2031-01-31T12:00:00Z');
}
