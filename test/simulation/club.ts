/** A host that bills the members of a club, and the model of its log. */
import type { Event, EventStore, Subscription, TenantId } from '@counterfoil/core';
import type { SandboxGateway } from '@counterfoil/engine/gateways';
import { vi } from 'vitest';
import { Caller, type Json, present } from './caller.ts';
import { issueKey, LocalHost, onboard } from './local-host.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const POLLING = { timeout: 20_000, interval: 2 };
export const TENANT_ID: TenantId = 1 as TenantId;
const APPROVE = '4242424242424242';
const YEARS_OF_A_CARD = 12;
/** As long as the sweeper asks after a lost answer, and then some. */
const MINUTES_TO_SETTLE = 8;

export class Club extends LocalHost {
  caller!: Caller;
  #key = '';

  constructor({ onDisk = false, begin }: { readonly onDisk?: boolean; readonly begin: string }) {
    super({ onDisk, begin, gatewayTimeoutMs: 1_000, logLevel: 'error' });
  }

  /** One that runs, with a tenant. */
  static async founded(options: ConstructorParameters<typeof Club>[0]): Promise<Club> {
    const club = new Club(options);
    await club.open();
    await onboard(club.host, TENANT_ID, { accounts: [{ id: 1 }] });
    club.#key = await issueKey(club.host, TENANT_ID);
    club.caller = club.callerOf(club);
    return club;
  }

  /** The same agent, at the host that another club has by now. */
  callerOf(club: Club): Caller {
    return new Caller(() => club.url, { tenantId: TENANT_ID, key: this.#key });
  }

  /** Somebody joins over HTTP; answers the id of the subscription. */
  async join(
    member: number,
    { number = APPROVE, frequency = 30, trialDays = 0 } = {},
  ): Promise<number> {
    const payment = {
      amount: 19.95,
      currency: 'GBP',
      card: this.#card(number),
      email: `member-${member}@example.com`,
      applicationId: 1,
      subscription: { name: 'Tea club', rebillAmount: 19.95, frequency, trialDays },
    };
    const { status, body } = await this.caller.post('/v1/payments', { body: payment });
    if (status !== 201) throw new Error(`joining failed: ${JSON.stringify(body)}`);
    return present(body.subscriptions[0]).id;
  }

  #card(number: string) {
    const expYear = new Date(this.nowMs).getUTCFullYear() + YEARS_OF_A_CARD;
    return { number, expMonth: 12, expYear, cvv: '123' };
  }

  async changeCard(subscriptionId: number, number: string): Promise<void> {
    const card = this.#card(number);
    const { status, body } = await this.caller.post('/v1/subscriptions/{id}/card', {
      path: { id: subscriptionId },
      body: { card },
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
    const body = { ...caller.claims, id: record.transactionId, getSearchData: true };
    const { transaction } = (await caller.post('/customerapi/detail', { body })).body;
    const { paymentNumber, attempt, totalAttempt } = present(transaction);
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
      body: {
        subscriptionIds: [subscriptionId],
        dateFrom: '2000-01-01',
        pageNumber,
        limit: 100,
      },
    });
    records.push(...body.transactions);
    if (!body.moreResults) break;
  }
  return records.reverse();
}
