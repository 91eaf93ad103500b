/** The demo: one tenant with a shop, a merchant account, a month of real sales, and an API key. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TenantId } from '@counterfoil/core';
import { ALL_SCOPES, type Caller, keyDigest, Refused } from '@counterfoil/engine';
import type { Host } from '@counterfoil/http-host';
import { z } from 'zod';
import { importSales } from './import-sales.ts';
import type { ImportPlan } from './online-retail/plan.ts';
import { planImport } from './online-retail/plan-import.ts';
import { readSales, type SaleRecord } from './online-retail/read-sales.ts';
import { type ImportReport, reconcile } from './online-retail/report.ts';
import { openSales, SALES_EXTRACT } from './online-retail/sales-file.ts';

export const DEMO_TENANT_ID = 1 as TenantId;
const COMPANY_ID = 1;
const SHOP_ID = 1;
const MERCHANT_ACCOUNT_ID = 1;
const SANDBOX_GATEWAY_ID = 1;
const REQUESTS_PER_MINUTE = 100_000;
export const DEMO_EMAIL = 'demo@counterfoil.example';

const CALLER: Caller = { actor: DEMO_EMAIL };
/** What mails of the demo may be sent from. */
const SENDER_DOMAIN = 'online-retail.example';

const CREDENTIALS_FILE = 'demo-credentials.json';

const Credentials = z.object({
  baseUrl: z.string(),
  clientId: z.string(),
  apiKey: z.string(),
  userEmail: z.string(),
  /** Of the email service. */
  tenantKey: z.string(),
  consoleUrl: z.string(),
  consoleEmail: z.string(),
  consolePassword: z.string(),
});
export type DemoCredentials = z.output<typeof Credentials>;
type DemoKeys = Pick<DemoCredentials, 'apiKey' | 'tenantKey' | 'consolePassword'>;
const PASSWORD_BYTES = 15;

const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };

/**
 * Onboards the tenant with all reference data of its sales. Its refund window is unlimited, since
 * the sales are of 2010. Idempotent.
 */
export async function onboardDemoTenant({
  tenants,
  merchantAccounts,
  commands,
}: Host): Promise<void> {
  const tenantId = DEMO_TENANT_ID;
  const at = commands.clock.now();
  const settings = { requestsPerMinute: REQUESTS_PER_MINUTE };
  await tenants.onboard(tenantId, { name: 'Online Retail Group', settings }, CALLER);
  await tenants.define(
    { type: 'DefineCompany', tenantId, companyId: COMPANY_ID, name: 'Online Retail Ltd', at },
    CALLER,
  );
  await tenants.define(
    {
      type: 'DefineShop',
      tenantId,
      shopId: SHOP_ID,
      companyId: COMPANY_ID,
      name: 'Online Retail',
      domain: 'shop.online-retail.example',
      rootDomain: 'online-retail.example',
      currency: 'GBP',
      at,
    },
    CALLER,
  );
  await merchantAccounts.openOnce(
    tenantId,
    MERCHANT_ACCOUNT_ID,
    {
      mid: '700000000001',
      title: 'Online Retail GBP',
      companyId: COMPANY_ID,
      gatewayId: SANDBOX_GATEWAY_ID,
      descriptor: 'ONLINE RETAIL LONDON',
      defaultCurrency: 'GBP',
      currencies: ['GBP', 'EUR', 'USD', 'JPY', 'KWD'].map((currency) => ({
        currency,
        gatewayCredentials: NO_CREDENTIALS,
      })),
      mcc: '5947',
      forceAllowRefunds: true,
      discountRatePercentage: 1.4,
      gatewayTransactionFee: 0.05,
      bankAuthFee: 0.1,
      bankDeclineFee: 0.1,
      chargebackFee: 15,
    },
    CALLER,
  );
}

export async function hasDemoDomain({ engine }: Host): Promise<boolean> {
  const { senderDomains } = engine.as({ tenantId: DEMO_TENANT_ID, actor: DEMO_EMAIL });
  const { items } = await senderDomains.list();
  return items.some(({ domain }) => domain === SENDER_DOMAIN);
}

