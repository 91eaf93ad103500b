/** Custom projections of the application, run in this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyVault, PersonalDataVault } from '@counterfoil/core';
import { type OwnProjection, Progress, type View, viewOf } from '@counterfoil/projections';
import type { Logger } from '../../logger.ts';
import type { OpenStores } from '../../open-stores.ts';
import { refused } from '../../refusal.ts';
import { ConfigError } from '../../settings.ts';
import type { ReadSide } from '../read-side.ts';
import { type Projecting, ProjectionInProcess, SharedProjections } from './projecting.ts';

/** Small, so that a batch does not block the event loop for long. */
const MAX_BATCH_EVENTS = 500;
/** How long a query waits for a projection that is being built. */
const BUILD_WAIT_MS = 5_000;

/** A vault without keys: every person looks erased. */
const NOTHING_PERSONAL: PersonalDataVault = { seal: () => undefined, open: () => undefined };

interface Options {
  readonly projections: readonly OwnProjection[];
  readonly stores: OpenStores;
  readonly readSide: ReadSide;
  readonly logger: Logger;
  /** Whether this process follows the log for them. */
  readonly follows: boolean;
}

interface Followed {
  readonly progress: Progress;
  readonly projecting: Projecting;
  isStarted: boolean;
}

/**
 * Functions cannot be sent to another thread, so these run in this process. Each has its own lease,
 * checkpoint and progress: none delays another or the reads of the ledger.
 */
export class OwnProjections {
  readonly #options: Options;
  readonly #followed = new Map<string, Followed>();

  constructor(options: Options) {
    this.#options = options;
    for (const projection of options.projections) {
      const progress = new Progress();
      const projecting = followed(options, projection, progress);
      const entry = { progress, projecting, isStarted: false };
      void projecting.started.then(() => {
        entry.isStarted = true;
      });
      this.#followed.set(projection.name, entry);
    }
  }

  get names(): readonly string[] {
    return [...this.#followed.keys()];
  }

  /** Each projection with its vault, for a rebuild. */
  replayed() {
    const { projections, stores } = this.#options;
    return projections.map((projection) => ({
      projections: [projection],
      vault: vaultOf(projection, stores),
    }));
  }

  /** How many files may still hold erased persons. */
  get erasing(): number {
    return [...this.#followed.values()].reduce((sum, { progress }) => sum + progress.erasing, 0);
  }

  /**
   * The rows of one tenant and environment. Throws a RangeError for a projection that is not registered.
   */
  view<Row>(
    projection: OwnProjection<Row>,
    owner: { readonly tenantId: number; readonly sandbox: boolean },
  ): View<Row> {
    const entry = this.#followed.get(projection.name);
    if (entry === undefined) {
      throw new RangeError(`the ledger was opened without the projection ${projection.name}`);
    }
    const view = viewOf(this.#options.stores.readModels, projection, owner);
    const caughtUp = async <Found>(ask: () => Promise<Found>): Promise<Found> => {
      await this.#caughtUp(entry, owner.tenantId);
      return ask();
    };
    return {
      get: (key) => caughtUp(() => view.get(key)),
      list: (options) => caughtUp(() => view.list(options)),
    };
  }

  async #caughtUp(entry: Followed, tenantId: number): Promise<void> {
    if (!entry.isStarted) {
      await Promise.race([
        entry.projecting.started,
        sleep(BUILD_WAIT_MS, undefined, { ref: false }),
      ]);
      if (!entry.isStarted) throw refused({ type: 'ReadModelsBuilding' });
    }
    await this.#options.readSide.caughtUp(tenantId, entry.progress);
  }

  /** As `Projecting.retryParked`; undefined also for a name that is not one of these. */
  async retryParked(projection: string, stream: string): Promise<boolean | undefined> {
    return this.#followed.get(projection)?.projecting.retryParked(projection, stream);
  }

  /** Stops without waiting for the head: the next start continues from the checkpoints. */
  async stop(): Promise<void> {
    const all = [...this.#followed.values()];
    await Promise.all(all.map(({ projecting }) => projecting.stop(undefined)));
  }
}

function vaultOf({ isPersonal }: OwnProjection, { personalKeys }: OpenStores): AnyVault {
  return isPersonal ? personalKeys : NOTHING_PERSONAL;
}

/** Throws a ConfigError for duplicate names. */
export function refuseDuplicateNames(projections: readonly OwnProjection[]): void {
  const names = projections.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError([`two projections have the name ${twice}`]);
}

function followed(
  { stores, logger, follows }: Options,
  projection: OwnProjection,
  progress: Progress,
): Projecting {
  const { sharedReadModels, headAtStart } = stores;
  const projections = [projection];
  const inProcess = () =>
    new ProjectionInProcess({
      progress: sharedReadModels === undefined ? progress : new Progress(),
      logger,
      holder: stores.holder,
      events: stores.events,
      store: stores.leases,
      vault: vaultOf(projection, stores),
      projections,
      lease: projection.name,
      maxBatchEvents: MAX_BATCH_EVENTS,
    });
  if (sharedReadModels === undefined) return inProcess();
  const own = follows ? inProcess() : undefined;
  const isNew = headAtStart === undefined;
  return new SharedProjections({ store: sharedReadModels, own, isNew, projections }, progress);
}
