/** Provides what takes payments: gateways, cards, monthly caps, and what follows from a charge. */
import { Customer } from '@counterfoil/core';
import { openSound } from '../damaged-files.ts';
import { cardBrands } from '../gateways/card-brands.ts';
import { cardFingerprints } from '../gateways/card-fingerprint.ts';
import { gatewayRegistry } from '../gateways/registry.ts';
import { openSandboxGateway, type SandboxGateway } from '../gateways/sandbox/sandbox-gateway.ts';
import { tellLostClaims } from '../http/idempotency-claims.ts';
import { CardTokens } from '../operations/card-tokens.ts';
import { Cards } from '../operations/cards.ts';
import { deriveKey } from '../operations/credential-vault.ts';
import { MonthlyCaps } from '../operations/monthly-caps.ts';
import { Payments } from '../operations/payments.ts';
import { GatewayReactor } from '../reactors/gateway-reactor.ts';
import { PolicyReactor } from '../reactors/policies.ts';
import { SharedTurns } from '../reactors/shared-turns.ts';
import { ownFile } from '../stores.ts';
import { type Get, PART, type Provide } from './parts.ts';

export function providePayments(provide: Provide): void {
  provide(PART.gateways, (get) => gatewayRegistry([sandboxGateway(get)]));
  provide(PART.caps, (get) => new MonthlyCaps(get(PART.ledger)));
  provide(PART.sharedTurns, (get) => {
    const pool = get(PART.hostDatabase)?.pool;
    return pool && new SharedTurns({ pool, onLost: tellLostClaims(get(PART.logger)) });
  });
  provide(PART.reactor, (get) => {
    const { gatewayTimeoutMs } = get(PART.config);
    return new GatewayReactor({
      ledger: get(PART.ledger),
      references: get(PART.references),
      caps: get(PART.caps),
      gateways: get(PART.gateways),
      vault: get(PART.vault),
      logger: get(PART.logger),
      gatewayTimeoutMs,
      turns: get(PART.sharedTurns),
    });
  });
  provide(
    PART.policies,
    (get) =>
      new PolicyReactor({
        ledger: get(PART.ledger),
        references: get(PART.references),
        logger: get(PART.logger),
      }),
  );
  provide(PART.payments, (get) => {
    return new Payments({
      ledger: get(PART.ledger),
      identities: get(PART.identities),
      references: get(PART.references),
      caps: get(PART.caps),
      gateways: get(PART.gateways),
      reactor: get(PART.reactor),
      policies: get(PART.policies),
      cards: get(PART.cards),
    });
  });
  provide(PART.cards, (get) => {
    const masterKey = get(PART.masterKey);
    const fingerprintOf = cardFingerprints(deriveKey(masterKey, 'card fingerprints'));
    return new Cards({
      gateways: get(PART.gateways),
      brandOf: cardBrands(),
      tokens: new CardTokens(deriveKey(masterKey, 'card tokens')),
      fingerprintsOf: (owner) => (digits) =>
        fingerprintOf(`${owner.tenantId}/${owner.sandbox}/${digits}`),
      customerOf: (named) => get(PART.ledger).stateOf(Customer, Customer.streamOf(named)),
    });
  });
}

/** One for all hosts of a database, as any other gateway would be. */
function sandboxGateway(get: Get): SandboxGateway {
  const database = get(PART.hostDatabase);
  if (database !== undefined) return openSandboxGateway({ database: database.pool });
  return openSound(
    ownFile(get(PART.config), 'gateway'),
    (path) => openSandboxGateway({ path }),
    'Restore it from a backup, or move it away: its older charges can then not be captured, voided or refunded',
  );
}
