/** A host whose clock is moved: what waits for its time gets it, in order, and nothing is lost on the way. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@counterfoil/engine';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  CARDS,
  type Caller,
  callerWith,
  card,
  eventually,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';
import { atHost } from './two-hosts.ts';

const SECOND_MS = 1_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;
const TEN_YEARS = 315_576_000;
const CLOCK = '/v1/test/clock';
const SLOW_MS = 60_000;

const TESTING = { TEST_CLOCK: '1' };

async function advance(caller: Caller, seconds: number): Promise<Json> {
  const answer = await caller.post('/v1/test/clock', { body: { advanceSeconds: seconds } });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ success: true, unfinished: [] });
  return answer.body;
}

async function nowOf(caller: Caller): Promise<number> {
  const answer = await caller.get('/v1/test/clock');
  expect(answer.status, answer.text).toBe(200);
  return Date.parse(answer.body.now);
}

describe('a clock that is moved', { timeout: SLOW_MS }, () => {
  let running: Running;
  beforeAll(async () => {
    running = await startHost({ env: TESTING });
  });
  afterAll(() => running.close());

  it('runs by itself, and moves forward on request', async () => {
    const caller = await openTenant(running, 1);
    const before = await nowOf(caller);
    const moved = await advance(caller, 90);
    expect(Date.parse(moved.now) - before).toBeGreaterThanOrEqual(90 * SECOND_MS);
    const { body } = await caller.get('/v1/test/clock');
    expect(body).toMatchObject({ success: true, movingTo: null });
    expect(body.aheadSeconds).toBeGreaterThan(89);
    const to = new Date(Date.parse(moved.now) + 5 * SECOND_MS + 60 * SECOND_MS).toISOString();
    const there = await caller.post('/v1/test/clock', { body: { now: to } });
    expect(there.body.now >= to, there.text).toBe(true);
    expect(await advance(caller, 0)).toMatchObject({ steps: 0 });
  });

  it('releases reserves and closes refund windows after 180 days', async () => {
    const caller = await openTenant(running, 2, { account: { reservePercentage: 10 } });
    const { id } = await caller.paid();
    expect(await caller.balances()).toMatchObject({ reserve: 10 });
    await advance(caller, 180 * DAY - HOUR);
    expect(await caller.balances()).toMatchObject({ reserve: 10 });
    expect(await caller.transaction(id)).toMatchObject({ refundable: true });
    await advance(caller, 2 * HOUR);
    expect((await caller.balances())['reserve'] ?? 0).toBe(0);
    expect(await caller.transaction(id)).toMatchObject({ refundable: false });
    expectRefusal(await caller.refund(id), 400, 'not_refundable');
  });

  it('expires alerts when their deadline has passed', async () => {
    const caller = await openTenant(running, 3);
    const { id } = await caller.paid({ card: card(CARDS.alert) });
    const alertOf = async () =>
      (await caller.transaction(id)).childTransactions.find(
        ({ alertType }: Json) => alertType !== 0,
      );
    await eventually(alertOf, (alert) => alert?.status === 'AlertOpen');
    await advance(caller, DAY - HOUR);
    expect(await alertOf()).toMatchObject({ status: 'AlertOpen' });
    await advance(caller, HOUR);
    expect(await alertOf()).toMatchObject({ status: 'AlertExpired' });
  });

  it('expires authorizations after seven days, and actions after one', async () => {
    const caller = await openTenant(running, 4);
    const authorized = await caller.paid({ capture: false });
    const waiting = await caller.pay({ card: card(CARDS.actionApprove) });
    const statusOf = async ({ id }: Json) =>
      (await caller.get('/v1/payments/{id}', { path: { id } })).body.status;
    await advance(caller, DAY - HOUR);
    expect(await statusOf(waiting.body)).toBe('RequiresAction');
    await advance(caller, HOUR);
    expect(await statusOf(waiting.body)).toBe('Expired');
    await advance(caller, 5 * DAY);
    expect(await statusOf(authorized)).toBe('Authorized');
    await advance(caller, DAY);
    expect(await statusOf(authorized)).toBe('Expired');
    const capture = await caller.post('/v1/payments/{id}/capture', {
      path: { id: authorized.id },
      body: {},
    });
    expectRefusal(capture, 400, 'payment_state');
    const confirm = await caller.post('/v1/payments/{id}/confirm', {
      path: { id: waiting.body.id },
      body: {},
    });
    expect(confirm.status).toBe(402);
    expect(confirm.body).toMatchObject({ status: 'Expired' });
  });

  it('asks about outcomes that are not known, at their times', async () => {
    const caller = await openTenant(running, 5);
    const { body } = await caller.pay({ card: card(CARDS.timeoutApprove) });
    expect(body.status).toBe('Unknown');
    await advance(caller, 5);
    expect((await caller.get('/v1/payments/{id}', { path: { id: body.id } })).body.status).toBe(
      'Captured',
    );
    const nothing = await caller.pay({ card: card(CARDS.timeoutNothing) });
    await advance(caller, 5 * 60);
    expect(
      (await caller.get('/v1/payments/{id}', { path: { id: nothing.body.id } })).body.status,
    ).toBe('Failed');
  });

  it('forgets answers after a day, and expires keys', async () => {
    const caller = await openTenant(running, 6);
    const key = { 'Idempotency-Key': 'order-1' };
    const first = await caller.pay({}, key);
    await advance(caller, DAY - HOUR);
    const again = await caller.pay({}, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const expiresAt = new Date((await nowOf(caller)) + 2 * HOUR * SECOND_MS).toISOString();
    const limited = await callerWith(running, 6, { expiresAt });
    await advance(caller, HOUR);
    const later = await caller.pay({}, key);
    expect(later.headers.get('idempotency-replayed')).toBeNull();
    expect(later.body.id).toBe(first.body.id);
    expect((await limited.get('/v1/payments/{id}', { path: { id: first.body.id } })).status).toBe(
      200,
    );
    await advance(caller, HOUR);
    expectRefusal(
      await limited.get('/v1/payments/{id}', { path: { id: first.body.id } }),
      401,
      'api_key_expired',
    );
  });

  it('refuses cards that have expired by then, and searches the last 30 days', async () => {
    const caller = await openTenant(running, 7);
    const { id } = await caller.paid();
    expect(await caller.found({})).toEqual([id]);
    const expiring = {
      ...card(),
      expMonth: 12,
      expYear: new Date(await nowOf(caller)).getFullYear(),
    };
    expect((await caller.pay({ card: expiring })).status).toBe(201);
    await advance(caller, 370 * DAY);
    expect(await caller.found({})).toEqual([]);
    expectRefusal(await caller.pay({ card: expiring }), 400, 'card_invalid');
  });

  it('moves for two callers one after the other', async () => {
    const caller = await openTenant(running, 8);
    const before = await nowOf(caller);
    const moves = await Promise.all([advance(caller, DAY), advance(caller, 2 * DAY)]);
    const days = moves.map(({ now }) => Math.floor((Date.parse(now) - before) / SECOND_MS / DAY));
    expect(days.toSorted()).toEqual([Math.min(...days), 3]);
    expect(Math.floor(((await nowOf(caller)) - before) / SECOND_MS / DAY)).toBe(3);
  });

  it('moves once for one Idempotency-Key', async () => {
    const caller = await openTenant(running, 9);
    const key = { 'Idempotency-Key': 'a-day' };
    const first = await caller.post('/v1/test/clock', {
      body: { advanceSeconds: HOUR },
      headers: key,
    });
    const second = await caller.post('/v1/test/clock', {
      body: { advanceSeconds: HOUR },
      headers: key,
    });
    expect(second.body).toEqual(first.body);
    expect((await nowOf(caller)) - Date.parse(first.body.now)).toBeLessThan(HOUR * SECOND_MS);
  });

  it('completes after its caller disconnected', async () => {
    const caller = await openTenant(running, 10);
    const before = await nowOf(caller);
    const asked = new Promise<void>((resolve) => {
      const body = JSON.stringify({ advanceSeconds: 400 * DAY });
      const request = httpRequest(running.url + CLOCK, {
        method: 'POST',
        headers: {
          Authorization: caller.key,
          ClientId: '10',
          'Content-Type': 'application/json',
          'Content-Length': body.length,
        },
      });
      request.on('error', () => undefined).on('close', resolve);
      // Disconnects after the request.
      request.end(body, () => request.destroy());
    });
    await asked;
    const now = await eventually(
      () => nowOf(caller),
      (shown) => shown - before >= 400 * DAY * SECOND_MS,
    );
    expect(now - before).toBeLessThan(401 * DAY * SECOND_MS);
  });

  it('serves others while it moves', async () => {
    const caller = await openTenant(running, 13);
    const authorized: string[] = [];
    for (let hour = 0; hour < 10; hour += 1) {
      authorized.push((await caller.paid({ capture: false })).id);
      await advance(caller, HOUR);
    }
    let isMoving = true;
    const moving = advance(caller, 30 * DAY).finally(() => {
      isMoving = false;
    });
    const others = Array.from({ length: 4 }, async () => {
      const ids: string[] = [];
      do ids.push((await caller.paid()).id);
      while (isMoving);
      return ids;
    });
    const paid = (await Promise.all(others)).flat();
    await moving;
    const statusesOf = (ids: readonly string[]) =>
      Promise.all(
        ids.map(
          async (id) => (await caller.get('/v1/payments/{id}', { path: { id } })).body.status,
        ),
      );
    expect(new Set(await statusesOf(authorized))).toEqual(new Set(['Expired']));
    expect(new Set(await statusesOf(paid))).toEqual(new Set(['Captured']));
  });

  it.each<[string, Json]>([
    ['nothing', {}],
    ['both', { advanceSeconds: 1, now: '2099-01-01T00:00:00Z' }],
    ['less than nothing', { advanceSeconds: -1 }],
    ['a part of a second', { advanceSeconds: 0.5 }],
    ['a text', { advanceSeconds: '5' }],
    ['more than ten years', { advanceSeconds: TEN_YEARS + 1 }],
    ['no instant', { now: 'tomorrow' }],
    ['a day', { now: '2099-01-01' }],
    ['the past', { now: '2020-01-01T00:00:00Z' }],
    ['an instant too far ahead', { now: '2999-01-01T00:00:00Z' }],
    ['an instant beyond the years', { now: '9999-01-01T00:00:00Z' }],
  ])('refuses %s, and stays', async (_, body) => {
    const caller = await openTenant(running, 11);
    const before = await nowOf(caller);
    expectRefusal(await caller.post('/v1/test/clock', { body }), 400, 'invalid_request');
    expect((await nowOf(caller)) - before).toBeLessThan(HOUR * SECOND_MS);
  });

  it('is moved with the scope clock:write alone, of either environment', async () => {
    await openTenant(running, 12);
    const without = await callerWith(running, 12, { scopes: ['payments:read'] });
    expectRefusal(await without.get('/v1/test/clock'), 403, 'insufficient_scope');
    expectRefusal(
      await without.post('/v1/test/clock', { body: { advanceSeconds: 1 } }),
      403,
      'insufficient_scope',
    );
    const test = await callerWith(running, 12, { environment: 'test', scopes: ['clock:write'] });
    await advance(test, 1);
    const anonymous = await fetch(running.url + CLOCK);
    expect(anonymous.status).toBe(401);
  });

  it('exports how far ahead it is as a metric', async () => {
    const text = await (await fetch(`${running.url}/metrics`)).text();
    expect(Number(/^clock_ahead_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(DAY);
  });
});

describe('a host without TEST_CLOCK', () => {
  it('has no clock to move', async () => {
    const running = await startHost();
    onTestFinished(() => running.close());
    const caller = await openTenant(running, 1);
    for (const answer of [
      await caller.get('/v1/test/clock'),
      await caller.post('/v1/test/clock', { body: { advanceSeconds: 1 } }),
    ]) {
      expectRefusal(answer, 404, 'route_not_found');
    }
    const document = await (await fetch(`${running.url}/openapi.json`)).text();
    expect(document).not.toContain('/v1/test');
    expect(await (await fetch(`${running.url}/metrics`)).text()).not.toContain('clock_ahead');
    expect(running.host.testClock).toBeUndefined();
  });
});

describe('a host on disk', { timeout: SLOW_MS }, () => {
  const folderOf = () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-clock-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };
  const env = (folder: string) => ({
    PORT: '0',
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    ...TESTING,
  });
  async function start(folder: string): Promise<Running> {
    const host = await compose(readConfig(env(folder)));
    return { host, url: await host.listen(), close: () => host.close() };
  }

  it('shows after a restart what it showed before', async () => {
    const folder = folderOf();
    const first = await start(folder);
    const caller = await openTenant(first, 1);
    const payment = await caller.paid({ capture: false });
    await advance(caller, 6 * DAY);
    const shown = await nowOf(caller);
    await first.close();
    const second = await start(folder);
    onTestFinished(() => second.close());
    const again = atHost(second, caller);
    expect(await nowOf(again)).toBeGreaterThanOrEqual(shown);
    expect((await again.get('/v1/payments/{id}', { path: { id: payment.id } })).body.status).toBe(
      'Authorized',
    );
    await advance(again, DAY);
    expect((await again.get('/v1/payments/{id}', { path: { id: payment.id } })).body.status).toBe(
      'Expired',
    );
  });

  it('does not start by the system clock once it is ahead of it', async () => {
    const folder = folderOf();
    const first = await start(folder);
    await advance(await openTenant(first, 1), DAY);
    await first.close();
    const { TEST_CLOCK: _, ...real } = env(folder);
    await expect(compose(readConfig(real))).rejects.toThrow(
      /TEST_CLOCK must be 1 for .*: its clock was moved 24 hours ahead/,
    );
  });

  it('does not start when its file is unreadable', async () => {
    const folder = folderOf();
    const path = join(folder, 'test-clock.json');
    for (const damaged of ['', '{"aheadMs":12', '{"aheadMs":-5,"reachedMs":0}', '[]']) {
      writeFileSync(path, damaged);
      const started = compose(readConfig(env(folder)));
      await expect(started, damaged).rejects.toThrow(ConfigError);
      await expect(started, damaged).rejects.toThrow(/test-clock\.json does not tell/);
    }
    expect(readFileSync(path, 'utf8')).toBe('[]');
  });

  it('makes no file for an unmoved clock', async () => {
    const folder = folderOf();
    await (await start(folder)).close();
    expect(existsSync(join(folder, 'test-clock.json'))).toBe(false);
  });
});
