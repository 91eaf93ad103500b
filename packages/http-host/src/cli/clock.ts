/** `counterfoil clock …`: shows and advances the test clock, of a running host or of a stopped one's folder. */

import { TenantId } from '@counterfoil/core';
import { type Destination, MAX_MOVE_SECONDS } from '@counterfoil/engine';
import { type Command, InvalidArgumentError } from 'commander';
import { HostClock } from './host-clock.ts';
import { type Address, type Needs, runningHost, withAddress, withHost } from './host-ways.ts';
import { type Session, tenantIdOf, WrongWords } from './session.ts';

const SECOND_MS = 1_000;

interface Place extends Address {
  readonly tenant?: number;
}

export function addClockCommands(program: Command, session: Session): void {
  const clock = program
    .command('clock')
    .description('Show and move the test clock, where TEST_CLOCK is 1');
  atPlace(clock.command('show').description('Show what time it is')).action((place: Place) =>
    withClock(session, { place, clock: 'shown' }, async (clock) => {
      const now = await clock.now();
      session.print({ now }, (console) => console.log(now));
    }),
  );
  atPlace(
    clock
      .command('advance')
      .description('Move it ahead, and do everything that becomes due')
      .argument('<duration>', 'such as 90s, 15m, 12h, 180d, 52w or 1d12h', durationSeconds),
  ).action((seconds: number, place: Place) =>
    withClock(session, { place, clock: 'moved' }, (clock) =>
      move(session, clock, { byMs: seconds * SECOND_MS }),
    ),
  );
  atPlace(
    clock
      .command('set')
      .description('Move it to an instant that is not past, and do everything that becomes due')
      .argument('<instant>', 'ISO 8601 with its zone, such as 2031-01-31T12:00:00Z', instantMs),
  ).action((toMs: number, place: Place) =>
    withClock(session, { place, clock: 'moved' }, (clock) => move(session, clock, { toMs })),
  );
}

function atPlace(command: Command): Command {
  return withAddress(command).option(
    '--tenant <id>',
    'the tenant of the key, for --url (env: COUNTERFOIL_TENANT)',
    tenantIdOf,
  );
}

async function withClock(
  session: Session,
  { place, clock }: { readonly place: Place; readonly clock: NonNullable<Needs['clock']> },
  work: (clock: HostClock) => Promise<void>,
): Promise<void> {
  const { url, tenant = tenantIn(session) } = place;
  if (url !== undefined && tenant === undefined) {
    throw new WrongWords('--url needs --tenant (COUNTERFOIL_TENANT), the tenant of the key');
  }
  if (url === undefined) await checkTestClock(session);
  // The clock of a host is that of all its tenants.
  const tenantId = url === undefined ? undefined : tenant;
  await withHost(session, place, (host) => work(new HostClock(host, tenantId)), { clock });
}

function tenantIn({ env }: Session): number | undefined {
  const given = env['COUNTERFOIL_TENANT'];
  if (given === undefined) return undefined;
  const parsed = TenantId.safeParse(Number(given));
  if (parsed.success) return parsed.data;
  throw new WrongWords('COUNTERFOIL_TENANT must be a positive whole number');
}

/** A host that runs says by itself whether it has a clock. */
async function checkTestClock(session: Session): Promise<void> {
  const config = session.config();
  if (config.testClock || (await runningHost(config)) !== undefined) return;
  throw new WrongWords('TEST_CLOCK must be 1: there is no clock to move without it');
}

async function move(session: Session, clock: HostClock, destination: Destination): Promise<void> {
  const moved = await session.withProgress('Moving the clock', (onProgress) =>
    clock.move(destination, (doneMs, totalMs) =>
      onProgress(Math.round(doneMs / SECOND_MS), Math.round(totalMs / SECOND_MS)),
    ),
  );
  const { now, steps, unfinished } = moved;
  session.print(moved, (console) => {
    console.log(`The clock shows ${now} (steps: ${steps})`);
    for (const { work, dueAt } of unfinished) {
      console.log(`Not done yet, though it is due since ${dueAt}: ${work}`);
    }
  });
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
