/** Keys, tenants, users and scopes over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CALLER,
  Caller,
  callerWith,
  card,
  expectRefusal,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from './running-host.ts';

const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let now = Date.now();
let running: Running;
let caller: Caller;
let payment: Json;

beforeAll(async () => {
  running = await startHost({
    clock: { now: () => new Date(now).toISOString() },
    env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '100000' },
  });
  caller = await openTenant(running, 11);
  payment = await caller.paid();
});
afterAll(async () => running.close());

/** Every endpoint that needs a key, with a valid request. */
const ENDPOINTS: readonly (readonly [string, string, () => Json, string])[] = [
  ['POST', '/customerapi/detail', () => ({ ...claims(), id: payment.id }), 'transactions:read'],
  [
    'POST',
    '/customerapi/refund',
    () => ({ ...claims(), messageId: payment.id, amount: 0.01 }),
    'transactions:refund',
  ],
  ['POST', '/customerapi/search', () => ({}), 'transactions:read'],
  ['POST', '/api/transactions/search', () => ({}), 'transactions:read'],
  ['POST', '/v1/payments', purchase, 'payments:write'],
  ['POST', '/v1/card/submit', purchase, 'payments:write'],
  ['GET', '/v1/payments', () => undefined, 'payments:read'],
  ['GET', '/v1/payments/{id}', () => undefined, 'payments:read'],
  ['POST', '/v1/payments/{id}/capture', () => ({}), 'payments:write'],
  ['POST', '/v1/payments/{id}/void', () => ({}), 'payments:write'],
  ['POST', '/v1/payments/{id}/refund', () => ({ amount: 0.01 }), 'transactions:refund'],
  ['GET', '/api/ledger/trial-balance', () => undefined, 'ledger:read'],
  ['GET', '/api/ledger/accounts', () => undefined, 'ledger:read'],
  ['GET', '/api/ledger/statements', () => undefined, 'ledger:read'],
];

function claims(): Json {
  return { parentCompanyId: 11, userEmail: 'agent@example.com' };
}

function purchase(): Json {
  return {
    amount: 1,
    currency: 'GBP',
    card: card(),
    email: 'customer@example.com',
    applicationId: 1,
    companyId: 5,
  };
}

describe.each(ENDPOINTS)('%s %s', (method, template, body, scope) => {
  const path = () => template.replace('{id}', payment.id);
  const ask = (who: Caller, headers: Record<string, string | undefined> = {}, changes?: Json) => {
    const sent = body();
    return sent === undefined
      ? who.wire.send(method, path(), undefined, headers)
      : who.wire.post(path(), { ...sent, ...changes }, headers);
  };

  it('refuses a request without a key', async () => {
    expectRefusal(await ask(caller, { Authorization: undefined }), 401);
  });

  it(`needs only ${scope}`, async () => {
    const others = [
      'ledger:read',
      'payments:read',
      'payments:write',
      'transactions:read',
      'transactions:refund',
    ].filter((each) => each !== scope);
    const without = await callerWith(running, 11, { scopes: others });
    expectRefusal(await ask(without), 403, 'insufficient_scope');
    const only = await callerWith(running, 11, { scopes: [scope] });
    const answer = await ask(only);
    expect([401, 403], answer.text).not.toContain(answer.status);
  });
});

