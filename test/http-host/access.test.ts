/** Every operation of the document with every kind of key: refused, or answered as if nothing were there. */
import { ALL_SCOPES, type KeyRequest, SCOPES } from '@counterfoil/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  CALLER,
  Caller,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from '../e2e/running-host.ts';
import { Documented, type Operation } from './documented.ts';
import { fileTypeOf, type Subject, subjectOf, variableOf } from './example-subjects.ts';

/** Some thousand requests, on a machine that is busy. */
const SLOW_MS = 60_000;

const HOUR_MS = 3_600_000;

const OWNER = 11;
const STRANGER = 12;
/** A key that is let in may do things. */
const DOER = 13;
/** What every tenant here has. */
const COMPANY = 5;
/** What needs no key: another one is added here on purpose. */
const PUBLIC = [
  '/',
  '/api/public/checkout-sessions/{id}',
  '/api/public/checkout-sessions/{id}/action',
  '/api/public/checkout-sessions/{id}/pay',
  '/api/public/customer-leads',
  '/docs',
  '/docs/{file}',
  '/livez',
  '/metrics',
  '/openapi.json',
  '/readyz',
  '/widget/pages/challenge',
  '/widget/pages/frame',
  '/widget/v1.json',
  '/widget/{file}',
];

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as a user would
type Json = any;

let running: Running;
let documented: Documented;
let owner: Caller;
let stranger: Caller;
let testKey: Caller;
/** By what is wrong with them. */
const refused = new Map<string, { readonly caller: Caller; readonly status: number }>();
/** By scope, a key that has no other, and one that has every other. */
const onlyWith = new Map<string, Caller>();
const without = new Map<string, Caller>();

