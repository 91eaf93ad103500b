/** Examines the log and the database that hosts share: every check in its order, beside hosts or without any. */
import { EventStoreError } from '@counterfoil/core';
import type { ReadModelStore } from '@counterfoil/projections';
import { openBooks } from '../gateways/sandbox/books.ts';
import { SANDBOX_GATEWAY_ID } from '../gateways/sandbox/sandbox-gateway.ts';
import { openHostDatabaseToRead, type ReadHostDatabase } from '../storage/host-database.ts';
import { fileOf, openReadModels } from '../storage/stores.ts';
import { checkGateways } from './absent-gateways.ts';
import { ADVICE_ON_SERVERS } from './advice.ts';
import { checkLogFile } from './databases.ts';
import type { Examining } from './examined.ts';
import { type Checked, type CheckName, Findings, reasonOf, verdictOn } from './finding.ts';
import { checkGateway } from './gateway-books.ts';
import { checkSharedAnswers } from './kept-answers.ts';
import { checkOrder, checkStreams } from './log.ts';
import { checkOpenIntents, checkParked, checkReadModels } from './read-models.ts';
import {
  checkOwnFiles,
  checkSharedKeys,
  checkSharedLoss,
  checkSharedMasterKey,
  hostRunsOn,
  type Shared,
} from './shared-checks.ts';
import { type OpenedLog, openLog } from './shared-log.ts';

const IN_QUICK = 'left out by --quick';

export interface SharedExamining
  extends Pick<Examining, 'config' | 'quick' | 'now' | 'onProgress' | 'gatewayIds'> {
  /** The database of the hosts. */
  readonly url: string;
  readonly scratch: string;
  readonly add: (...checked: readonly Checked[]) => void;
}

export interface SharedOutcome {
  /** Host, port and name of the database. */
  readonly database: string;
  readonly hostRuns: boolean;
  readonly head: OpenedLog['head'];
}

/** Reads only. Beside running hosts it examines the log as it was when it began. */
export async function examineShared(options: SharedExamining): Promise<SharedOutcome> {
  const { url, scratch, add, ...rest } = options;
  await using opened = new AsyncDisposableStack();
  const closing = <Opened extends { close(): Promise<void> }>(each: Opened): Opened =>
    opened.adopt(each, (one) => one.close());
  const database = closing(await openHostDatabaseToRead(url));
  const hostRuns = await hostRunsOn(database.pool);
  const { log, damage } = await openedLog(options);
  if (log !== undefined) closing(log);
  const unlocked = { ...rest, database, hostRuns, advice: ADVICE_ON_SERVERS };
  const { checked, keys } = database.hasTables
    ? await checkSharedKeys(unlocked, log?.events)
    : { checked: new Findings('personal-keys').leftOut(NO_HOST), keys: undefined };
  const shared: Shared = { ...unlocked, keys };
  add(checkOwnFiles(shared), await checkMasterKeyOf(shared, database), checked, checkPages(shared));
  const readModels = await openedReadModels(shared);
  if (readModels.store !== undefined) closing(readModels.store);
  const walked = await walk(shared, log);
  add(...walked);
  add(await checkLossOf(shared, { database, log, damage, store: readModels.store }));
  add(...(await checkBooks(shared, { database, log })));
  const isSound = verdictOn(walked) !== 'damage';
  add(...(await checkModels(shared, { ...readModels, log: isSound ? log : undefined, scratch })));
  return { database: database.place, hostRuns, head: log?.head };
}

const NO_HOST = 'no host has ever started on this database';
const NO_LOG = 'there is no log';

interface LogFound {
  readonly log: OpenedLog | undefined;
  /** Why it cannot be opened, although it can be reached. */
  readonly damage?: string | undefined;
}

async function openedLog({ config }: SharedExamining): Promise<LogFound> {
  try {
    return { log: await openLog(config) };
  } catch (error) {
    if (!(error instanceof EventStoreError) || error.code !== 'corrupt') throw error;
    return { log: undefined, damage: reasonOf(error) };
  }
}

