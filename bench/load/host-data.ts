/** Prepares the data folder of a host under load: one tenant, its reference data, and a number of payments. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type AppendRequest,
  type CommandId,
  type Event,
  encodeEvent,
  type Position,
  type TenantId,
} from '../../packages/core/src/index.ts';
import { ALL_SCOPES } from '../../packages/engine/src/index.ts';
import { openSqliteEventStore } from '../../packages/event-stores/src/sqlite.ts';
import { readConfig } from '../../packages/http-host/src/config.ts';
import { compose, type Host } from '../../packages/http-host/src/index.ts';
import { syntheticPayment } from '../../packages/projections/src/testing/index.ts';

export const TENANT_ID = 1 as TenantId;
export const USER_EMAIL = 'agent@example.com';
export const PASSWORD = 'correct horse battery staple';

const OPERATOR = { actor: 'operator@example.com' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };
/** The maximum setting, far above any load of this bench. */
const REQUESTS_PER_MINUTE = 10_000_000;
const APPENDS_AT_ONCE = 512;
const SAY_EVERY = 20_000;
const REST_MS = 60_000;

/** The numbers of reference records that the synthetic payments use. */
const THINGS = { companies: 5, shops: 8, campaigns: 60, affiliates: 200, products: 300 };

export interface HostData {
  readonly folder: string;
  readonly masterKey: string;
  readonly apiKey: string;
  /** Of servers that write leads. */
  readonly leadKey: string;
  /** Payments written beforehand. */
  readonly payments: number;
}

export interface DataWanted {
  readonly folder: string;
  readonly payments: number;
  readonly seed: number;
  readonly say: (what: string) => void;
}

/** Creates the folder. The host's first start builds the read models from the log. */
export async function makeHostData(wanted: DataWanted): Promise<HostData> {
  const { folder } = wanted;
  const masterKey = randomBytes(32).toString('base64');
  const env = { DATA_DIR: folder, MASTER_KEY: masterKey, NODE_ENV: 'production', PORT: '0' };
  const host = await compose({ ...readConfig(env), logLevel: 'error' });
  const apiKey = await onboard(host);
  const leadKey = await issueLeadKey(host);
  await openUser(host);
  await reacted(host);
  await host.close();
  removeReadModels(folder);
  const payments = await writePayments(wanted);
  return { folder, masterKey, apiKey, leadKey, payments };
}

/** An initial build is several times as fast as following the log. */
function removeReadModels(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('read-models.db')) rmSync(join(folder, name));
  }
}

async function onboard({ tenants, merchantAccounts, commands }: Host): Promise<string> {
  const settings = { requestsPerMinute: REQUESTS_PER_MINUTE };
  await tenants.onboard(TENANT_ID, { name: 'Bench Group', settings }, OPERATOR);
  const of = { tenantId: TENANT_ID, at: commands.clock.now() };
  const define = (definition: Parameters<typeof tenants.define>[0]) =>
    tenants.define(definition, OPERATOR);
  const each = (count: number, make: (id: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index + 1)));
  await each(THINGS.companies, async (companyId) => {
    await define({ type: 'DefineCompany', ...of, companyId, name: `Company ${companyId} Ltd` });
    await openAccounts(merchantAccounts, companyId);
  });
  await each(THINGS.shops, (shopId) => {
    const rootDomain = `shop-${shopId}.example`;
    const shop = { shopId, companyId: 1, name: `Shop ${shopId}`, currency: 'GBP' };
    return define({ type: 'DefineShop', ...of, ...shop, domain: `www.${rootDomain}`, rootDomain });
  });
  await each(THINGS.campaigns, (campaignId) =>
    define({ type: 'DefineCampaign', ...of, campaignId, name: `Campaign ${campaignId}` }),
  );
  await each(THINGS.affiliates, (affiliateId) =>
    define({ type: 'DefineAffiliate', ...of, affiliateId, name: `Affiliate ${affiliateId}` }),
  );
  await each(THINGS.products, (productId) =>
    define({ type: 'DefineProduct', ...of, productId, name: `Product ${productId}` }),
  );
  const key = { kind: 'api', environment: 'live', label: 'bench', scopes: ALL_SCOPES } as const;
  return (await tenants.issueKey(TENANT_ID, key, OPERATOR)).key;
}

