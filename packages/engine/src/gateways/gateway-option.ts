/** The gateways that a ledger is opened with. */
import type { OpenStores } from '../open-stores.ts';
import type { Settings } from '../settings.ts';
import { openSound } from '../storage/damaged-files.ts';
import { ownFile } from '../storage/stores.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import { openSandboxGateway, type SandboxOptions } from './sandbox/sandbox-gateway.ts';

interface Beside {
  readonly settings: Settings;
  readonly stores: Pick<OpenStores, 'hostDatabase'>;
}

/** Opens a gateway that stores its books with the ledger's data. */
export type OpensBesideLedger = (beside: Beside) => PaymentGateway;

export type GatewayOption = PaymentGateway | OpensBesideLedger;

export function gatewaysOf(
  options: readonly GatewayOption[],
  beside: Beside,
): readonly PaymentGateway[] {
  return options.map((each) => (typeof each === 'function' ? each(beside) : each));
}

type SandboxBehaviour = Omit<SandboxOptions, 'path' | 'database'>;

/** The sandbox gateway, with its books in the ledger's folder or database. */
export function sandbox(behaviour: SandboxBehaviour = {}): OpensBesideLedger {
  return ({ settings, stores }) => {
    const { hostDatabase } = stores;
    if (hostDatabase !== undefined) {
      return openSandboxGateway({ ...behaviour, database: hostDatabase.pool });
    }
    return openSound(
      ownFile(settings, 'gateway'),
      (path) => openSandboxGateway({ ...behaviour, path }),
      'Restore it from a backup, or move it away: its older charges can then not be captured, voided or refunded',
    );
  };
}
