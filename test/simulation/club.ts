/** A host that bills the members of a club, with a manual clock, and the model of its log. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event, EventStore, Subscription, TenantId } from '@counterfoil/core';
import { ALL_SCOPES } from '@counterfoil/engine';
import type { SandboxGateway } from '@counterfoil/engine/gateways';
import { compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { openSqliteReadModelStore, type ReadModelStore } from '@counterfoil/projections';
import { vi } from 'vitest';
import { Caller, type Json } from './caller.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const POLLING = { timeout: 20_000, interval: 2 };
export const TENANT_ID: TenantId = 1 as TenantId;
const OPERATOR = { actor: 'operator@example.com' };
const NO_CREDENTIALS = { apiKey: '', username: '', password: '', emailAddress: '' };
const APPROVE = '4242424242424242';
const YEARS_OF_A_CARD = 12;
/** As long as the sweeper asks after a lost answer, and then some. */
const MINUTES_TO_SETTLE = 8;

export class Club {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'counterfoil-club-'));
  readonly #onDisk: boolean;
  nowMs: number;
  caller!: Caller;
  #host: Host | undefined;
  #url = '';
  #key = '';

  constructor({ onDisk = false, begin }: { readonly onDisk?: boolean; readonly begin: string }) {
    this.#onDisk = onDisk;
    this.nowMs = Date.parse(begin);
  }

  get host(): Host {
    if (this.#host === undefined) throw new Error('the host does not run');
    return this.#host;
  }

  get gateway(): SandboxGateway {
    return this.host.gateways.gateways[0] as SandboxGateway;
  }

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  async open(): Promise<void> {
    const memory = { EVENT_STORE_URL: 'memory:', READ_MODEL_URL: 'memory:' };
    const env = {
      PORT: '0',
      DATA_DIR: this.folder,
      LOG_LEVEL: 'error',
      GATEWAY_TIMEOUT_MS: '1000',
    };
    const config = readConfig({ ...env, ...(this.#onDisk ? {} : memory) });
    this.#host = await compose(config, { clock: { now: () => this.now } });
    this.#url = await this.#host.listen();
  }

  async close(): Promise<void> {
    await this.#host?.close();
    this.#host = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async onboard(): Promise<void> {
    const { tenants, readSide } = this.host;
    const settings = { requestsPerMinute: 10_000_000 };
    await tenants.onboard(TENANT_ID, { name: 'Club', settings }, OPERATOR);
    const company = { companyId: 1, name: 'Club', at: this.now };
    await tenants.define({ type: 'DefineCompany', tenantId: TENANT_ID, ...company }, OPERATOR);
    const account = {
      mid: '701',
      title: 'Main',
      companyId: 1,
      gatewayId: 1,
      descriptor: 'CLUB LONDON',
      defaultCurrency: 'GBP',
      currencies: [{ currency: 'GBP', gatewayCredentials: NO_CREDENTIALS }],
      discountRatePercentage: 1.4,
    };
    await tenants.openMerchantAccount(TENANT_ID, 1, account, OPERATOR);
    const request = { kind: 'api', environment: 'live', label: '', scopes: ALL_SCOPES } as const;
    this.#key = (await tenants.issueKey(TENANT_ID, request, OPERATOR)).key;
    this.caller = this.callerOf(this);
    await readSide.caughtUp(TENANT_ID);
  }

  /** The same agent, at the host that another club has by now. */
  callerOf(club: Club): Caller {
    return new Caller(() => club.#url, { tenantId: TENANT_ID, key: this.#key });
  }

  /** Somebody joins over HTTP; answers the id of the subscription. */
  async join(
    member: number,
    { number = APPROVE, frequency = 30, trialDays = 0 } = {},
  ): Promise<number> {
    const { status, body } = await this.caller.post('/v1/payments', {
      amount: 19.95,
      currency: 'GBP',
      card: this.#card(number),
      email: `member-${member}@example.com`,
      applicationId: 1,
      subscription: { name: 'Tea club', rebillAmount: 19.95, frequency, trialDays },
    });
    if (status !== 201) throw new Error(`joining failed: ${JSON.stringify(body)}`);
    return body.subscriptions[0].id;
  }

  #card(number: string) {
    const expYear = new Date(this.nowMs).getUTCFullYear() + YEARS_OF_A_CARD;
    return { number, expMonth: 12, expYear, cvv: '123' };
  }

  async changeCard(subscriptionId: number, number: string): Promise<void> {
    const card = this.#card(number);
    const { status, body } = await this.caller.post(`/v1/subscriptions/${subscriptionId}/card`, {
      card,
    });
    if (status !== 200) throw new Error(`the card was not changed: ${JSON.stringify(body)}`);
  }

  /** One round of one kind of work on the whole log. */
  async round(name = 'billing'): Promise<void> {
    const { timed } = this.host;
    await this.#read();
    for (const work of timed.works) if (work.name === name) await timed.run(work);
    await this.#read();
  }

  /** Advances minute by minute until lost responses have been queried. */
  async settle(): Promise<void> {
    for (let minute = 0; minute < MINUTES_TO_SETTLE; minute += 1) {
      await this.round('open-intents');
      await this.round();
      this.nowMs += MINUTE_MS;
    }
  }

  /** The read models, opened to be written: a rebuild makes builds of its own beside the live ones. */
  async withWritableReadModels(work: (store: ReadModelStore) => Promise<void>): Promise<void> {
    if (!this.#onDisk) return work(this.host.readModels);
    const store = openSqliteReadModelStore({ path: join(this.folder, 'read-models.db') });
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  /** Waits until the read models have the whole log; followers may write on. */
  async #read(): Promise<void> {
    const { events, readModels } = this.host;
    await vi.waitUntil(async () => {
      const head = await events.head();
      const live = await readModels.live('subscriptions');
      return head === undefined || ((await live?.checkpoint()) ?? '') >= head;
    }, POLLING);
  }
}

/** A subscription according to the log. */
export interface Member {
  readonly started: Subscription.EventOf<'SubscriptionStarted'>;
  readonly dues: Subscription.EventOf<'RebillDue'>[];
  readonly renewals: Subscription.EventOf<'SubscriptionRenewed'>[];
  readonly failures: Subscription.EventOf<'RebillFailed'>[];
  readonly freezes: Subscription.EventOf<'SubscriptionFrozen'>[];
}

export async function readMembers(events: EventStore): Promise<ReadonlyMap<number, Member>> {
  const members = new Map<string, Member>();
  for await (const batch of events.subscribe({ untilHead: true })) {
    for (const stored of batch) {
      // These facts of a member are not personal data, so they are not encrypted.
      const event = { type: stored.type, ...JSON.parse(stored.data) } as Event;
      const { stream } = stored;
      if (event.type === 'SubscriptionStarted') {
        if (members.has(stream)) throw new Error(`${stream} was started twice`);
        members.set(stream, { started: event, dues: [], renewals: [], failures: [], freezes: [] });
        continue;
      }
      const member = members.get(stream);
      if (event.type === 'RebillDue') member?.dues.push(event);
      if (event.type === 'SubscriptionRenewed') member?.renewals.push(event);
      if (event.type === 'RebillFailed') member?.failures.push(event);
      if (event.type === 'SubscriptionFrozen') member?.freezes.push(event);
    }
  }
  return new Map([...members.values()].map((member) => [member.started.subscriptionId, member]));
}

/** The charges that the gateway took, by the payment that they are. */
export async function takenBy(gateway: SandboxGateway): Promise<ReadonlyMap<string, number>> {
  const taken = new Map<string, number>();
  for await (const record of gateway.records()) {
    if (record.operation !== 'charge' || record.result.result !== 'captured') continue;
    const [id = ''] = record.idempotencyKey.split('/');
    taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  return taken;
}

/** The faults of a club: none if every cycle was charged at most once and is in the log. */
export function faultsOf(
  members: ReadonlyMap<number, Member>,
  taken: ReadonlyMap<string, number>,
): readonly string[] {
  const faults: string[] = [];
  const explained = new Set<string>();
  for (const [id, { started, dues, renewals, failures }] of members) {
    explained.add(started.transactionId);
    const paid = dues.filter(({ transactionId }) => taken.has(transactionId));
    const renewed = new Set(renewals.map(({ transactionId }) => transactionId));
    const failed = new Set(failures.map(({ transactionId }) => transactionId));
    for (const { transactionId, cycle, attempt } of dues) {
      explained.add(transactionId);
      const name = `try ${attempt} of cycle ${cycle} of ${id}`;
      if ((taken.get(transactionId) ?? 0) > 1) faults.push(`${name} was taken twice`);
      if (taken.has(transactionId) !== renewed.has(transactionId)) {
        faults.push(`${name} is at the gateway or in the log, but not in both`);
      }
      if (taken.has(transactionId) && failed.has(transactionId)) faults.push(`${name} failed too`);
      if (!renewed.has(transactionId) && !failed.has(transactionId)) faults.push(`${name} is open`);
    }
    const cycles = paid.map(({ cycle }) => cycle);
    if (new Set(cycles).size !== cycles.length) faults.push(`a cycle of ${id} was paid twice`);
    if (dues.some(({ totalAttempt }, index) => totalAttempt !== index + 2)) {
      faults.push(`the tries of ${id} are not counted one by one`);
    }
  }
  for (const id of taken.keys()) if (!explained.has(id)) faults.push(`${id} has no member`);
  return faults;
}

/** The records of a subscription as the search finds them, the oldest first, with the count of the detail. */
export async function recordsOf(caller: Caller, subscriptionId: number): Promise<readonly Json[]> {
  const found = await searched(caller, subscriptionId);
  const records: Json[] = [];
  for (const record of found) {
    const asked = { ...caller.claims, id: record.transactionId, getSearchData: true };
    const { transaction } = (await caller.post('/customerapi/detail', asked)).body;
    const { paymentNumber, attempt, totalAttempt } = transaction;
    if (paymentNumber !== record.paymentNumber || attempt !== record.attempt) {
      throw new Error(`search and detail of ${record.transactionId} differ`);
    }
    records.push({ ...record, totalAttempt });
  }
  return records;
}

async function searched(caller: Caller, subscriptionId: number): Promise<readonly Json[]> {
  const records: Json[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const { body } = await caller.post('/api/transactions/search', {
      subscriptionIds: [subscriptionId],
      dateFrom: '2000-01-01',
      pageNumber,
      limit: 100,
    });
    records.push(...body.transactions);
    if (!body.moreResults) break;
  }
  return records.reverse();
}
