/** Subscriptions changed over HTTP: frozen, unfrozen, ended, with another card or another plan. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from './api.ts';
import type { Change } from './contract-host.ts';
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
import { CLUB, eventsOf, startedBy, subscriptionOf } from './subscribers.ts';

const DAY_MS = 86_400_000;
const TENANT = 51;
const OTHER = 52;
/** Approved at first; every rebill is declined for good. */
const STOLEN_LATER = '4000000000000358';

let now = Date.parse('2026-02-01T12:00:00.000Z');
let running: Running;
let caller: Caller;
let other: Caller;
let id = 0;

beforeAll(async () => {
  running = await startHost({ clock: { now: () => new Date(now).toISOString() } });
  caller = await openTenant(running, TENANT);
  other = await openTenant(running, OTHER);
});
afterAll(async () => running.close());
beforeEach(async () => {
  id = await subscribed();
});

async function subscribed(changes: Json = {}, by = caller): Promise<number> {
  return startedBy(await by.paid({ subscription: CLUB, ...changes }))[0] ?? 0;
}

function change(
  what: Change,
  body: Json = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return caller.post(`/v1/subscriptions/{id}/${what}`, { path: { id }, body, headers });
}

async function done(...asked: Parameters<typeof change>): Promise<Json> {
  const { status, text, body } = await change(...asked);
  expect(status, text).toBe(200);
  expect(body).toMatchObject({ success: true, id, message: expect.stringMatching(/./) });
  const read = await caller.get('/v1/subscriptions/{id}', { path: { id } });
  expect({ ...body, message: '' }).toEqual({ ...read.body, message: '' });
  return body;
}

const state = async () => {
  const subscription = await subscriptionOf(running, TENANT, id);
  if (subscription === null) throw new Error(`no subscription ${id}`);
  return subscription;
};
const counts = () => eventsOf(running, TENANT, id);

describe('freeze and unfreeze', () => {
  it('stops the billing, and resumes at the next date of the grid', async () => {
    const { rebillDate } = await done('freeze', { note: 'asked by phone' });
    expect(rebillDate).toBeNull();
    expect(await state()).toMatchObject({ freezeReason: 'admin', rebillAt: null });
    const startedAt = Date.parse((await state()).startedAt);
    now += 70 * DAY_MS;
    const unfrozen = await done('unfreeze');
    expect(unfrozen).toMatchObject({
      active: true,
      frozen: false,
      rebillDate: new Date(startedAt + 90 * DAY_MS).toISOString(),
      cycle: 4,
    });
  });

  it('twice is once', async () => {
    await done('freeze');
    await done('freeze', { note: 'again' });
    await done('unfreeze');
    await done('unfreeze');
    expect(await counts()).toEqual({
      SubscriptionStarted: 1,
      SubscriptionFrozen: 1,
      SubscriptionUnfrozen: 1,
    });
  });

  it('by many at once is once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => change('freeze')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await counts()).toEqual({ SubscriptionStarted: 1, SubscriptionFrozen: 1 });
  });

  it('takes no body as well', async () => {
    const frozen = await caller.post('/v1/subscriptions/{id}/freeze', { path: { id } });
    expect(frozen.status, frozen.text).toBe(200);
  });

  it.each([{ note: 5 }, { note: 'x'.repeat(1_001) }, { note: 'a\nb' }, []])(
    'refuses %j',
    async (body) => {
      expectRefusal(await change('freeze', body), 400, 'invalid_request');
      expect((await state()).frozenAt).toBeNull();
    },
  );
});

