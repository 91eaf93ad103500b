/** A host that really listens, with tenants to try it with and callers that talk to it over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { operations } from '@counterfoil/client';
import {
  ALL_SCOPES,
  type Clock,
  createLogger,
  type KeyRequest,
  type Tenants,
} from '@counterfoil/engine';
import type { GatewayOption } from '@counterfoil/engine/gateways';
import { compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, vi } from 'vitest';
import { SOON } from '../setup/child-env.ts';
import { type Answer, Api, type Headings, type Json, present, type Schemas } from './api.ts';
import { engineOfRun, newStores, type Stores } from './engines.ts';

export type { Answer, Json } from './api.ts';

export type TenantId = Parameters<Tenants['onboard']>[0];
type Definition = Parameters<Tenants['define']>[0];
type WithoutFrame<Each> = Each extends unknown ? Omit<Each, 'tenantId' | 'at'> : never;
type AccountSettings = Parameters<Host['merchantAccounts']['openOnce']>[2];
type TenantSettings = NonNullable<Parameters<Tenants['onboard']>[1]['settings']>;

export const CALLER = { actor: 'operator@example.com' };
export const USER_EMAIL = 'agent@example.com';

export interface Running {
  readonly host: Host;
  readonly url: string;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Where the host's log lines go; without it there are none. */
  readonly lines?: string[];
  /** Default: the sandbox, and the modules of GATEWAYS. */
  readonly gateways?: readonly GatewayOption[];
  /** Stores everything in files of a new folder, whatever the engine of the run. */
  readonly onDisk?: boolean;
}

const IN_FILES: Stores = { env: {}, release: async () => undefined };