beforeAll(async () => {
  running = await startHost({
    env: { TEST_CLOCK: '1', FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000' },
  });
  owner = await openTenant(running, OWNER);
  stranger = await openTenant(running, STRANGER);
  const { tenants, commands } = running.host;
  await openTenant(running, DOER);
  const issued = async (request: Partial<KeyRequest> = {}, tenantId = OWNER) => {
    const everything = { kind: 'api', environment: 'live', label: '', scopes: ALL_SCOPES } as const;
    return tenants.issueKey(tenantId as TenantId, { ...everything, ...request }, CALLER);
  };
  const callerOf = (key: string, tenantId = OWNER) => new Caller(running.url, tenantId, key);
  const add = (what: string, caller: Caller, status = 401) => refused.set(what, { caller, status });

  add('no key', callerOf(''));
  add('no key of this service', callerOf('x'));
  add('a Bearer prefix', callerOf(`Bearer ${owner.key}`));
  add('the tenant of another', callerOf(owner.key, STRANGER), 403);
  const revoked = await issued();
  await tenants.revokeKey(OWNER as TenantId, revoked.keyId, CALLER);
  add('a revoked key', callerOf(revoked.key));
  const expiresAt = new Date(Date.parse(commands.clock.now()) + HOUR_MS).toISOString();
  add('an expired key', callerOf((await issued({ expiresAt })).key));
  for (const kind of [
    'lead-publishable',
    'lead-secret',
    'payment-publishable',
    'tenant',
  ] as const) {
    add(`a ${kind} key`, callerOf((await issued({ kind, applicationId: 100 })).key));
  }
  for (const scope of ALL_SCOPES) {
    onlyWith.set(scope, callerOf((await issued({ scopes: [scope] }, DOER)).key, DOER));
    const others = ALL_SCOPES.filter((each) => each !== scope);
    without.set(scope, callerOf((await issued({ scopes: others })).key));
  }
  testKey = callerOf((await issued({ environment: 'test' })).key);
  await running.host.testClock?.move({ byMs: 2 * HOUR_MS });
  for (const tenant of [OWNER, DOER]) await running.host.readSide.caughtUp(tenant);
  documented = new Documented(await (await fetch(`${running.url}/openapi.json`)).json());
}, SLOW_MS);
afterAll(async () => running.close());

function scopeOf({ node }: Operation): string | undefined {
  return /Scope: `([^`]+)`/.exec(node.description)?.[1];
}

function withKeys(): readonly Operation[] {
  return documented.operations.filter(({ node }) =>
    node.security.some((each: Json) => 'apiKey' in each),
  );
}

function exampleOf({ node }: Operation): Json {
  return node.requestBody?.content['application/json']?.example;
}

/** Whether a path or a body names something that a tenant has. */
function namesAThing(operation: Operation): boolean {
  // The id in a message of a webhook is its own.
  if (operation.path.startsWith('/api/webhooks/')) return false;
  const { id, messageId } = exampleOf(operation) ?? {};
  return operation.path.includes('{') || (id ?? messageId) !== undefined;
}

/** Sends the example of an operation, about the subject. */
async function send(caller: Caller, operation: Operation, subject: Subject = {}): Promise<Answer> {
  const { method, path } = operation;
  const steps = path.split('/').map((step, index, all) => {
    if (!step.startsWith('{')) return step;
    return subject[variableOf(all[index - 1] ?? '')] ?? '1';
  });
  const example = exampleOf(operation);
  if (example === undefined) return caller.wire.send(method, steps.join('/'), undefined);
  const about = Object.keys(example).filter((name) => name === 'id' || name === 'messageId');
  const body = {
    ...example,
    ...Object.fromEntries(about.map((name) => [name, subject['PAYMENT_ID']])),
    ...('companyId' in example && { companyId: COMPANY }),
    ...('parentCompanyId' in example && { parentCompanyId: caller.tenantId }),
    ...('userEmail' in example && { userEmail: 'agent@example.com' }),
  };
  const content = { 'Content-Type': 'application/json' };
  return caller.wire.send(method, steps.join('/'), JSON.stringify(body), content);
}

describe('scopes', () => {
  it('are declared once, each with what it permits', () => {
    const undeclared = withKeys().filter((each) => !ALL_SCOPES.includes(scopeOf(each) ?? ''));
    expect(undeclared).toEqual([]);
    expect(ALL_SCOPES.filter((scope) => !/^[A-Z].+[^.]$/.test(SCOPES[scope] ?? ''))).toEqual([]);
  });

  it('are needed by all but what shows no data', () => {
    const open = documented.operations.filter(({ node }) => node.security.length === 0);
    expect(open.map(({ path }) => path).sort()).toEqual(PUBLIC);
  });
});

it('refuses every operation to a key that may not call it, and does nothing', {
  timeout: SLOW_MS,
}, async () => {
  const before = await running.host.events.head();
  const wrong: object[] = [];
  for (const operation of withKeys()) {
    const scope = scopeOf(operation) ?? '';
    const caller = without.get(scope);
    if (caller === undefined) throw new Error(`${operation.id} has a scope that is not declared`);
    const asked = [
      ...[...refused].map(([what, each]) => ({ what, ...each, code: undefined })),
      { what: 'every other scope', caller, status: 403, code: 'insufficient_scope' },
    ];
    const answers = await Promise.all(
      asked.map(async ({ caller, ...expected }) => {
        const { status, body } = await send(caller, operation);
        const isAsExpected =
          status === expected.status && (expected.code ?? body.code) === body.code;
        return isAsExpected ? [] : [{ operation: operation.id, ...expected, status, body }];
      }),
    );
    wrong.push(...answers.flat());
  }
  expect(wrong).toEqual([]);
  expect(await running.host.events.head()).toBe(before);
});

it('lets a key with the scope alone in', { timeout: SLOW_MS }, async () => {
  const closed: string[] = [];
  for (const operation of withKeys()) {
    const caller = onlyWith.get(scopeOf(operation) ?? '');
    if (caller === undefined) throw new Error(`${operation.id} has a scope that is not declared`);
    const { status } = await send(caller, operation);
    if (status === 401 || status === 403) closed.push(operation.id);
  }
  expect(closed).toEqual([]);
});

/** An answer without what differs between any two. */
function visible({ status, body }: Answer): Json {
  const { requestId: _, ...rest } = body ?? {};
  return { status, ...rest };
}

it('answers about what is another’s, and with a test key about what is live, as if it were not there', {
  timeout: SLOW_MS,
}, async () => {
  const live: Json[] = [];
  const wrong: object[] = [];
  const make = async (method: string, path: string, body?: Json) => {
    const isText = typeof body === 'string';
    const text = body === undefined || isText ? body : JSON.stringify(body);
    const content = { 'Content-Type': isText ? fileTypeOf(path) : 'application/json' };
    const answer = await owner.wire.send(method, path, text, content);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer.body;
  };
  const { paths } = documented.document;
  for (const [serial, operation] of withKeys().filter(namesAThing).entries()) {
    const subject = await subjectOf(operation, { send: make, serial, paths, companyId: COMPANY });
    const before = await running.host.events.head();
    const nothing = visible(await send(stranger, operation, nowhereFor(subject)));
    const anothers = visible(await send(stranger, operation, subject));
    const isHidden = nothing.status === 404 && sameText(nothing, anothers);
    if (!isHidden) wrong.push({ operation: operation.id, nothing, anothers });

    const asTest = visible(await send(testKey, operation, subject));
    const isRefused = asTest.status === 403 && asTest.code === 'live_data_forbidden';
    if (!isRefused && !sameText(asTest, nothing)) live.push({ operation: operation.id, asTest });
    if ((await running.host.events.head()) !== before) wrong.push({ changed: operation.id });
  }
  expect(wrong).toEqual([]);
  expect(live).toEqual([]);
});

/** Ids of the same form, that no tenant has. */
function nowhereFor(subject: Subject): Subject {
  return Object.fromEntries(
    Object.entries(subject).map(([name, id]) => [
      name,
      /^\d+$/.test(id) ? '999999999' : '0198c0de-0000-7000-8000-000000000000',
    ]),
  );
}

function sameText(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
