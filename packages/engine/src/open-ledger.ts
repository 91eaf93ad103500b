/** The face of the engine: opens a ledger over its storage, and hands out its slices to callers. */
import { Calls } from './calls.ts';
import { openingError } from './failures.ts';
import { checkOptions, type LedgerOptions, settingsOf } from './ledger-options.ts';
import { createLogger } from './logger.ts';
import { type Engine, openEngine } from './open-engine.ts';
import { systemClock } from './runtime/clock.ts';
import type { Actor, TenantLedger } from './tenant-ledger.ts';

/** The time of a call beside its gateway's. */
const CALL_GRACE_MS = 10_000;
export interface Ledger {
  /** The slices of one tenant, for one caller: it is named in the metadata of every event. */
  as(actor: Actor): TenantLedger;
  /** Tenants and their keys, companies, shops and the like. */
  readonly tenants: Engine['tenants'];
  /** Merchant accounts under ids of one's own; those of the ledger's ids are opened by `as`. */
  readonly merchantAccounts: Pick<Engine['merchantAccounts'], 'define' | 'openOnce'>;
  /** The sign-in of users: passwords, second factors, links and sessions. */
  readonly signIns: Engine['signIns'];
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
 * Throws a ConfigError for options that cannot be used, and a StorageError for storage that cannot.
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  checkOptions(options);
  const { clock = systemClock(), gateways, projections, background } = options;
  const logger = options.logger ?? createLogger({ level: 'warn' });
  const engine = await openEngine(settingsOf(options), {
    logger,
    clock,
    gateways,
    projections,
    background,
  }).catch((error: unknown) => {
    throw openingError(error);
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
    as: (actor) => engine.ledgers.as(actor, calls),
    tenants: calls.counted(engine.tenants),
    signIns: calls.counted(engine.signIns),
    merchantAccounts: calls.counted(engine.merchantAccounts),
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
