/** `counterfoil move`: moves a ledger between a folder and servers. */
import { join, resolve } from 'node:path';
import { type Moved, type MoveStep, moveLedger, type Stores } from '@counterfoil/engine/move';
import {
  EVENT_STORE_SCHEMES,
  engineOf,
  hostDatabaseUrlOf,
  isShared,
} from '@counterfoil/engine/storage';
import { isLogPrefix, LOG_PREFIX_FORM } from '@counterfoil/event-stores/eventstoredb';
import { type Command, Option } from 'commander';
import type { Config } from '../config.ts';
import { refuseBesideHost } from './host-ways.ts';
import { PhaseBar } from './progress-bar.ts';
import { type Session, WrongWords } from './session.ts';

interface Options {
  readonly to?: string;
  readonly toReadModels?: string;
  readonly toPrefix?: string;
}

const TITLES: Readonly<Record<MoveStep, string>> = {
  count: 'Counting events',
  log: 'Copying events',
  'compare-log': 'Comparing events',
  tables: 'Copying tables',
  'compare-tables': 'Comparing tables',
};
/** Longer than the letter of a drive. */
const URL_SCHEME = /^[a-z][a-z+]+:/i;

export function addMoveCommand(program: Command, session: Session): void {
  program
    .command('move')
    .description(
      'Move the ledger of this environment to a folder, PostgreSQL or EventStoreDB, with no host on either side; goes on where it was stopped, and compares everything at the end',
    )
    .addOption(new Option('--to <folder or url>', 'where to (env: COUNTERFOIL_TO, for passwords)'))
    .option(
      '--to-read-models <url>',
      'the PostgreSQL for all but the log (env: COUNTERFOIL_TO_READ_MODELS; default: the PostgreSQL of --to)',
    )
    .option('--to-prefix <prefix>', 'of an EventStoreDB: what the names of its streams begin with')
    .action((options: Options) => move(session, options));
}

async function move(session: Session, options: Options): Promise<void> {
  const config = session.config();
  const to = targetOf(session, config, options);
  // Servers are held by leases, which tell of no process.
  if (!isShared(config.eventStoreUrl)) await refuseBesideHost(config);
  const bar = session.isJson ? undefined : new PhaseBar(session.stderr);
  let step: MoveStep | undefined;
  const moving = moveLedger({
    from: config,
    to,
    onProgress(next, done, total) {
      bar?.show(TITLES[next], done, total);
      if (done < total || step === next) return;
      step = next;
      bar?.clear();
      session.say(`${TITLES[next]}: ${total}`);
    },
  });
  const moved = await moving.finally(() => bar?.clear());
  session.print(moved, (console) => console.log(summaryOf(moved, to)));
}

function targetOf(session: Session, config: Config, options: Options): Stores {
  const to = options.to ?? session.env['COUNTERFOIL_TO'] ?? '';
  const readModels = options.toReadModels ?? session.env['COUNTERFOIL_TO_READ_MODELS'];
  const { toPrefix } = options;
  if (to === '') throw new WrongWords('--to names where the ledger is to be moved');
  if (toPrefix !== undefined && !isLogPrefix(toPrefix)) {
    throw new WrongWords(`--to-prefix must be ${LOG_PREFIX_FORM}`);
  }
  if (!URL_SCHEME.test(to)) {
    if (readModels !== undefined) throw new WrongWords('--to-read-models is for a log on a server');
    return inFolder(resolve(to), config);
  }
  const scheme = to.slice(0, to.indexOf(':') + 1);
  if (EVENT_STORE_SCHEMES[scheme] === undefined || !isShared(to)) {
    throw new WrongWords(
      `--to takes a folder, or a URL of PostgreSQL or EventStoreDB; ${scheme} is neither`,
    );
  }
  const readModelUrl = readModels ?? (engineOf(to) === 'postgres' ? to : '');
  if (readModelUrl === '' || hostDatabaseUrlOf({ ...config, readModelUrl }) === undefined) {
    throw new WrongWords('--to-read-models must name the PostgreSQL for all but the log');
  }
  const { dataDir, eventStoreClient } = config;
  return {
    dataDir,
    eventStoreUrl: to,
    readModelUrl,
    ...(eventStoreClient !== undefined && { eventStoreClient }),
    eventStorePrefix: toPrefix,
  };
}

function inFolder(dataDir: string, { dataDir: own }: Config): Stores {
  if (dataDir === resolve(own)) throw new WrongWords('--to names the folder of this environment');
  return {
    dataDir,
    eventStoreUrl: `sqlite:${join(dataDir, 'events.db')}`,
    readModelUrl: `sqlite:${join(dataDir, 'read-models.db')}`,
  };
}

function summaryOf({ from, to, events, digest, tables }: Moved, target: Stores): string {
  const rows = tables.reduce((sum, each) => sum + each.rows, 0);
  const variables = isShared(target.eventStoreUrl)
    ? 'EVENT_STORE_URL, READ_MODEL_URL'
    : `DATA_DIR=${target.dataDir}`;
  return [
    `${to} holds the ledger of ${from}: ${events} events and ${rows} rows of ${tables.length} tables, each the same on both sides`,
    `events: ${digest}`,
    `Start hosts with ${variables} and the same master key. None starts on ${from} any more.`,
  ].join('\n');
}
