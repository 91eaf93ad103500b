/** `counterfoil tail`: the events of the log as they happen. */
import { once } from 'node:events';
import { styleText } from 'node:util';
import { catalog, type Position, type StoredEvent, type TenantId } from '@counterfoil/core';
import { engineOf, openEventStore } from '@counterfoil/engine/storage';
import { type Command, InvalidArgumentError } from 'commander';
import { unknownName } from '../http/invalid-input.ts';
import { refuseWithoutLog } from '../operator/refuse-without-log.ts';
import { eventJson, eventLine } from './event-lines.ts';
import { type Session, tenantIdOf, WrongWords } from './session.ts';
import { closeOnSignal } from './signals.ts';

/** `--from` for the whole log. */
const START = 'start';

interface Options {
  readonly tenant?: TenantId;
  readonly type?: readonly string[];
  readonly stream?: string;
  readonly from?: string;
  /** False with `--no-follow`. */
  readonly follow: boolean;
}

export function addTailCommand(program: Command, session: Session): void {
  program
    .command('tail')
    .description(
      'Show events of the log as they happen, beside running hosts or without any; personal data stays sealed',
    )
    .option('--tenant <id>', 'events of this tenant only', tenantIdOf)
    .option('--type <types>', 'of these types, separated by commas', typesIn)
    .option('--stream <text>', 'of streams whose names have this in them, such as a payment id')
    .option('--from <position>', `after this position; ${START}: from the beginning (default: now)`)
    .option('--no-follow', 'end with what is in the log now')
    .addHelpText('after', '\nWith --json each event is one line. Ends with Ctrl+C.')
    .action((options: Options) => tail(session, options));
}

async function tail(session: Session, options: Options): Promise<void> {
  const config = session.config();
  if (engineOf(config.eventStoreUrl) === 'memory') {
    throw new WrongWords('the log is in the memory of its host, where no command reaches it');
  }
  refuseWithoutLog(config);
  const ending = new AbortController();
  const end = () => ending.abort();
  // A reader of the output that ends, such as `head`.
  session.stdout.once('error', end).once('close', end);
  if (options.follow) closeOnSignal(async () => end());
  const events = await openEventStore(config, { follow: true });
  try {
    const after = options.from === undefined ? await events.head() : positionOf(options.from);
    const batches = subscribed(() =>
      events.subscribe({
        ...(after !== undefined && { after }),
        untilHead: !options.follow,
        signal: ending.signal,
      }),
    );
    for await (const batch of batches) {
      for (const event of batch.filter((each) => isAskedFor(each, options))) {
        await write(session, lineOf(session, event), ending.signal);
      }
    }
  } finally {
    await events.close();
    session.stdout.off('error', end).off('close', end);
  }
}

/** A type that no event has would never be shown, and nothing would say so. */
function typesIn(text: string): readonly string[] {
  const types = text.split(',').map((each) => each.trim());
  for (const type of types) {
    if (type === '') {
      throw new InvalidArgumentError('must be types of events, such as PaymentCaptured,Refunded');
    }
    if (!catalog.has(type)) throw new InvalidArgumentError(unknownName(type, [...catalog.keys()]));
  }
  return types;
}

function positionOf(from: string): Position | undefined {
  return from === START ? undefined : (from as Position);
}

/** A position that is none of this log is the caller's mistake. */
function subscribed<Batches>(subscribe: () => Batches): Batches {
  try {
    return subscribe();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) {
      throw new WrongWords(`--from takes ${START} or a position of this log: ${error.message}`);
    }
    throw error;
  }
}

function isAskedFor(event: StoredEvent, { tenant, type, stream }: Options): boolean {
  return (
    (tenant === undefined || event.tenantId === tenant) &&
    (type === undefined || type.includes(event.type)) &&
    (stream === undefined || event.stream.includes(stream))
  );
}

function lineOf({ isJson }: Session, event: StoredEvent): string {
  if (isJson) return JSON.stringify(eventJson(event));
  const { time, position, stream } = event;
  return `${styleText('dim', `${time} ${position}`)}  ${eventLine(event)}  ${styleText('cyan', stream)}`;
}

/** Waits for slow readers of the output. */
async function write({ stdout }: Session, line: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || stdout.write(`${line}\n`)) return;
  await once(stdout, 'drain', { signal }).catch(() => undefined);
}
