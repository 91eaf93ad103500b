/** Asks gateways whether they accept the credentials of merchant accounts. */
import { merchantAccountsOf, type ReadModelStore } from '@counterfoil/projections';
import { counted } from '../counted.ts';
import type { AccountContext, PaymentGateway } from '../gateways/payment-gateway.ts';
import { type GatewayRegistry, gatewayRegistry } from '../gateways/registry.ts';
import { silentLogger } from '../logger.ts';
import { CredentialVault } from '../merchant-accounts/index.ts';
import { areRefused, GatewayAccounts } from '../payments/gateway-accounts.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import { findMasterKey } from '../settings.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings, IN_QUICK, reasonOf } from './finding.ts';

const ADVICE =
  'Give the account credentials that its gateway accepts: until then it rests, other accounts take its payments, and its subscriptions wait.';

const CONCURRENCY = 8;

interface Asked {
  readonly named: string;
  readonly gateway: PaymentGateway;
  readonly context: AccountContext;
}

/** Each call has the timeout of the host's. A gateway that cannot be asked is no finding. */
export async function checkCredentials(
  store: ReadModelStore,
  { config, gateways, quick }: Pick<Examining, 'config' | 'gateways' | 'quick'>,
): Promise<Checked> {
  const findings = new Findings('credentials');
  if (!gateways.some((each) => each.checkCredentials)) return findings.made('none to ask about');
  if (quick) return findings.leftOut(IN_QUICK);
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) return findings.leftOut('there is no master key to open them');
  const { gatewayTimeoutMs: timeoutMs } = config;
  const bounds = { timeoutMs, maxInFlight: CONCURRENCY, logger: silentLogger };
  const registry = gatewayRegistry(gateways, bounds);
  const vault = new CredentialVault(masterKey);
  const accounts = new GatewayAccounts({ gateways: registry, vault });
  let unasked = 0;
  try {
    const items = await allOf(store, accounts, registry);
    await inParallel({
      items,
      atOnce: CONCURRENCY,
      async act({ named, gateway, context }) {
        try {
          await gateway.checkCredentials?.(context);
        } catch (error) {
          if (areRefused(error)) findings.warn(`${gateway.name} refuses the ${named}`, ADVICE);
          else unasked += 1;
        }
      },
    });
    const asked = counted(items.length, 'set of credentials', 'sets of credentials');
    return findings.made(unasked === 0 ? asked : `${asked}; ${unasked} could not be asked about`);
  } catch (error) {
    return findings.leftOut(`the accounts cannot be read: ${reasonOf(error)}`);
  }
}

/** One for each account, environment and set of credentials that its gateway can be asked about. */
async function allOf(
  store: ReadModelStore,
  accounts: GatewayAccounts,
  registry: GatewayRegistry,
): Promise<readonly Asked[]> {
  const found = new Map<string, Asked>();
  for await (const account of merchantAccountsOf(store)) {
    const { tenantId, merchantAccountId, settings } = account;
    const { gatewayId } = settings;
    const gateway = registry.ids.has(gatewayId) ? registry.gateway(gatewayId) : undefined;
    if (gateway?.checkCredentials === undefined) continue;
    for (const { currency } of settings.currencies) {
      for (const sandbox of [false, true]) {
        const place = { sandbox, currency };
        if (accounts.unusable([account], place).size > 0) continue;
        const context = accounts.contextOf(account, place);
        const environment = sandbox ? 'sandbox' : 'live';
        const named = `${environment} credentials of merchant account ${merchantAccountId} of tenant ${tenantId}`;
        const name = JSON.stringify([named, context.account.credentials]);
        if (found.has(name)) continue;
        found.set(name, { named, gateway, context });
      }
    }
  }
  return [...found.values()];
}