async function issueLeadKey({ tenants }: Host): Promise<string> {
  const key = { environment: 'live', label: 'bench', applicationId: 1 } as const;
  const asked = { ...key, allowedOrigins: ['https://shop.example'] };
  return (await tenants.issueLeadKey(TENANT_ID, asked, OPERATOR)).secretKey;
}

/** An owner, for the console. */
async function openUser({ engine }: Host): Promise<void> {
  const { users } = engine.as({ tenantId: TENANT_ID, actor: OPERATOR.actor });
  const user = { email: USER_EMAIL, name: 'Agent', roleIds: ['owner'] };
  const { token } = await users.invite(user);
  await engine.signIns.setPassword(token ?? '', PASSWORD);
}

/** Three per company, under the ids that the synthetic payments use. */
async function openAccounts(
  merchantAccounts: Host['merchantAccounts'],
  companyId: number,
): Promise<void> {
  for (const id of [0, 1, 2].map((index) => companyId * 10 + index)) {
    const settings = {
      mid: `MID${id}`,
      title: `Account ${id}`,
      companyId,
      gatewayId: 1,
      descriptor: `SHOP*${id} LONDON`,
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials: NO_CREDENTIALS }],
      discountRatePercentage: 1.4,
      bankAuthFee: 0.1,
    };
    await merchantAccounts.openOnce(TENANT_ID, id, settings, OPERATOR);
  }
}

/** Appends directly to the log, in the form in which the host writes. Resolves with the number of payments. */
async function writePayments({ folder, payments, seed, say }: DataWanted): Promise<number> {
  if (payments === 0) return 0;
  const store = await openSqliteEventStore({ path: join(folder, 'events.db') });
  let number = 0;
  let written = 0;
  const write = async () => {
    while (written < payments) {
      const request = appendOf(number, { payments, seed });
      number += 1;
      if (request === undefined) continue;
      written += 1;
      if (written % SAY_EVERY === 0) say(`writing payments: ${written} of ${payments}`);
      const { outcome } = await store.append(request);
      if (outcome !== 'appended') throw new Error(`a synthetic payment was not taken: ${outcome}`);
    }
  };
  await Promise.all(Array.from({ length: APPENDS_AT_ONCE }, write));
  const head = await store.head();
  await store.close();
  skipReactions(folder, head as Position);
  return written;
}

/** Until every follower of the log has a checkpoint. */
async function reacted({ events, engine }: Host): Promise<void> {
  const head = await events.head();
  if (head !== undefined) await engine.followerProgress.reached(head, { timeoutMs: REST_MS });
}

/** What follows from a payment has followed: it would be done during the load, for minutes. */
function skipReactions(folder: string, head: Position): void {
  for (const name of ['reactors.db', 'mails.db', 'webhooks.db']) {
    const database = new DatabaseSync(join(folder, name));
    database.prepare('UPDATE checkpoints SET position = ?').run(head);
    database.close();
  }
}

function appendOf(
  number: number,
  options: { readonly payments: number; readonly seed: number },
): AppendRequest | undefined {
  const { stream, tenantId, events } = syntheticPayment(number, options);
  if (isOpen(events)) return undefined;
  return {
    stream,
    events: events.map((event) => ({
      id: randomUUID(),
      ...encodeEvent(withoutDueDates(event)),
      tenantId,
      time: 'at' in event ? event.at : '',
      metadata: `{"actor":"${USER_EMAIL}"}`,
    })),
    expected: { kind: 'noStream' },
    command: { id: randomUUID() as CommandId, fingerprint: '0000000000000000' },
  };
}

/** Payments in these states would be completed by the host during the load. */
const OPEN: ReadonlySet<Event['type']> = new Set([
  'AttemptStarted',
  'RefundRequested',
  'AlertReceived',
]);

function isOpen(events: readonly Event[]): boolean {
  return OPEN.has(events.at(-1)?.type ?? 'AttemptStarted');
}

/** Reserves and chargebacks of a past year would all be released, or lost, during the load. */
function withoutDueDates(event: Event): Event {
  if (event.type === 'PaymentCaptured') return { ...event, reserveMinor: 0n };
  return event.type === 'ChargebackOpened' ? { ...event, respondBy: null } : event;
}
