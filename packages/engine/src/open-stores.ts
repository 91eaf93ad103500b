/** Opens the stores of a ledger, each one checked against those before it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Progress } from '@counterfoil/projections';
import type { Logger } from './logger.ts';
import { openPersonalKeys } from './personal-keys/open-personal-keys.ts';
import { holderFor } from './runtime/projecting/holder.ts';
import { loadMasterKey, type Settings } from './settings.ts';
import { agreeOnLog, agreeOnMasterKey } from './storage/agreement.ts';
import { replaceDamagedReadModels, StorageError } from './storage/damaged-files.ts';
import { refuseLostEvents } from './storage/lost-events.ts';
import { refuseMoved } from './storage/move-marks.ts';
import { type HostDatabase, openHostDatabase } from './storage/open-host-database.ts';
import {
  type DataFiles,
  dataFilesOf,
  fileOf,
  hostDatabaseUrlOf,
  isInMemory,
  openEventStore,
  openReadModels,
  openSharedReadModels,
} from './storage/stores.ts';
import { UNFINISHED_ADVICE, unfinishedRestoreOf } from './storage/unfinished-restore.ts';

export type OpenStores = Awaited<ReturnType<typeof openStores>>;

/** `opening` closes again what was opened, should a later store fail. */
export async function openStores(
  settings: Settings,
  { logger, opening }: { readonly logger: Logger; readonly opening: AsyncDisposableStack },
) {
  makeFolders(settings);
  const { readModelUrl, projectionShards: shards } = settings;
  const closing = <Opened extends { close(): unknown }>(opened: Opened): Opened =>
    opening.adopt(opened, async (each) => {
      await each.close();
    });
  const hostDatabase = await openDatabaseOf(settings, logger);
  if (hostDatabase !== undefined) closing(hostDatabase);
  await refuseMovedStores(settings, hostDatabase);
  const files = dataFilesOf(settings);
  // Before the log is made, which a restore brings last.
  if (files !== undefined) refuseUnfinishedRestore(files);
  const events = closing(await openEventStore(settings));
  const headAtStart = await events.head();
  if (files !== undefined) await refuseLostEvents(files, events);
  const masterKey = loadMasterKey(settings);
  if (hostDatabase !== undefined) await agreeOnMasterKey(hostDatabase, masterKey);
  const personalKeys = closing(
    await openPersonalKeys({ located: settings, masterKey, events, database: hostDatabase }),
  );
  replaceDamagedReadModels(settings, logger);
  const progress = new Progress();
  const isWrittenElsewhere = !isInMemory(settings);
  const reading = { readOnly: isWrittenElsewhere, news: () => progress.news };
  const sharedReadModels =
    hostDatabase && closing(await openSharedReadModels(readModelUrl, reading));
  const readModels = sharedReadModels ?? closing(await openReadModels(readModelUrl, reading));
  // Queries open their read models read-only; a lease is written through another connection.
  const leases = isWrittenElsewhere
    ? closing(await openReadModels(readModelUrl, { shards }))
    : readModels;
  if (hostDatabase !== undefined) {
    await agreeOnLog({ database: hostDatabase, events, readModels });
  }
  return {
    /** Undefined where the ledger keeps its own tables in files, or in memory. */
    hostDatabase,
    events,
    headAtStart,
    masterKey,
    personalKeys,
    progress,
    readModels,
    /** The same ones, where several processes share them. */
    sharedReadModels,
    leases,
    /** Names this process to the others for as long as it runs. */
    holder: holderFor(settings),
  };
}

function makeFolders({ dataDir, eventStoreUrl, readModelUrl }: Settings): void {
  const files = [eventStoreUrl, readModelUrl].map(fileOf).filter((path) => path !== undefined);
  if (isInMemory({ dataDir, eventStoreUrl, readModelUrl })) return;
  for (const folder of [dataDir, ...files.map((path) => dirname(path))]) {
    mkdirSync(folder, { recursive: true });
  }
}

function refuseUnfinishedRestore(files: DataFiles): void {
  const unfinished = unfinishedRestoreOf(files);
  if (unfinished !== undefined) throw new StorageError(`${unfinished}. ${UNFINISHED_ADVICE}`);
}

/** A folder has a mark of its own, and so has the database that hosts share. */
export async function refuseMovedStores(
  settings: Settings,
  hostDatabase: HostDatabase | undefined,
): Promise<void> {
  if (hostDatabase !== undefined) {
    await refuseMoved({ pool: hostDatabase.pool }, hostDatabase.place);
  } else if (dataFilesOf(settings) !== undefined) {
    await refuseMoved({ folder: settings.dataDir }, settings.dataDir);
  }
}

/** The database that processes share; undefined where they share none. */
export async function openDatabaseOf(
  settings: Settings,
  logger: Logger,
): Promise<HostDatabase | undefined> {
  const url = hostDatabaseUrlOf(settings);
  if (url === undefined) return undefined;
  const onLostConnection = (error: Error) =>
    logger.warn({ err: error }, 'a connection to the shared database was lost');
  return openHostDatabase(url, { onLostConnection });
}
