/** Examines what a host keeps: every check in its order, each as far as the ones before it allow. */
import type { EventStore, Position } from '@counterfoil/core';
import { inspectSqliteLog, type LogInspection } from '@counterfoil/event-stores/sqlite';
import type { ReadModelStore } from '@counterfoil/projections';
import { SANDBOX_GATEWAY_ID } from '../gateways/sandbox/sandbox-gateway.ts';
import type { Settings } from '../settings.ts';
import {
  dataFilesOf,
  hostDatabaseUrlOf,
  isFile,
  openEventStore,
  openReadModels,
  readModelFiles,
} from '../storage/stores.ts';
import { checkGateways } from './absent-gateways.ts';
import { ADVICE_ON_FILES } from './advice.ts';
import { checkDatabases } from './databases.ts';
import type { Examined } from './examined.ts';
import {
  type Checked,
  type CheckName,
  Findings,
  reasonOf,
  type Verdict,
  verdictOn,
} from './finding.ts';
import { checkFiles, checkMasterKey, hostRuns, isStrange } from './folder.ts';
import { checkGatewayFile } from './gateway-books.ts';
import { checkAnswersFile } from './kept-answers.ts';
import { checkOrder, checkStreams } from './log.ts';
import { checkLoss, checkLossOfAll } from './lost-events.ts';
import { checkPersonalKeys } from './personal-keys.ts';
import { checkOpenIntents, checkParked, checkReadModels } from './read-models.ts';
import { examineShared } from './shared-examination.ts';

export interface ExaminationOptions {
  readonly quick: boolean;
  /** Ids of the gateways that the host is given. Default: that of the sandbox. */
  readonly gatewayIds?: readonly number[];
  /** A folder with room for the largest read model; it is left as it was. */
  readonly scratch: string;
  /** Milliseconds since the epoch, by the clock of the host. */
  readonly now: () => number;
  readonly onProgress: Examined['onProgress'];
  /** Told of each check as it ends. */
  readonly onChecked: (checked: Checked) => void;
}

export interface Examination {
  readonly folder: string;
  /** Where hosts share what they keep: host, port and name of their database. */
  readonly database?: string;
  readonly hostRuns: boolean;
  /** The last position of the log when the examination began. */
  readonly head: Position | undefined;
  readonly verdict: Verdict;
  readonly checks: readonly Checked[];
}

const IN_QUICK = 'left out by --quick';

/** There is nothing to examine: the log is in memory. */
export class NothingToExamine extends Error {
  override readonly name = 'NothingToExamine';
}

/** Reads only. Beside a running host it examines the log as it was when it began. */
export async function examine(config: Settings, options: ExaminationOptions): Promise<Examination> {
  const { onChecked, gatewayIds = [SANDBOX_GATEWAY_ID], ...rest } = options;
  const how = { ...rest, gatewayIds };
  const checks: Checked[] = [];
  const add = (...checked: readonly Checked[]) => {
    for (const each of checked) {
      checks.push(each);
      onChecked(each);
    }
  };
  const url = hostDatabaseUrlOf(config);
  const found =
    url === undefined
      ? await examineFolder(config, how, add)
      : await examineShared({ config, url, add, ...how });
  return { folder: config.dataDir, ...found, verdict: verdictOn(checks), checks };
}

async function examineFolder(
  config: Settings,
  { scratch, ...how }: Omit<Required<ExaminationOptions>, 'onChecked'>,
  add: Add,
): Promise<Pick<Examination, 'hostRuns' | 'head'>> {
  const files = dataFilesOf(config);
  if (files === undefined) {
    throw new NothingToExamine('the log is in memory: there is no data folder to examine');
  }
  const runs = hostRuns(files);
  const unlocked = { config, files, hostRuns: runs, advice: ADVICE_ON_FILES, ...how };
  const { checked, keys } = await checkPersonalKeys(unlocked);
  const examined: Examined = { ...unlocked, keys };
  try {
    add(checkFiles(examined), checkMasterKey(examined), checked, checkDatabases(examined));
    return { hostRuns: runs, head: await examineLog(examined, scratch, add) };
  } finally {
    await keys?.close();
  }
}