describe('unsubscribe', () => {
  it('ends it for good, whatever is asked afterwards', async () => {
    const ended = await done('unsubscribe', { sendUserCommunication: true });
    expect(ended).toMatchObject({
      active: false,
      unsubDate: new Date(now).toISOString(),
      unsubscribeReason: 'customer-service',
      rebillDate: null,
    });
    expect(ended.message).toContain('mail settings are not set up');
    await done('unsubscribe');
    expect(await counts()).toEqual({ SubscriptionStarted: 1, SubscriptionUnsubscribed: 1 });
    for (const [what, body] of [
      ['freeze', {}],
      ['unfreeze', {}],
      ['card', { card: card(CARDS.networkB) }],
      ['plan', { frequency: 7 }],
    ] as const) {
      expectRefusal(await change(what, body), 400, 'subscription_state');
    }
  });

  it('ends one that is frozen', async () => {
    await done('freeze');
    expect(await done('unsubscribe')).toMatchObject({ active: false, frozen: true });
  });
});

describe('another card', () => {
  it('is billed from then on', async () => {
    await done('card', { card: card(CARDS.networkB) });
    expect((await state()).card).toMatchObject({ last4: '4444', brandId: 2 });
  });

  it('may be one that was used before, by its token', async () => {
    const payment = await caller.paid({ card: card(CARDS.networkC) });
    await done('card', { token: payment.card?.token });
    expect((await state()).card).toMatchObject({ last4: '0005' });
  });

  it('takes up again what billing froze, and pays at once', async () => {
    id = await subscribed({ card: card(STOLEN_LATER) });
    now += 30 * DAY_MS;
    const frozen = await eventually(state, ({ frozenAt }) => frozenAt !== null);
    expect(frozen).toMatchObject({ freezeReason: 'hard-decline', rebillAt: null });
    expect(await done('card', { card: card(CARDS.networkB) })).toMatchObject({ frozen: false });
    const renewed = await eventually(state, ({ renewals }) => renewals === 1);
    expect(renewed).toMatchObject({ cycle: 3, card: { last4: '4444' } });
  });

  it('leaves frozen what an administrator froze', async () => {
    await done('freeze');
    expect(await done('card', { card: card(CARDS.networkB) })).toMatchObject({ frozen: true });
  });

  it.each<[string, Json, string, string]>([
    ['neither card nor token', {}, 'invalid_request', '/card'],
    ['both', { card: card(), token: 'x' }, 'invalid_request', '/card'],
    ['a wrong number', { card: card('4242424242424241') }, 'card_invalid', '/card/number'],
    ['no cvv', { card: { ...card(), cvv: undefined } }, 'invalid_request', '/card/cvv'],
    ['an old card', { card: { ...card(), expYear: 2020 } }, 'card_invalid', '/card/expYear'],
  ])('with %s is refused', async (_what, body, code, pointer) => {
    const before = (await state()).card;
    const answer = await change('card', body);
    expectRefusal(answer, 400, code);
    expect(answer.body.errors.map((each: Json) => each.pointer)).toContain(pointer);
    expect((await state()).card).toEqual(before);
  });

  it("is not one of another tenant's", async () => {
    const theirs = await other.paid();
    expectRefusal(await change('card', { token: theirs.card?.token }), 400, 'token_unknown');
    expectRefusal(await change('card', { token: 'made up' }), 400, 'token_unknown');
  });

  it('never shows its number', async () => {
    await done('card', { card: card(CARDS.networkD) });
    for await (const batch of running.host.events.subscribe({ untilHead: true })) {
      for (const { data } of batch) expect(data).not.toContain(CARDS.networkD);
    }
  });
});

