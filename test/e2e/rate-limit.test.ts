/** The rate limit of a tenant, and the response beyond it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Caller,
  callerWith,
  expectRefusal,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from './running-host.ts';

let running: Running;
let caller: Caller;

const LIMIT = 5;

beforeEach(async () => {
  running = await startHost({ env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '4' } });
  caller = await openTenant(running, 11, { settings: { requestsPerMinute: LIMIT } });
});
afterEach(async () => running.close());

/** Asks until the limit is reached; a minute may turn in between, so twice the limit at most. */
async function exhaust(who: Caller): Promise<Answer> {
  let answer = await who.wire.get('/v1/payments');
  for (let more = 0; more < 2 * LIMIT && answer.status !== 429; more += 1) {
    answer = await who.wire.get('/v1/payments');
  }
  expectRefusal(answer, 429, 'rate_limited');
  return answer;
}

describe('the limit of a tenant', () => {
  it('is in the headers of every response', async () => {
    const { status, headers } = await caller.wire.get('/v1/payments');
    expect(status).toBe(200);
    expect(headers.get('ratelimit-policy')).toMatch(/;q=5;w=60/);
    expect(headers.get('ratelimit')).toMatch(/;r=4;t=\d+/);
    const next = await caller.wire.post('/api/transactions/search', { limit: 0 });
    expect(next.status).toBe(400);
    expect(next.headers.get('ratelimit')).toMatch(/;r=3;t=\d+/);
  });

  it('is 100 a minute unless set', async () => {
    const other = await openTenant(running, 12);
    await running.host.tenants.onboard(
      13 as TenantId,
      { name: 'Standard' },
      { actor: 'operator@example.com' },
    );
    const standard = await callerWith(running, 13, {});
    const { headers } = await standard.wire.get('/v1/payments');
    expect(headers.get('ratelimit-policy')).toMatch(/;q=100;w=60/);
    const set = await other.wire.get('/v1/payments');
    expect(set.headers.get('ratelimit-policy')).toMatch(/;q=1000000;w=60/);
  });

  it('answers 429 with Retry-After and the shape of every error', async () => {
    const { headers } = await exhaust(caller);
    const seconds = Number(headers.get('retry-after'));
    expect(Number.isInteger(seconds)).toBe(true);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(headers.get('ratelimit')).toMatch(/;r=0;t=\d+/);
  });

  it('lets nothing happen beyond it', async () => {
    await exhaust(caller);
    const answer = await caller.pay();
    expectRefusal(answer, 429);
  });

  it('is shared by the keys of an environment', async () => {
    const second = await callerWith(running, 11, {});
    await exhaust(caller);
    expectRefusal(await second.wire.get('/v1/payments'), 429);
  });

  it('is not shared with the test environment or with another tenant', async () => {
    const tester = await callerWith(running, 11, { environment: 'test' });
    const other = await openTenant(running, 12, { settings: { requestsPerMinute: LIMIT } });
    await exhaust(caller);
    expect((await tester.wire.get('/v1/payments')).status).toBe(200);
    expect((await other.wire.get('/v1/payments')).status).toBe(200);
  });

  it('may be raised', async () => {
    const { tenants, readSide } = running.host;
    await exhaust(caller);
    await tenants.changeSettings(
      11 as TenantId,
      { requestsPerMinute: 1_000 },
      { actor: 'operator@example.com' },
    );
    await readSide.caughtUp(11);
    expect((await caller.wire.get('/v1/payments')).status).toBe(200);
  });
});

describe('failed authentication', () => {
  it('has a separate bucket per address', async () => {
    const statuses: number[] = [];
    let last: Answer | undefined;
    for (let attempt = 0; attempt < 10 && last?.status !== 429; attempt += 1) {
      last = await caller.wire.get('/v1/payments', { Authorization: `cf_live_wrong${attempt}` });
      statuses.push(last.status);
    }
    expect(statuses.slice(0, 4)).toEqual([401, 401, 401, 401]);
    expect(last?.status).toBe(429);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(last?.body).toMatchObject({ success: false, code: expect.any(String) });
  });

  it('does not use up the tenant’s requests', async () => {
    await caller.wire.get('/v1/payments', { Authorization: 'cf_live_wrong' });
    await caller.wire.get('/v1/payments', { Authorization: undefined });
    const { headers } = await caller.wire.get('/v1/payments');
    expect(headers.get('ratelimit')).toMatch(/;r=4;t=\d+/);
  });
});