type Add = (...checked: readonly Checked[]) => void;

const FROM_THE_LOG: readonly CheckName[] = [
  'order',
  'streams',
  'journal',
  'loss',
  'gateway',
  'answers',
];

async function examineLog(
  examined: Examined,
  scratch: string,
  add: Add,
): Promise<Position | undefined> {
  const { files } = examined;
  let inspection: LogInspection;
  try {
    if (!isFile(files.events)) throw new Error('there is no log');
    inspection = inspectSqliteLog(files.events);
  } catch (error) {
    const reason = reasonOf(error);
    add(
      ...FROM_THE_LOG.map((check) =>
        check === 'loss' ? checkLossOfAll(examined, error) : new Findings(check).leftOut(reason),
      ),
    );
    await examineReadModels(examined, undefined, scratch, add);
    return undefined;
  }
  try {
    const { head } = inspection;
    const log = examined.quick ? [] : [await checkOrder(inspection, examined)];
    if (!examined.quick) log.push(...(await checkStreams(inspection, examined)));
    for (const check of examined.quick ? (['order', 'streams', 'journal'] as const) : []) {
      log.push(new Findings(check).leftOut(IN_QUICK));
    }
    add(...log);
    await withFollower(files.events, async (events, reason) => {
      if (events === undefined) {
        const leftOut = (check: CheckName) => new Findings(check).leftOut(reason);
        add(leftOut('loss'), leftOut('gateway'), leftOut('answers'));
      } else {
        add(
          await checkLoss(examined, events),
          await checkGatewayFile(examined, { events, streams: inspection }),
          await checkAnswersFile(examined, events),
        );
      }
      const isSound = verdictOn(log) !== 'damage';
      const total = inspection.events;
      await examineReadModels(examined, isSound ? { events, total } : undefined, scratch, add);
    });
    return head;
  } finally {
    inspection.close();
  }
}

/** The log as the read models read it; undefined, with the reason, where it cannot be opened so. */
async function withFollower(
  path: string,
  work: (events: EventStore | undefined, reason: string) => Promise<void>,
): Promise<void> {
  let events: EventStore;
  try {
    events = await openEventStore({ eventStoreUrl: `sqlite:${path}` }, { follow: true });
  } catch (error) {
    await work(undefined, reasonOf(error));
    return;
  }
  try {
    await work(events, '');
  } finally {
    await events.close();
  }
}

interface SoundLog {
  readonly events: EventStore | undefined;
  readonly total: number;
}

const MODELS: readonly CheckName[] = ['gateways', 'parked', 'open-intents', 'read-models'];

async function examineReadModels(
  examined: Examined,
  log: SoundLog | undefined,
  scratch: string,
  add: Add,
): Promise<void> {
  const findings = new Findings('read-models');
  let store: ReadModelStore;
  try {
    const strange = readModelFiles(examined.files).find(isStrange);
    if (strange !== undefined) throw new Error(`${strange} is not a file`);
    store = await openReadModels(examined.config.readModelUrl, { readOnly: true });
  } catch (error) {
    const leftOut = (check: CheckName) => new Findings(check).leftOut(reasonOf(error));
    add(...MODELS.map(leftOut));
    return;
  }
  try {
    add(
      await checkGateways(store, examined),
      await checkParked(store, examined),
      await checkOpenIntents(store, examined),
    );
    if (examined.quick) add(findings.leftOut(IN_QUICK));
    else if (log?.events === undefined) {
      add(findings.leftOut('there is no sound log to make them from'));
    } else {
      const { events, total } = log;
      add(await checkReadModels(examined, { events, total, store, scratch }));
    }
  } finally {
    await store.close();
  }
}
