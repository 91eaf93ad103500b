/** Payments: gateways, cards, monthly caps and policies. */
import { Customer } from '@counterfoil/core';
import type { BlackListParts } from '../black-list/index.ts';
import { deriveKey } from '../derive-key.ts';
import { cardBrands } from '../gateways/card-brands.ts';
import { cardFingerprints } from '../gateways/card-fingerprint.ts';
import type { GatewayParts } from '../gateways/slice.ts';
import type { IdentityParts } from '../identities/index.ts';
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import { SharedKeyedMutex } from '../runtime/shared-keyed-mutex.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { logLostClaims } from '../storage/claims.ts';
import { isShared } from '../storage/stores.ts';
import type { TenantParts } from '../tenants/index.ts';
import type { TransactionParts } from '../transactions/index.ts';
import { followOutcomes } from './cap-settlement.ts';
import { CardTokens } from './card-tokens.ts';
import { Cards } from './cards.ts';
import { deadlineWorks } from './deadlines.ts';
import { GatewayAccounts } from './gateway-accounts.ts';
import { GatewayReactor } from './gateway-reactor.ts';
import { MonthlyCaps } from './monthly-caps.ts';
import { followNotices } from './notices.ts';
import { Payments } from './payments.ts';
import { PolicyReactor } from './policies.ts';
import { Sweeper } from './sweeper.ts';
import { PAYMENT_CALLS, PAYMENT_INPUTS, TenantPayments } from './tenant-payments.ts';

/** Beyond the gateway timeout, so that the request can record its outcome first. */
const SWEEP_GRACE_MS = 20_000;

export type PaymentParts = PartsOf<typeof PAYMENTS>;

export const PAYMENTS = slice({
  scopes: {
    'payments:read': 'Read and list payments',
    'payments:write': 'Take, confirm, capture and void payments',
    'transactions:refund': 'Refund transactions',
  },
  make(
    base: Base &
      TenantParts &
      GatewayParts &
      MerchantAccountParts &
      IdentityParts &
      TransactionParts &
      BlackListParts,
  ) {
    const { stores, logger, commands, gateways } = base;
    const { masterKey } = stores;
    const pool = stores.hostDatabase?.pool;
    const sharedMutex = pool && new SharedKeyedMutex({ pool, onLost: logLostClaims(logger) });
    const vault = base.credentials;
    const gatewayAccounts = new GatewayAccounts({ gateways, vault });
    const shared = { ...base, gatewayAccounts, caps: new MonthlyCaps(commands) };
    const { gatewayReturnUrl: returnUrl } = base.settings;
    const isOnlyHost = !isShared(base.settings.eventStoreUrl);
    const policies = new PolicyReactor({ ...base, isOnlyHost });
    const mutex = sharedMutex;
    const reactor = new GatewayReactor({ ...shared, policies, vault, returnUrl, mutex });
    const fingerprintOf = cardFingerprints(deriveKey(masterKey, 'card fingerprints'));
    const cards = new Cards({
      gateways,
      gatewayAccounts,
      brandOf: cardBrands(),
      tokens: new CardTokens(deriveKey(masterKey, 'card tokens')),
      fingerprintsOf: (owner) => (digits) =>
        fingerprintOf(`${owner.tenantId}/${owner.sandbox}/${digits}`),
      customerOf: (named) => commands.stateOf(Customer, Customer.streamOf(named)),
    });
    const payments = new Payments({ ...shared, reactor, policies, cards });
    return {
      caps: shared.caps,
      gatewayAccounts,
      sharedMutex,
      reactor,
      policies,
      cards,
      payments,
    };
  },
  tenant: (parts) => ({
    payments: tenantPart(
      PAYMENT_INPUTS,
      (acting) => new TenantPayments(parts, acting),
      PAYMENT_CALLS,
    ),
  }),
  works({ settings, stores, commands, reactor, logger }) {
    const shared = { commands, store: stores.readModels, logger };
    const graceMs = settings.gatewayTimeoutMs + SWEEP_GRACE_MS;
    return [new Sweeper({ ...shared, reactor, graceMs }), ...deadlineWorks(shared)];
  },
  followers: (parts, following) => {
    const { commands, gateways, references, caps, policies, gatewayAccounts } = parts;
    return [
      followNotices({ commands, gateways, references, gatewayAccounts, ...following }),
      policies.follow(following),
      followOutcomes({ commands, caps, firstAfter: following.headAtStart, ...following }),
    ];
  },
});