/** Idempotent. */
export async function authorizeDemoDomain({ engine }: Host): Promise<void> {
  const { senderDomains } = engine.as({ tenantId: DEMO_TENANT_ID, actor: DEMO_EMAIL });
  try {
    await senderDomains.create({ domain: SENDER_DOMAIN });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'SenderDomainExists') throw error;
  }
}

export interface DemoImport {
  readonly report: ImportReport;
  /** Whether this start imported sales; false when an earlier one had imported all. */
  readonly news: boolean;
}

/** The import plan and its report. */
export interface PlannedSales {
  readonly plan: ImportPlan;
  readonly report: ImportReport;
}

/**
 * Reads a file of sales, by default the one in this repository. Throws `NotASalesFile`, and
 * `PlanDoesNotAddUp` when the plan does not account for every line.
 */
export async function planSales(file: string | URL = SALES_EXTRACT): Promise<PlannedSales> {
  const records: SaleRecord[] = [];
  for await (const record of readSales(openSales(file))) records.push(record);
  const plan = planImport(records);
  return { plan, report: reconcile(records, plan) };
}

/** Imports sales for the demo tenant. Throws `OrdersDiffer` before anything is written. */
export async function importDemoSales(
  host: Host,
  onProgress: (done: number, total: number) => void,
  planned?: PlannedSales,
): Promise<DemoImport> {
  const { plan, report } = planned ?? (await planSales());
  const into = { tenantId: DEMO_TENANT_ID, shopId: SHOP_ID, onProgress };
  const { done } = await importSales(host, plan, into);
  return { report, news: done > 0 };
}

/** The keys and the password of the stored credentials while they are active, else new ones. */
export async function demoKeys(host: Host): Promise<DemoKeys> {
  const kept = keptCredentials(credentialsPath(host));
  return {
    apiKey: (await ifActive(host, kept?.apiKey)) ?? (await newKey(host, 'api')),
    tenantKey: (await ifActive(host, kept?.tenantKey)) ?? (await newKey(host, 'tenant')),
    consolePassword: await consolePassword(host, kept?.consolePassword),
  };
}

/** Of the owner who signs in to the console: the kept one, else a new one. */
async function consolePassword({ engine }: Host, kept: string | undefined): Promise<string> {
  const { users } = engine.as({ tenantId: DEMO_TENANT_ID, actor: DEMO_EMAIL });
  const { users: all } = await engine.users.state(DEMO_TENANT_ID);
  const found = [...all.values()].find(({ email }) => email === DEMO_EMAIL);
  if (found?.status === 'active' && kept !== undefined) return kept;
  const owner = { email: DEMO_EMAIL, name: 'Demo', roleIds: ['owner'] };
  const userId = found?.userId ?? (await users.invite(owner)).id;
  const link = await engine.signIns.link({ tenantId: DEMO_TENANT_ID, userId }, 'invitation');
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await engine.signIns.setPassword(link, password);
  return password;
}

/** Writes the credentials into the data folder, readable by its owner only. */
export function writeDemoCredentials(
  host: Host,
  { baseUrl, ...keys }: DemoKeys & Pick<DemoCredentials, 'baseUrl'>,
): DemoCredentials {
  const clientId = String(DEMO_TENANT_ID);
  const people = { userEmail: DEMO_EMAIL, consoleEmail: DEMO_EMAIL };
  const credentials = { baseUrl, clientId, ...people, consoleUrl: `${baseUrl}/console`, ...keys };
  const path = credentialsPath(host);
  writeFileSync(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return credentials;
}

function credentialsPath({ config }: Host): string {
  return join(config.dataDir, CREDENTIALS_FILE);
}

function keptCredentials(path: string) {
  return existsSync(path) ? Credentials.partial().safeParse(jsonIn(path)).data : undefined;
}

async function ifActive({ tenants }: Host, key: string | undefined): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const digest = keyDigest(key);
  const keys = await tenants.keysOf(DEMO_TENANT_ID);
  return keys.some((each) => each.digest === digest && each.revokedAt === null) ? key : undefined;
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function newKey({ tenants }: Host, kind: 'api' | 'tenant'): Promise<string> {
  const { key } = await tenants.issueKey(
    DEMO_TENANT_ID,
    { kind, environment: 'live', label: 'demo', scopes: kind === 'api' ? ALL_SCOPES : [] },
    CALLER,
  );
  return key;
}
