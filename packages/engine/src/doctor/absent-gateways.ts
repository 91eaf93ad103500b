/** Reports merchant accounts whose gateway is not registered: their payments are refused. */
import type { ReadModelStore } from '@counterfoil/projections';
import { counted } from '../counted.ts';
import { accountsWithoutGateway } from '../payments/absent-gateways.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

const ADVICE =
  'Start the host with the gateway, or give the account another one: until then its payments are refused, and its subscriptions wait.';

export async function checkGateways(
  store: ReadModelStore,
  { gatewayIds }: Pick<Examining, 'gatewayIds'>,
): Promise<Checked> {
  const findings = new Findings('gateways');
  try {
    for await (const account of accountsWithoutGateway(store, new Set(gatewayIds))) {
      const { tenantId, merchantAccountId, gatewayId } = account;
      findings.warn(
        `merchant account ${merchantAccountId} of tenant ${tenantId} names gateway ${gatewayId}, which is absent`,
        ADVICE,
      );
    }
  } catch (error) {
    return findings.leftOut(`the read models cannot be read: ${reasonOf(error)}`);
  }
  return findings.made(counted(gatewayIds.length, 'gateway'));
}
