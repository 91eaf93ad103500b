/** A host whose clock is moved over HTTP, and what the tests of the subscription contract ask of it. */
import { expect, vi } from 'vitest';
import { queryOf } from './api.ts';
import {
  type Answer,
  type Caller,
  card,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantOptions,
  USER_EMAIL,
} from './running-host.ts';

// Years of the clock pass in these tests, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** Cards that are approved once and then do what the README's table says. */
export const REBILL_CARDS = {
  insufficientFunds: '4000000000000341',
  stolen: '4000000000000358',
  oneInFour: '4000000000000366',
  action: '4000002760003184',
} as const;

/** A club of 19.95 every 30 days. */
export const PLAN = {
  name: 'Tea club',
  description: 'A tin of tea every month',
  rebillAmount: 19.95,
  frequency: 30,
};

/** Contact data with unique texts. */
export const CONTACT = {
  firstName: 'Zebedee',
  lastName: 'Quuxley',
  phone: '+44 20 7946 0958',
  addresses: [
    {
      addressType: 'DEFAULT',
      firstName: 'Zebedee',
      lastName: 'Quuxley',
      address: '17 Hollyhock Mews',
      city: 'Netherwallop',
      postalCode: 'SO20 8HE',
      state: 'Hampshire',
      countryCode: 'GB',
      phone: '+44 20 7946 0958',
    },
  ],
};

/** A host in test mode with one tenant, with its clock at a fixed day of the coming year. */
export async function startTimedHost(options: TimedOptions = {}): Promise<Timed> {
  const { tenantId = 61, at = '01-31T10:00:00.000Z', env, ...tenant } = options;
  const running = await startHost({ env: { TEST_CLOCK: '1', ...env } });
  const caller = await openTenant(running, tenantId, tenant);
  const timed = new Timed(running, caller);
  if (at !== null) await timed.moveTo(`${new Date().getUTCFullYear() + 1}-${at}`);
  return timed;
}

/** What may be asked of a subscription. */
export type Change = 'card' | 'freeze' | 'plan' | 'unfreeze' | 'unsubscribe';

export interface TimedOptions extends TenantOptions {
  readonly tenantId?: number;
  /** Month, day and time of the coming year; null leaves the clock at the system's time. */
  readonly at?: string | null;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a user sees of a host in test mode: nothing here looks behind HTTP. */
export class Timed {
  readonly running: Running;
  readonly caller: Caller;

  constructor(running: Running, caller: Caller) {
    this.running = running;
    this.caller = caller;
  }

  close(): Promise<void> {
    return this.running.close();
  }

  async now(): Promise<number> {
    const { status, text, body } = await this.caller.get('/v1/test/clock');
    expect(status, text).toBe(200);
    return Date.parse(body.now);
  }

  /** Moves the clock; everything that became due has been done when this returns. */
  async moveTo(instant: string | number): Promise<void> {
    const now = new Date(instant).toISOString();
    const { status, text, body } = await this.caller.post('/v1/test/clock', { body: { now } });
    expect(status, text).toBe(200);
    expect(body.unfinished).toEqual([]);
  }

  async moveDays(days: number): Promise<void> {
    const { status, text, body } = await this.caller.post('/v1/test/clock', {
      body: {
        advanceSeconds: days * 86_400,
      },
    });
    expect(status, text).toBe(200);
    expect(body.unfinished).toEqual([]);
  }

  /** Moves close to an instant and then just past it, so that what is due there is done there. */
  async moveJustPast(instant: string | number): Promise<void> {
    const at = new Date(instant).getTime();
    if ((await this.now()) < at - 10 * MINUTE_MS) await this.moveTo(at - 10 * MINUTE_MS);
    await this.moveTo(at + MINUTE_MS);
  }

  /** Pays with a plan that the card's number is to be billed for. */
  async subscribe(changes: Json = {}, number?: string): Promise<Started> {
    const payment = await this.caller.paid({
      subscription: PLAN,
      card: card(number),
      ...changes,
    });
    return { payment, ids: payment.subscriptions.map(({ id }: Json) => id) };
  }

  /** Pays with one plan; the id of its subscription. */
  async subscribed(changes: Json = {}, number?: string): Promise<number> {
    const { ids } = await this.subscribe(changes, number);
    expect(ids).toHaveLength(1);
    return ids[0] as number;
  }

  async subscription(id: number): Promise<Json> {
    const { status, text, body } = await this.caller.get('/v1/subscriptions/{id}', {
      path: { id },
    });
    expect(status, text).toBe(200);
    expectConsistent(body);
    return body;
  }

  async act(id: number, what: Change, body: Json = {}): Promise<Answer> {
    return this.caller.post(`/v1/subscriptions/{id}/${what}`, { path: { id }, body });
  }

  async schedule(id: number, count = 12) {
    const { status, text, body } = await this.caller.get('/v1/subscriptions/{id}/schedule', {
      path: { id },
      query: { count },
    });
    expect(status, text).toBe(200);
    return body;
  }

  /** All records of a subscription as the search shows them, the oldest first. */
  async records(id: number, filters: Json = {}): Promise<Json[]> {
    const records: Json[] = [];
    for (let pageNumber = 1; ; pageNumber += 1) {
      const asked = { subscriptionIds: [id], limit: 100, pageNumber, ...filters };
      const { status, text, body } = await this.caller.search(asked);
      expect(status, text).toBe(200);
      records.push(...body.transactions);
      if (!body.moreResults) return records.reverse();
    }
  }

  /** The rebills of a subscription, the oldest first: all its records but the one that started it. */
  async rebills(id: number, filters: Json = {}): Promise<Json[]> {
    const records = await this.records(id, filters);
    return records.filter(({ applicationId2 }) => applicationId2 === 3 || applicationId2 === 4);
  }

  async unsubscribe(changes: Json = {}, headers: Json = {}): Promise<Answer> {
    const body = {
      parentCompanyId: this.caller.tenantId,
      userEmail: USER_EMAIL,
      email: 'customer@example.com',
      ...changes,
    };
    return this.caller.post('/customerapi/unsubscribe', { body, headers });
  }

  async recurring(query = ''): Promise<Json> {
    const { status, text, body } = await this.caller.get('/api/ledger/recurring', {
      query: queryOf(query),
    });
    expect(status, text).toBe(200);
    return body;
  }
}

export interface Started {
  readonly payment: Json;
  readonly ids: readonly number[];
}

/** What the Subscription table promises of every record, whatever happened. */
export function expectConsistent(subscription: Json): void {
  const { active, unsubDate, frozen, rebillDate } = subscription;
  expect(unsubDate === null, 'active exactly while unsubDate is null').toBe(active);
  if (!active || frozen) expect(rebillDate).toBeNull();
  else expect(rebillDate).not.toBeNull();
  for (const name of ['subDate', 'realStartDate', 'unsubDate', 'rebillDate']) {
    const value = subscription[name];
    if (value !== null) expect(value, name).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  }
}
