/** The face of the engine: opens a ledger over its storage, and hands out its slices to callers. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { OwnProjection } from '@counterfoil/projections';
import { Calls } from './calls.ts';
import type { GatewayOption } from './gateways/gateway-option.ts';
import { createLogger, type Logger } from './logger.ts';
import type { MailSettings } from './mail/mail-settings.ts';
import { type Engine, openEngine } from './open-engine.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import { ConfigError, GATEWAY_DEFAULTS, type Settings } from './settings.ts';
import { type EventStoreClient, engineOf, isShared } from './storage/stores.ts';
import { type Actor, ledgerOf, type TenantLedger } from './tenant-ledger.ts';

const MASTER_KEY_BYTES = 32;
const IN_MEMORY = 'memory:';
/** Longer than the letter of a drive. */
const URL_SCHEME = /^[a-z][a-z+]+:/i;
/** The time of a call beside its gateway's. */
const CALL_GRACE_MS = 10_000;
/** Nothing is kept in files there. */
const NO_FOLDER = '.';

/**
 * Where a ledger keeps its data: a folder, `memory:`, or the URLs of a log (`postgres://`, `esdb://`)
 * and of a PostgreSQL for the read models and the engine's own tables.
 */
export type Storage = string | SharedStorage;

export interface SharedStorage {
  readonly log: string;
  readonly readModels: string;
  /** Of an `esdb://` log: begins the names of its streams, so that several logs can share a cluster. */
  readonly logPrefix?: string;
  /** Of an `esdb://` log: the client package. Default: `eventstore`. */
  readonly logClient?: EventStoreClient;
}

export interface LedgerOptions {
  readonly storage: Storage;
  /**
   * 32 random bytes; secrets and personal data are encrypted under it. Absent: of a folder, the key in
   * its `secrets.json`, which is made on first use; in memory, a new one.
   */
  readonly masterKey?: Uint8Array;
  /** Default: the sandbox. */
  readonly gateways?: readonly GatewayOption[];
  /** Read models of one's own, made by `defineProjection`. Default: none. */
  readonly projections?: readonly OwnProjection[];
  readonly clock?: Clock;
  /** Default: warnings and errors to standard output. */
  readonly logger?: Logger;
  /** Absent: no mails are sent. */
  readonly mail?: MailSettings;
  /**
   * False for a process that only handles requests, beside one on the same PostgreSQL that bills,
   * follows the log and projects. Default: true.
   */
  readonly background?: boolean;
  /** A payment whose gateway has not answered after so long has an unknown outcome. Default: 10,000. */
  readonly gatewayTimeoutMs?: number;
  /** So many calls of one gateway at once; what comes beyond is refused with `GatewayBusy`. Default: 500. */
  readonly gatewayMaxInFlight?: number;
}

export interface Ledger {
  /** The slices of one tenant, for one caller: it is named in the metadata of every event. */
  as(actor: Actor): TenantLedger;
  /** Tenants and their keys, merchant accounts, companies, shops and the like. */
  readonly tenants: Engine['tenants'];
  /** Does at once what is due: rebills, deadlines, retries. It is done once a second anyway. */
  runDue(): Promise<void>;
  /** Health checks by name: each rejects while what it looks at cannot be used. */
  readonly checks: Engine['checks'];
  /** Registers the ledger's metrics with a metrics library. */
  registerMetrics: Engine['registerMetrics'];
  /**
   * Refuses new calls with `LedgerClosed`, waits for those under way, lets the read models catch up,
   * and closes the stores. The waits are bounded.
   */
  close(): Promise<void>;
}

/**
 * Opens a ledger and starts its background work; resolves when reads show everything in the log.
 * Throws a ConfigError for options that contradict each other or the data.
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { clock = systemClock(), gateways, projections, background } = options;
  const logger = options.logger ?? createLogger({ level: 'warn' });
  const engine = await openEngine(settingsOf(options), {
    logger,
    clock,
    gateways,
    projections,
    background,
  });
  try {
    await engine.mailing.beginService();
    const started = engine.started();
    // Else it would wait for another process, which may come later. Rejects when closed.
    if (background === false) started.catch(() => undefined);
    else await started;
  } catch (error) {
    await engine.close();
    throw error;
  }
  const calls = new Calls();
  const ledger: Ledger = {
    as: (actor) => ledgerOf(engine, calls, actor),
    tenants: calls.counted(engine.tenants),
    runDue: () => calls.run(() => engine.timed.runAll()),
    checks: calls.counted(engine.checks),
    registerMetrics: engine.registerMetrics,
    async close() {
      const left = await calls.end(engine.settings.gatewayTimeoutMs + CALL_GRACE_MS);
      if (left > 0) logger.warn({ calls: left }, 'closing while calls are under way');
      await engine.close();
    },
  };
  ENGINES.set(ledger, engine);
  return ledger;
}

const ENGINES = new WeakMap<Ledger, Engine>();

/** What is beneath a ledger, for the invariants that read its log. */
export function engineBeneath(ledger: Ledger): Engine {
  const engine = ENGINES.get(ledger);
  if (engine === undefined) throw new TypeError('openLedger did not open this ledger');
  return engine;
}

function settingsOf({ storage, masterKey, mail, ...options }: LedgerOptions): Settings {
  if (masterKey !== undefined && masterKey.length !== MASTER_KEY_BYTES) {
    throw new ConfigError([`masterKey must be ${MASTER_KEY_BYTES} bytes`]);
  }
  const key = masterKey && Buffer.from(masterKey);
  const { background = true } = options;
  const common = {
    testClock: false,
    gatewayTimeoutMs: options.gatewayTimeoutMs ?? GATEWAY_DEFAULTS.timeoutMs,
    gatewayMaxInFlight: options.gatewayMaxInFlight ?? GATEWAY_DEFAULTS.maxInFlight,
    mail,
  };
  if (storage === IN_MEMORY) {
    return {
      ...common,
      dataDir: NO_FOLDER,
      eventStoreUrl: IN_MEMORY,
      readModelUrl: IN_MEMORY,
      runProjections: true,
      production: true,
      masterKey: key ?? randomBytes(MASTER_KEY_BYTES),
    };
  }
  if (typeof storage === 'string') {
    if (URL_SCHEME.test(storage)) {
      throw new ConfigError(['storage must be a folder, memory:, or { log, readModels }']);
    }
    return {
      ...common,
      dataDir: storage,
      eventStoreUrl: `sqlite:${join(storage, 'events.db')}`,
      readModelUrl: `sqlite:${join(storage, 'read-models.db')}`,
      runProjections: true,
      production: false,
      masterKey: key,
    };
  }
  if (!isUrlOf(storage.log, isShared) || !isUrlOf(storage.readModels, isPostgres)) {
    throw new ConfigError([
      'storage.log must be a postgres:// or esdb:// URL, and storage.readModels a postgres:// one',
    ]);
  }
  if (key === undefined) throw new ConfigError(['masterKey must be given where storage has URLs']);
  return {
    ...common,
    dataDir: NO_FOLDER,
    eventStoreUrl: storage.log,
    eventStorePrefix: storage.logPrefix,
    ...(storage.logClient !== undefined && { eventStoreClient: storage.logClient }),
    readModelUrl: storage.readModels,
    runProjections: background,
    production: true,
    masterKey: key,
  };
}

function isPostgres(url: string): boolean {
  return engineOf(url) === 'postgres';
}

/** False as well for what is no URL of any store. */
function isUrlOf(url: string, isMeant: (url: string) => boolean): boolean {
  try {
    return isMeant(url);
  } catch {
    return false;
  }
}