async function checkMasterKeyOf(shared: Shared, { hasTables }: ReadHostDatabase): Promise<Checked> {
  if (hasTables) return checkSharedMasterKey(shared);
  const findings = new Findings('master-key');
  findings.warn(
    `${shared.database.place}: ${NO_HOST}`,
    'Nothing, if that is so. Else set READ_MODEL_URL to the database of the hosts, or restore it from a backup.',
  );
  return findings.leftOut(NO_HOST);
}

function checkPages({ config, quick }: Shared): Checked {
  const path = fileOf(config.eventStoreUrl);
  if (path !== undefined) return checkLogFile(path, { quick });
  return new Findings('pages').leftOut(
    'servers examine their own pages (PostgreSQL: pg_amcheck, pg_checksums)',
  );
}

/** What takes all events. */
async function walk(shared: Shared, log: OpenedLog | undefined): Promise<readonly Checked[]> {
  if (shared.quick || log === undefined) {
    const reason = shared.quick ? IN_QUICK : NO_LOG;
    return leftOut(['order', 'streams', 'journal'], reason);
  }
  const order = await checkOrder(log.walks, shared);
  return [order, ...(await checkStreams(log.walks, shared))];
}

function leftOut(checks: readonly CheckName[], reason: string): readonly Checked[] {
  return checks.map((check) => new Findings(check).leftOut(reason));
}

interface InDatabase {
  readonly database: ReadHostDatabase;
  readonly log: OpenedLog | undefined;
}

async function checkLossOf(
  shared: Shared,
  { database, log, damage, store }: InDatabase & LogFound & { store: ReadModelStore | undefined },
): Promise<Checked> {
  if (damage !== undefined) {
    const findings = new Findings('loss');
    findings.damage(damage, shared.advice.log);
    return findings.leftOut(damage);
  }
  if (!database.hasTables) return new Findings('loss').leftOut(NO_HOST);
  return checkSharedLoss(shared, { events: log?.events, readModels: store });
}

/** What hosts have kept beside the log, against the log. */
async function checkBooks(
  shared: Shared,
  { database, log }: InDatabase,
): Promise<readonly Checked[]> {
  if (!database.hasTables) return leftOut(['gateway', 'answers'], NO_HOST);
  if (log === undefined) return leftOut(['gateway', 'answers'], NO_LOG);
  const { pool, place } = database;
  const { events, streams, hasNames } = log;
  const books = openBooks({ database: pool, gatewayId: SANDBOX_GATEWAY_ID });
  const gateway =
    shared.quick && !hasNames
      ? new Findings('gateway').leftOut(`${IN_QUICK}: it takes the names of all streams`)
      : await checkGateway(shared, { events, streams, books, place });
  return [gateway, await checkSharedAnswers(pool, shared, events)];
}

interface ReadModelsFound {
  readonly store: ReadModelStore | undefined;
  /** Why there are none. */
  readonly reason: string;
}

async function openedReadModels({ config }: Shared): Promise<ReadModelsFound> {
  try {
    return { store: await openReadModels(config.readModelUrl, { readOnly: true }), reason: '' };
  } catch (error) {
    return { store: undefined, reason: reasonOf(error) };
  }
}

async function checkModels(
  shared: Shared,
  {
    store,
    reason,
    log,
    scratch,
  }: ReadModelsFound & { log: OpenedLog | undefined; scratch: string },
): Promise<readonly Checked[]> {
  if (store === undefined)
    return leftOut(['gateways', 'parked', 'open-intents', 'read-models'], reason);
  const small = [
    await checkGateways(store, shared),
    await checkParked(store, shared),
    await checkOpenIntents(store, shared),
  ];
  if (shared.quick) return [...small, ...leftOut(['read-models'], IN_QUICK)];
  if (log === undefined) {
    return [...small, ...leftOut(['read-models'], 'there is no sound log to make them from')];
  }
  const { events, walks } = log;
  const comparing = { events, total: walks.events, store, scratch };
  return [...small, await checkReadModels(shared, comparing)];
}