describe('keys', () => {
  it('revoked ones are 401 at once', async () => {
    const { tenants } = running.host;
    const { keyId, key } = await tenants.issueKey(
      11 as TenantId,
      { kind: 'api', environment: 'live', label: 'to revoke', scopes: ['payments:read'] },
      CALLER,
    );
    await running.host.readSide.caughtUp(11);
    const holder = new Caller(running.url, 11, key);
    expect((await holder.wire.get('/v1/payments')).status).toBe(200);
    await tenants.revokeKey(11 as TenantId, keyId, CALLER);
    await running.host.readSide.caughtUp(11);
    expectRefusal(await holder.wire.get('/v1/payments'), 401);
  });

  it('that expire later are good until then, by the clock of the host', async () => {
    now = Date.now();
    const expiresAt = new Date(now + 3_600_000).toISOString();
    const holder = await callerWith(running, 11, { expiresAt });
    expect((await holder.wire.get('/v1/payments')).status).toBe(200);
    now = Date.parse(expiresAt) + 1;
    const answer = await holder.wire.get('/v1/payments');
    now = Date.now();
    expect(answer.status).toBe(401);
  });

  it('rotated ones live on for the overlap and no longer', async () => {
    const { tenants } = running.host;
    const tenantId = 11 as TenantId;
    const rotated = async () => {
      const request = {
        kind: 'api',
        environment: 'live',
        label: 'to rotate',
        scopes: ['payments:read'],
      } as const;
      const old = await tenants.issueKey(tenantId, request, CALLER);
      const next = await tenants.rotateKey(tenantId, { keyId: old.keyId, overlapDays: 1 }, CALLER);
      return [old.key, next.key];
    };
    now = Date.now() - 2 * 86_400_000;
    const past = await rotated();
    now = Date.now();
    const current = await rotated();
    await running.host.readSide.caughtUp(11);
    const statuses: number[] = [];
    for (const key of [...past, ...current]) {
      statuses.push((await new Caller(running.url, 11, key).wire.get('/v1/payments')).status);
    }
    expect(statuses).toEqual([401, 200, 200, 200]);
  });

  it('of 0 days of overlap end at once', async () => {
    const { tenants } = running.host;
    const tenantId = 11 as TenantId;
    const old = await tenants.issueKey(
      tenantId,
      { kind: 'api', environment: 'live', label: 'to rotate', scopes: ['payments:read'] },
      CALLER,
    );
    await tenants.rotateKey(tenantId, { keyId: old.keyId, overlapDays: 0 }, CALLER);
    await running.host.readSide.caughtUp(11);
    expectRefusal(await new Caller(running.url, 11, old.key).wire.get('/v1/payments'), 401);
  });

  it('for tests see and make sandbox data only', async () => {
    const tester = await callerWith(running, 11, { environment: 'test' });
    const { status, body } = await tester.pay();
    expect(status).toBe(201);
    expect(body.sandbox).toBe(true);
    expectRefusal(await tester.pay({ sandbox: false }), 403);
    expectRefusal(await tester.wire.get(`/v1/payments/${payment.id}`), 404);
    expectRefusal(await tester.detail(payment.id), 404);
    expectRefusal(await tester.refund(payment.id), 404);
    for (const what of ['capture', 'void', 'refund']) {
      expectRefusal(await tester.wire.post(`/v1/payments/${payment.id}/${what}`), 404);
    }
    const listed = await tester.wire.get('/v1/payments');
    expect(listed.body.data.every(({ sandbox }: Json) => sandbox)).toBe(true);
  });
});

describe('claims in the body', () => {
  it.each(['/customerapi/detail', '/customerapi/refund'])(
    '%s: another parentCompanyId is 403 before any look-up',
    async (path) => {
      for (const id of [payment.id, NOWHERE]) {
        const body = { ...claims(), id, messageId: id, parentCompanyId: 12 };
        expectRefusal(await caller.wire.post(path, body), 403, 'tenant_mismatch');
      }
    },
  );

  it.each([
    ['/customerapi/detail', undefined],
    ['/customerapi/refund', undefined],
    ['/customerapi/search', {}],
    ['/api/transactions/search', {}],
  ])('%s: the UserEmail header is required', async (path, given) => {
    const body = given ?? { ...claims(), id: payment.id, messageId: payment.id };
    expectRefusal(await caller.wire.post(path, body, { UserEmail: undefined }), 400);
    expectRefusal(await caller.wire.post(path, body, { UserEmail: 'invalid' }), 400);
  });
});

describe('what needs no key', () => {
  it.each(['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])('%s', async (path) => {
    expect((await fetch(running.url + path)).status).toBe(200);
  });
});