/** Starts a host on a free port, on the engine of the run unless asked otherwise. */
export async function startHost({
  env,
  clock,
  lines,
  gateways,
  onDisk = false,
}: StartOptions = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-e2e-'));
  const stores = onDisk ? IN_FILES : await newStores(engineOfRun());
  const base = { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...SOON };
  const config = readConfig({ ...base, ...stores.env, ...env });
  const host = await compose(config, {
    ...(clock !== undefined && { clock }),
    ...(gateways !== undefined && { gateways }),
    ...(lines !== undefined && { logger: loggerInto(lines) }),
  });
  const url = await host.listen();
  return {
    host,
    url,
    async close() {
      await host.close();
      await stores.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function loggerInto(lines: string[]) {
  const destination = { write: (line: string) => void lines.push(line) };
  return createLogger({ level: 'info', destination });
}

export const CARDS = {
  approve: '4242424242424242',
  networkB: '5555555555554444',
  networkC: '378282246310005',
  networkD: '6011111111111117',
  networkE: '3566002020360505',
  networkF: '3056930009020004',
  insufficientFunds: '4000000000009995',
  doNotHonour: '4000000000000002',
  stolen: '4000000000009979',
  expired: '4000000000000069',
  processingError: '4000000000000119',
  actionApprove: '4000000000003220',
  actionDecline: '4000008400001629',
  timeoutApprove: '4000000000040818',
  timeoutDecline: '4000000000040826',
  timeoutNothing: '4000000000040834',
  slow: '4000000000002024',
  refundFails: '4000000000005126',
  chargeback: '4000000000000259',
  alert: '4000000000005423',
} as const;

export const CVV = '737';

export function card(number: string = CARDS.approve): Json {
  return { number, expMonth: 12, expYear: 2039, cvv: CVV, holder: 'Ada Lovelace' };
}

/** What every tenant of these tests has. */
export const SHOP = 7;
export const ECOMMERCE = 100;
export const CHECKOUT = 101;
export const PRODUCT = 31;
export const CAMPAIGN = 41;
export const AFFILIATE = 51;
export const PRICE_POINT = 61;
export const PLATES = { product: 9_001, small: 501, large: 502 };
export const BOWLS = { product: 9_002, only: 503 };

export interface TenantOptions {
  readonly settings?: TenantSettings;
  readonly account?: Partial<AccountSettings>;
}

const START_POLLING = { timeout: 60_000, interval: 10 };

function isBehind(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'overloaded') return false;
  throw error;
}

/** Onboards a tenant with a company, a shop, applications, products and one merchant account. */
export async function openTenant(
  running: Running,
  id: number,
  { settings, account }: TenantOptions = {},
): Promise<Caller> {
  const { tenants, readSide, commands } = running.host;
  const tenantId = id as TenantId;
  await tenants.onboard(
    tenantId,
    { name: `Group ${id}`, settings: { requestsPerMinute: 1_000_000, ...settings } },
    CALLER,
  );
  const at = commands.clock.now();
  for (const definition of definitions()) {
    await tenants.define({ ...definition, tenantId, at } as Definition, CALLER);
  }
  await openAccount(running, id, id * 10 + 1, account);
  const key = await issueKey(running, id);
  // The workers of a server's engine may only just have been started.
  await vi.waitUntil(() => readSide.caughtUp(tenantId).then(() => true, isBehind), START_POLLING);
  return new Caller(running.url, id, key);
}

export async function openAccount(
  running: Running,
  tenantId: number,
  accountId: number,
  settings: Partial<AccountSettings> = {},
): Promise<void> {
  const none = { apiKey: '', username: '', password: '', emailAddress: '' };
  await running.host.merchantAccounts.openOnce(
    tenantId as TenantId,
    accountId,
    {
      mid: `7000000${accountId}`,
      title: `Account ${accountId}`,
      companyId: 5,
      gatewayId: 1,
      descriptor: `CROCKERY*LONDON ${accountId}`,
      defaultCurrency: 'GBP',
      currencies: ['GBP', 'USD', 'EUR', 'JPY', 'KWD'].map((currency) => ({
        currency,
        gatewayCredentials: none,
      })),
      mcc: '5719',
      ...settings,
    },
    CALLER,
  );
}

export async function issueKey(
  { host }: Running,
  tenantId: number,
  request: Partial<KeyRequest> = {},
): Promise<string> {
  const { key } = await host.tenants.issueKey(
    tenantId as TenantId,
    { kind: 'api', environment: 'live', label: 'e2e', scopes: ALL_SCOPES, ...request },
    CALLER,
  );
  return key;
}

/** A caller of the tenant with another key. */
export async function callerWith(
  running: Running,
  tenantId: number,
  request: Partial<KeyRequest>,
): Promise<Caller> {
  const key = await issueKey(running, tenantId, request);
  await running.host.readSide.caughtUp(tenantId);
  return new Caller(running.url, tenantId, key);
}

function definitions(): WithoutFrame<Definition>[] {
  return [
    { type: 'DefineCompany', companyId: 5, name: 'Crockery Ltd' },
    {
      type: 'DefineShop',
      shopId: SHOP,
      companyId: 5,
      name: 'Crockery shop',
      domain: 'shop.crockery.example',
      rootDomain: 'crockery.example',
      currency: 'GBP',
    },
    { type: 'DefineApplication', applicationId: ECOMMERCE, kind: 2, name: 'Web shop' },
    { type: 'DefineApplication', applicationId: CHECKOUT, kind: 1, name: 'Checkout page' },
    { type: 'DefineProduct', productId: PRODUCT, name: 'Crockery club' },
    { type: 'DefineCampaign', campaignId: CAMPAIGN, name: 'Winter' },
    { type: 'DefineAffiliate', affiliateId: AFFILIATE, name: 'Aunt Emma' },
    {
      type: 'DefinePricePoint',
      pricePointId: PRICE_POINT,
      amountMinor: 1_000n,
      currency: 'GBP',
      billingCode: 'CLUB-10',
      premium: 3,
      shortcodeId: 77,
    } as WithoutFrame<Definition>,
    storefrontProduct(PLATES.product, [PLATES.small, PLATES.large]),
    storefrontProduct(BOWLS.product, [BOWLS.only]),
  ];
}

function storefrontProduct(id: number, variants: readonly number[]): WithoutFrame<Definition> {
  const time = '2025-01-02T03:04:05.000Z';
  return {
    type: 'DefineStorefrontProduct',
    product: {
      id,
      shop_id: SHOP,
      imageid: id * 10,
      title: `Product ${id}`,
      vendor: 'Potter & Sons',
      product_type: 'crockery',
      handle: `product-${id}`,
      status: 'active',
      created_at: time,
      updated_at: time,
      last_refresh: time,
      options: [
        { id: id * 10 + 1, product_id: id, name: 'Size', position: 1, values: '["S","L"]' },
      ],
      variants: variants.map((variant, index) => ({
        id: variant,
        product_id: id,
        inventory_item_id: variant * 10,
        title: `Variant ${variant}`,
        sku: `SKU-${variant}`,
        fulfillment_service: 'manual',
        price: 10.5,
        cost: 4.25,
        compare_at_price: index === 0 ? 12 : null,
        position: index + 1,
        option1: 'S',
        option2: null,
        option3: null,
        created_at: time,
        updated_at: time,
        requires_shipping: true,
        image_id: index === 0 ? id * 10 : null,
      })),
      images: [
        {
          id: id * 10,
          product_id: id,
          width: 640,
          height: 480,
          position: 1,
          src: `https://cdn.crockery.example/${id}.png`,
        },
      ],
    },
  };
}

/** Test cards that no response may contain: every response is checked. */
const CARD_NUMBERS: readonly string[] = Object.values(CARDS);

function expectNoCardNumber(text: string): void {
  for (const number of CARD_NUMBERS) expect(text).not.toContain(number);
}

type BalancesQuery = NonNullable<operations['getTrialBalance']['parameters']['query']>;

/** Someone with a key. */
export class Caller extends Api {
  readonly url: string;
  readonly tenantId: number;
  readonly key: string;

  constructor(url: string, tenantId: number, key: string) {
    const headers = { Authorization: key, ClientId: String(tenantId), UserEmail: USER_EMAIL };
    super({ url: () => url, headers, inspect: expectNoCardNumber });
    this.url = url;
    this.tenantId = tenantId;
    this.key = key;
  }

  /** A payment of 100.00 GBP at a checkout, with what the test changes. */
  async pay(changes: Json = {}, headers: Headings = {}) {
    const body = {
      amount: 100,
      currency: 'GBP',
      card: card(),
      email: 'customer@example.com',
      applicationId: CHECKOUT,
      companyId: 5,
      ...changes,
    };
    return this.post('/v1/payments', { body, headers });
  }

  /** A captured payment; its body. */
  async paid(changes: Json = {}): Promise<Schemas['Payment']> {
    const answer = await this.pay(changes);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }

  /** An order of 4 small plates at 10, 2 large at 20 and 1 bowl at 20: 100.00 GBP. */
  async ordered(changes: Json = {}): Promise<Schemas['Payment']> {
    return this.paid({ applicationId: ECOMMERCE, shopId: SHOP, items: CART, ...changes });
  }

  async detail(id: string, flags: Json = {}) {
    const claims = { parentCompanyId: this.tenantId, userEmail: USER_EMAIL };
    return this.post('/customerapi/detail', { body: { ...claims, id, ...flags } });
  }

  async transaction(id: string) {
    const { status, text, body } = await this.detail(id, { getSearchData: true });
    expect(status, text).toBe(200);
    return present(body.transaction);
  }

  async refund(messageId: string, changes: Json = {}, headers: Headings = {}) {
    const claims = { parentCompanyId: this.tenantId, userEmail: USER_EMAIL };
    const body = { ...claims, messageId, ...changes };
    return this.post('/customerapi/refund', { body, headers });
  }

  async search(filters: Json = {}) {
    return this.post('/api/transactions/search', { body: filters });
  }

  /** The ids that a search finds. */
  async found(filters: Json): Promise<string[]> {
    const { status, text, body } = await this.search({ limit: 100, ...filters });
    expect(status, text).toBe(200);
    return body.transactions.map(({ transactionId }) => transactionId);
  }

  /** Balances by account name, debit minus credit, of one currency. */
  async balances(currency = 'GBP', query: BalancesQuery = {}): Promise<Record<string, number>> {
    const { status, text, body } = await this.get('/api/ledger/trial-balance', { query });
    expect(status, text).toBe(200);
    expect(body.balanced).toBe(true);
    const found = body.currencies.find((each) => each.currency === currency);
    return Object.fromEntries(
      (found?.accounts ?? []).map(({ account, balance }) => [account, balance]),
    );
  }
}

export const CART = [
  {
    StorefrontVariantId: PLATES.small,
    StorefrontProductId: PLATES.product,
    Quantity: 4,
    UnitPrice: 10,
    UnitCost: 4.25,
    DiscountCodeId: 3,
    DiscountAmount: 0,
    SalesStrategyId: 2,
    CustomDiscountAmount: 0,
  },
  {
    StorefrontVariantId: PLATES.large,
    StorefrontProductId: PLATES.product,
    Quantity: 2,
    UnitPrice: 20,
  },
  {
    StorefrontVariantId: BOWLS.only,
    StorefrontProductId: BOWLS.product,
    Quantity: 1,
    UnitPrice: 20,
  },
];

/** A timeout for slow machines and engines. */
const POLLING = { timeout: 60_000, interval: 20 };

/** Asks until the answer is as wanted; throws when that does not happen within a bound. */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  isWanted: (value: Value) => boolean,
): Promise<Value> {
  const { value } = await vi.waitUntil(async () => {
    const asked = await ask();
    return isWanted(asked) ? { value: asked } : undefined;
  }, POLLING);
  return value;
}

/** What every refusal looks like. */
export function expectRefusal(answer: Answer, status: number, code?: string): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body).toMatchObject({
    success: false,
    message: expect.stringMatching(/./),
    code: code ?? expect.stringMatching(/^[a-z_]+$/),
    requestId: answer.headers.get('x-request-id'),
  });
}
