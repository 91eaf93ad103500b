/** A process that only runs the projections. */
import { Progress } from '@counterfoil/projections';
import type { Logger } from './logger.ts';
import { openDatabaseOf, refuseMovedStores } from './open-stores.ts';
import { refuseLostKeys } from './personal-keys/open-personal-keys.ts';
import { holderFor } from './runtime/projecting/holder.ts';
import { projectionsOf } from './runtime/projecting/open-projecting.ts';
import { ProjectionThread } from './runtime/projecting/projecting.ts';
import { ConfigError, loadMasterKey, type Settings } from './settings.ts';
import { agreeOnLog, agreeOnMasterKey } from './storage/agreement.ts';
import { openEventStore, openReadModels } from './storage/stores.ts';

export interface RunningWorker {
  /** Resolves when the read models are prepared, by this worker or by another. */
  readonly started: Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a worker beside processes that share a log. Throws a ConfigError where no process would see its
 * work, and what opening a ledger throws that is given another key or log than those before it.
 */
export async function runWorker(settings: Settings, logger: Logger): Promise<RunningWorker> {
  const masterKey = loadMasterKey(settings);
  await agreeWithOthers(settings, { masterKey, logger });
  const holder = holderFor(settings);
  const projecting = new ProjectionThread(projectionsOf(settings, { holder, masterKey }), {
    progress: new Progress(),
    logger,
  });
  return { started: projecting.started, close: () => projecting.stop(undefined) };
}

async function agreeWithOthers(
  settings: Settings,
  { masterKey, logger }: { readonly masterKey: Buffer; readonly logger: Logger },
): Promise<void> {
  const { readModelUrl } = settings;
  const database = await openDatabaseOf(settings, logger);
  if (database === undefined) {
    throw new ConfigError(['READ_MODEL_URL must be a postgres:// URL for a worker']);
  }
  await using opened = new AsyncDisposableStack();
  opened.defer(() => database.close());
  await refuseMovedStores(settings, database);
  await agreeOnMasterKey(database, masterKey);
  const events = await openEventStore(settings, { follow: true });
  opened.defer(() => events.close());
  const readModels = await openReadModels(readModelUrl, { readOnly: true });
  opened.defer(() => readModels.close());
  await agreeOnLog({ database, events, readModels });
  await refuseLostKeys({ masterKey, events, database });
}
