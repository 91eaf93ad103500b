/** Runs all checks in order. Read-only. */
import type { EventStore, Position } from '@counterfoil/core';
import type { ReadModelStore } from '@counterfoil/projections';
import type { PaymentGateway } from '../gateways/payment-gateway.ts';
import { SANDBOX_GATEWAY_ID } from '../gateways/sandbox/sandbox-gateway.ts';
import type { Settings } from '../settings.ts';
import { dataFilesOf, hostDatabaseUrlOf } from '../storage/stores.ts';
import { checkGateways } from './absent-gateways.ts';
import type { Examining, Place } from './examined.ts';
import {
  type Checked,
  type CheckName,
  Findings,
  IN_QUICK,
  reasonOf,
  type Verdict,
  verdictOn,
} from './finding.ts';
import { folderPlace } from './folder.ts';
import { checkMasterKey, checkPersonalKeys, LOCKED } from './keys.ts';
import { checkOrder, checkStreams } from './log.ts';
import { checkLoss } from './loss.ts';
import { type OpenedLog, openLog } from './open-log.ts';
import { checkPages } from './pages.ts';
import { checkOpenIntents, checkParked, checkReadModels } from './read-models.ts';
import { checkCredentials } from './refused-credentials.ts';
import { sharedPlace } from './shared.ts';

export interface ExaminationOptions extends Pick<Examining, 'quick' | 'now' | 'onProgress'> {
  /** Ids of the gateways that the host is given. Default: that of the sandbox. */
  readonly gatewayIds?: readonly number[];
  /** Asked about the credentials of merchant accounts; not closed. Default: none. */
  readonly gateways?: readonly PaymentGateway[];
  /** A folder with room for the largest read model; it is left as it was. */
  readonly scratch: string;
  /** False: they are not examined, since the first start makes them. Default: true. */
  readonly hasReadModels?: boolean;
  /** Called with each check as it ends. */
  readonly onChecked: (checked: Checked) => void;
}

export interface Examination {
  readonly folder: string;
  /** Where processes share their data: host, port and name of the database. */
  readonly database?: string;
  readonly hostRuns: boolean;
  /** The last position of the log when the examination began. */
  readonly head: Position | undefined;
  readonly verdict: Verdict;
  readonly checks: readonly Checked[];
}

/** The log is in memory, so there are no files. */
export class NothingToExamine extends Error {
  override readonly name = 'NothingToExamine';
}

/** Reads only. Beside a running host it examines the log as it was when it began. */
export async function examine(config: Settings, options: ExaminationOptions): Promise<Examination> {
  const { onChecked, scratch, hasReadModels = true, ...rest } = options;
  const how = { gatewayIds: [SANDBOX_GATEWAY_ID], gateways: [], ...rest };
  const checks: Checked[] = [];
  const add = (...checked: readonly Checked[]) => {
    for (const each of checked) {
      checks.push(each);
      onChecked(each);
    }
  };
  await using opened = new AsyncDisposableStack();
  const closing = <Opened extends { close(): unknown }>(each: Opened): Opened =>
    opened.adopt(each, async (one) => {
      await one.close();
    });
  const place = closing(await placeOf(config));
  const { hostRuns, advice, database } = place;
  const log = await openLog(config);
  if (log.walks !== undefined) closing({ close: log.close });
  const unlocked = { config, place, advice, hostRuns, ...how };
  const { checked, keys, isLocked } = await checkPersonalKeys(unlocked, log.events);
  if (keys !== undefined) closing(keys);
  const examining: Examining = { ...unlocked, keys, isLocked };
  add(place.checkFiles(), await checkMasterKey(examining), checked, checkPages(examining));
  const readModels = hasReadModels ? await openedReadModels(place) : NOT_MADE_YET;
  if (readModels.store !== undefined) closing(readModels.store);
  const walked = await checkEvents(examining, log);
  add(...walked);
  add(await checkLoss(examining, log));
  const events = verdictOn(walked) === 'damage' ? undefined : log.events;
  const total = log.walks?.events ?? 0;
  add(...(await checkModels(examining, { ...readModels, events, total, scratch })));
  return {
    folder: config.dataDir,
    ...(database !== undefined && { database }),
    hostRuns,
    head: log.head,
    verdict: verdictOn(checks),
    checks,
  };
}

async function placeOf(config: Settings): Promise<Place> {
  const url = hostDatabaseUrlOf(config);
  if (url !== undefined) return sharedPlace(config, url);
  const files = dataFilesOf(config);
  if (files !== undefined) return folderPlace(config, files);
  throw new NothingToExamine('the log is in memory: there is no data folder to examine');
}

async function checkEvents(examining: Examining, log: OpenedLog): Promise<readonly Checked[]> {
  const skipped = examining.quick ? IN_QUICK : log.reason;
  if (log.walks === undefined || examining.quick) {
    return leftOut(['order', 'streams', 'journal'], skipped);
  }
  const order = await checkOrder(log.walks, examining);
  return [order, ...(await checkStreams(log.walks, examining))];
}

function leftOut(checks: readonly CheckName[], reason: string): readonly Checked[] {
  return checks.map((check) => new Findings(check).leftOut(reason));
}

interface FoundReadModels {
  readonly store: ReadModelStore | undefined;
  /** Why there are none. */
  readonly reason: string;
}

const NOT_MADE_YET: FoundReadModels = {
  store: undefined,
  reason: 'the read models are not made yet: the first start makes them',
};

async function openedReadModels(place: Place): Promise<FoundReadModels> {
  try {
    return { store: await place.openReadModels(), reason: '' };
  } catch (error) {
    return { store: undefined, reason: reasonOf(error) };
  }
}

interface Comparable extends FoundReadModels {
  /** Undefined unless the log is sound. */
  readonly events: EventStore | undefined;
  readonly total: number;
  readonly scratch: string;
}

async function checkModels(
  examining: Examining,
  { store, reason, events, total, scratch }: Comparable,
): Promise<readonly Checked[]> {
  if (store === undefined) {
    return leftOut(['gateways', 'credentials', 'parked', 'open-intents', 'read-models'], reason);
  }
  const small = [
    await checkGateways(store, examining),
    await checkCredentials(store, examining),
    await checkParked(store, examining),
    await checkOpenIntents(store, examining),
  ];
  if (examining.quick) return [...small, ...leftOut(['read-models'], IN_QUICK)];
  if (events === undefined) {
    return [...small, ...leftOut(['read-models'], 'there is no sound log to make them from')];
  }
  if (examining.isLocked) return [...small, ...leftOut(['read-models'], LOCKED)];
  return [...small, await checkReadModels(examining, { events, total, store, scratch })];
}
