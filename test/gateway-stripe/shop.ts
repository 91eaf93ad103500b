/** A shop whose merchant accounts are at the protocol server of Stripe. */
import { TenantId } from '@counterfoil/core';
import { type Ledger, type LedgerOptions, openLedger, silentLogger } from '@counterfoil/engine';
import type { PaymentGateway } from '@counterfoil/engine/gateways';
import { STRIPE_GATEWAY_ID, stripe } from '@counterfoil/gateway-stripe';
import { onTestFinished } from 'vitest';
import { OPERATOR, SHOP_ACCOUNT } from '../engine/shop.ts';
import { type StripeServer, startStripeServer } from '../stripe-server/index.ts';

export const TENANT = TenantId.parse(7);
const DAY_MS = 86_400_000;
const CURRENCIES = ['GBP', 'KWD', 'JPY'];

export interface StripeShop {
  readonly server: StripeServer;
  readonly ledger: Ledger;
  readonly shop: ReturnType<Ledger['as']>;
  /** Gives the account another key. */
  readonly useKey: (key: string) => Promise<unknown>;
  /** The clock of ledger and server goes on, and what is due is done. */
  pass(days: number): Promise<void>;
}

interface Change {
  readonly credentials?: object;
  /** Of the caller. Default: live, who names sandbox data where it is meant. */
  readonly environment?: 'live' | 'test';
  readonly options?: Partial<LedgerOptions>;
  readonly wrap?: (gateway: PaymentGateway) => PaymentGateway;
  /** Of the merchant account: fees. */
  readonly terms?: object;
}

/** Sandbox data: the key is one of the test mode. */
export async function stripeShop({
  credentials = {},
  environment = 'live',
  options = {},
  wrap = (gateway) => gateway,
  terms = {},
}: Change = {}): Promise<StripeShop> {
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const clock = { now: () => now().toISOString() };
  const server = await startStripeServer({ now });
  onTestFinished(() => server.close());
  const gateways = [wrap(stripe({ production: false }))];
  const gatewayReturnUrl = 'https://pay.shop.example/back';
  const common = { storage: 'memory:', gateways, gatewayReturnUrl, logger: silentLogger, clock };
  const ledger = await openLedger({ ...common, ...options });
  onTestFinished(() => ledger.close());
  const at = new Date().toISOString();
  await ledger.tenants.onboard(TENANT, { name: 'Acme' }, OPERATOR);
  const company = { tenantId: TENANT, companyId: 1, name: 'Acme', at } as const;
  await ledger.tenants.define({ type: 'DefineCompany', ...company }, OPERATOR);
  const useKey = (key: string) => {
    const account = accountAt(JSON.stringify({ key, apiBase: server.url, ...credentials }));
    return ledger.merchantAccounts.define(TENANT, 1, { ...account, ...terms }, OPERATOR);
  };
  await useKey(server.restrictedKey);
  return {
    server,
    ledger,
    shop: ledger.as({ tenantId: TENANT, actor: 'shop', environment }),
    useKey,
    async pass(days) {
      aheadMs += days * DAY_MS;
      await ledger.runDue();
    },
  };
}

/** A merchant account at Stripe, with these credentials for each currency. */
export function accountAt(apiKey: string) {
  const gatewayCredentials = { apiKey, username: '', password: '', emailAddress: '' };
  const currencies = CURRENCIES.map((currency) => ({ currency, gatewayCredentials }));
  return { ...SHOP_ACCOUNT, gatewayId: STRIPE_GATEWAY_ID, currencies };
}

/** A payment of sandbox data with what the script of Stripe made of a test card. */
export function order(gatewayToken: string, more: object = {}) {
  const email = 'ann@shop.example';
  return { amount: '19.99', currency: 'GBP', email, sandbox: true, gatewayToken, ...more };
}