describe('another plan', () => {
  it('keeps the date that is next, and holds from there', async () => {
    const { rebillAt } = await state();
    const changed = await done('plan', {
      name: 'Coffee club',
      description: '',
      rebillAmount: 25.5,
      frequency: 7,
    });
    expect(changed).toMatchObject({
      subscription: 'Coffee club',
      subscriptionDescription: '',
      rebillAmount: 25.5,
      frequency: 7,
      rebillDate: rebillAt,
    });
    const { charges } = (
      await caller.get('/v1/subscriptions/{id}/schedule', { path: { id }, query: { count: 2 } })
    ).body;
    expect(charges).toMatchObject([
      { amount: 25.5, date: rebillAt },
      { date: new Date(Date.parse(rebillAt ?? '') + 7 * DAY_MS).toISOString() },
    ]);
  });

  it('may be changed in part, or not at all', async () => {
    expect(await done('plan', { rebillAmount: 5 })).toMatchObject({
      rebillAmount: 5,
      subscription: CLUB.name,
      frequency: 30,
    });
    await done('plan', {});
    await done('plan', { rebillAmount: 5 });
    expect(await counts()).toEqual({ SubscriptionStarted: 1, PlanChanged: 1 });
  });

  it.each<[Json, string, string]>([
    [{ rebillAmount: 0 }, 'invalid_request', '/rebillAmount'],
    [{ rebillAmount: 0.001 }, 'amount_precision', '/rebillAmount'],
    [{ frequency: 0 }, 'invalid_request', '/frequency'],
    [{ frequency: 3_651 }, 'invalid_request', '/frequency'],
    [{ name: '' }, 'invalid_request', '/name'],
    [{ description: 'x'.repeat(501) }, 'invalid_request', '/description'],
  ])('%j is refused', async (body, code, pointer) => {
    const answer = await change('plan', body);
    expectRefusal(answer, 400, code);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
    expect(await counts()).toEqual({ SubscriptionStarted: 1 });
  });
});

const CHANGES: readonly [what: Change, body: Json, scope: string][] = [
  ['freeze', { note: 'a note' }, 'subscriptions:freeze'],
  ['unfreeze', {}, 'subscriptions:freeze'],
  ['unsubscribe', {}, 'subscriptions:unsubscribe'],
  ['card', { card: card(CARDS.networkB) }, 'subscriptions:write'],
  ['plan', { frequency: 7 }, 'subscriptions:write'],
];

describe.each(CHANGES)('%s', (what, body, scope) => {
  const asked = (by: Caller, of = id) =>
    by.post(`/v1/subscriptions/{id}/${what}`, { path: { id: of }, body });

  it('needs its scope, and no other', async () => {
    const all = CHANGES.map(([, , each]) => each);
    const scopes = [...all.filter((each) => each !== scope), 'subscriptions:read'];
    const without = await callerWith(running, TENANT, { scopes });
    expectRefusal(await asked(without), 403, 'insufficient_scope');
    const withIt = await callerWith(running, TENANT, { scopes: [scope] });
    expect((await asked(withIt)).status).toBe(200);
  });

  it('is not for another tenant, nor for a test key on live data', async () => {
    const test = await callerWith(running, TENANT, { environment: 'test' });
    const nobodys = await asked(caller, 999);
    expectRefusal(nobodys, 404, 'not_found');
    for (const by of [other, test]) {
      const answer = await asked(by);
      expect({ ...answer.body, requestId: '' }).toEqual({ ...nobodys.body, requestId: '' });
    }
    expect(await counts()).toEqual({ SubscriptionStarted: 1 });
  });

  it.each(['0', '-1', '1.5', 'abc', '9007199254740993'])('takes no id %s', async (given) => {
    const answer = await caller.wire.post(`/v1/subscriptions/${given}/${what}`, body);
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.errors).toMatchObject([{ pointer: '/path/id' }]);
  });

  it('under a key is done once, and answered so again', async () => {
    const headers = { 'Idempotency-Key': `${what}-${id}` };
    const first = await change(what, body, headers);
    expect(first.status, first.text).toBe(200);
    const once = await counts();
    const again = await change(what, body, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    now += 2 * DAY_MS;
    // The response is no longer stored: it is made from the current state.
    const later = await change(what, body, headers);
    expect(later.status, later.text).toBe(200);
    expect(await counts()).toEqual(once);
  });
});

it('the same key at another subscription is another change', async () => {
  const headers = { 'Idempotency-Key': 'both' };
  await change('freeze', {}, headers);
  const first = id;
  id = await subscribed();
  now += 2 * DAY_MS;
  expect((await change('freeze', {}, headers)).status).toBe(200);
  for (const each of [first, id]) {
    expect(await eventsOf(running, TENANT, each)).toMatchObject({ SubscriptionFrozen: 1 });
  }
});
