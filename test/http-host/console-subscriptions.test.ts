/** Subscriptions in the console: found, shown with their charges to come, and changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARDS,
  type Caller,
  card,
  type Json,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { hiddenFields, openUser, Visitor } from './console-visitor.ts';

const TENANT = 57;
const AGENT = 'agent@example.com';
const VIEWER = 'viewer@example.com';
const LIST = '/console/live/subscriptions';

let running: Running;
let caller: Caller;
let agent: Visitor;
let viewer: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: AGENT, roleIds: ['agent'] });
  await openUser(running, TENANT, { email: VIEWER, roleIds: ['viewer'] });
  agent = await signedIn(AGENT);
  viewer = await signedIn(VIEWER);
});
afterAll(() => running.close());

async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

let members = 0;

/** A monthly subscription of a new customer: 10.00 GBP. */
async function subscribed(changes: Json = {}): Promise<Json> {
  members += 1;
  const subscription = { name: 'Tea club', rebillAmount: 10, interval: 'month' };
  return caller.paid({ email: `member-${members}@example.com`, subscription, ...changes });
}

function stateOf({ subscriptionId }: Json) {
  const ledger = running.host.engine.as({ tenantId: TENANT, actor: AGENT });
  return ledger.subscriptions.get(subscriptionId);
}

/** Opens a page of review, and sends its form with what the user adds. */
async function change(path: string, fields: Record<string, string> = {}, visitor = agent) {
  const shown = hiddenFields(await visitor.get(path));
  return visitor.post(path.split('?')[0] ?? '', { ...shown, ...fields });
}

describe('subscriptions', () => {
  it.each([
    ['their id', ({ subscriptionId }: Json) => subscriptionId],
    ['their customer', ({ customerId }: Json) => customerId],
    ['an email that was paid with', ({ email }: Json) => email],
  ])('are found by %s', async (_, words) => {
    const paid = await subscribed();
    const { text } = await agent.get(`${LIST}?${new URLSearchParams({ q: String(words(paid)) })}`);
    expect(text).toContain(`href="${LIST}/${paid.subscriptionId}">Tea club`);
  });

  it('of the other data, and unknown ones, are not found', async () => {
    const { subscriptionId } = await subscribed({ sandbox: true });
    expect((await agent.get(`${LIST}/${subscriptionId}`)).status).toBe(404);
    expect((await agent.get(`/console/test/subscriptions/${subscriptionId}`)).status).toBe(200);
    expect((await agent.get(`${LIST}/987654321`)).status).toBe(404);
    expect((await agent.get(`${LIST}?q=987654321`)).text).toContain('No such subscription');
  });

  it('are shown with a year of charges on a calendar, and with their payments', async () => {
    const { id, subscriptionId } = await subscribed();
    const { text } = await agent.get(`${LIST}/${subscriptionId}`);
    expect(text.match(/class="due"/g)).toHaveLength(12);
    expect(text.match(/class="month"/g)).toHaveLength(12);
    expect(text).toContain('10.00 GBP every month');
    expect(text).toContain(`href="/console/live/transactions/${id}"`);
  });

  it('are charged on days in GMT, on the calendar and in the list alike', async () => {
    const { subscriptionId } = await subscribed();
    const { text } = await agent.get(`${LIST}/${subscriptionId}`);
    const days = text.match(/<td data-label="Day">\d{4}-\d{2}-\d{2}<\/td>/g);
    expect(days).toHaveLength(12);
  });

  it('are linked from their customer and their payment', async () => {
    const { id, customerId, subscriptionId } = await subscribed();
    for (const path of [`customers/${customerId}`, `transactions/${id}`]) {
      const { text } = await agent.get(`/console/live/${path}`);
      expect(text, path).toContain(`href="${LIST}/${subscriptionId}"`);
    }
  });

  it('are changed by those alone who may', async () => {
    const { subscriptionId } = await subscribed();
    const path = `${LIST}/${subscriptionId}`;
    const { status, text } = await viewer.get(path);
    expect(status).toBe(200);
    expect(text).not.toContain(`${path}/`);
    for (const page of ['freeze', 'unfreeze', 'plan', 'card', 'end']) {
      expect((await viewer.get(`${path}/${page}`)).status, page).toBe(403);
    }
    const token = await viewer.token(path);
    expect((await viewer.post(`${path}/end`, { token })).status).toBe(403);
  });
});

describe('the list of subscriptions', () => {
  const OTHER = 59;
  const KEEPER = 'keeper@example.com';
  const BLIND = 'blind@example.com';
  let other: Caller;
  let keeper: Visitor;

  beforeAll(async () => {
    other = await openTenant(running, OTHER);
    await openUser(running, OTHER, { email: KEEPER, roleIds: ['owner'] });
    keeper = new Visitor(running.url);
    await keeper.signIn(OTHER, KEEPER);
  });

  async function joined(count: number, changes: Json = {}): Promise<Json[]> {
    const made: Json[] = [];
    for (let index = 0; index < count; index += 1) {
      members += 1;
      const subscription = { name: 'Book club', rebillAmount: 5, interval: 'month' };
      const email = `member-${members}@example.com`;
      made.push(await other.paid({ email, subscription, ...changes }));
    }
    return made;
  }

  const idsOn = ({ text }: { text: string }) =>
    [...text.matchAll(/href="[^"]+\/subscriptions\/(\d+)">Book club/g)].map(([, id]) => Number(id));

  it('says what to do where there is none', async () => {
    expect((await keeper.get(LIST)).text).toContain('Send a payment with a subscription');
    expect((await keeper.get(`${LIST}?status=frozen`)).text).toContain('Take a filter away');
  });

  it('goes from page to page, each once, the newest first, with its filters', async () => {
    const made = await joined(27);
    const ids = made.map(({ subscriptionId }) => subscriptionId).toReversed();
    for (const filter of ['', `?status=active&merchantAccountId=${OTHER * 10 + 1}`]) {
      const first = await keeper.get(`${LIST}${filter}`);
      expect(idsOn(first)).toEqual(ids.slice(0, 25));
      const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
      const second = await keeper.get(next ?? '');
      expect(idsOn(second)).toEqual(ids.slice(25));
      expect(second.text).not.toContain('rel="next"');
      expect(second.text).toContain('First page');
    }
    expect((await keeper.get(`${LIST}?after=1`)).text).toContain('No more subscriptions');
    expect(idsOn(await keeper.get(`${LIST}?merchantAccountId=1`))).toEqual([]);
  });

  it('is narrowed by the state', async () => {
    const [frozen, ended] = await joined(2);
    const { subscriptions } = running.host.engine.as({ tenantId: OTHER, actor: KEEPER });
    await subscriptions.freeze(frozen?.subscriptionId);
    await subscriptions.unsubscribe(ended?.subscriptionId);
    expect(idsOn(await keeper.get(`${LIST}?status=frozen`))).toEqual([frozen?.subscriptionId]);
    expect(idsOn(await keeper.get(`${LIST}?status=ended`))).toEqual([ended?.subscriptionId]);
    expect((await keeper.get(`${LIST}?status=paused`)).status).toBe(400);
  });

  it('of sandbox data is under its address, and no other tenant has it', async () => {
    const [paid] = await joined(1, { sandbox: true });
    expect(idsOn(await keeper.get('/console/test/subscriptions'))).toEqual([paid?.subscriptionId]);
    expect(idsOn(await keeper.get(LIST))).not.toContain(paid?.subscriptionId);
    expect(idsOn(await agent.get(LIST))).toEqual([]);
  });

  it('names nobody to those who may read neither customers nor payments', async () => {
    const [paid] = await joined(1);
    expect((await keeper.get(LIST)).text).toContain(paid?.email);
    const { users } = running.host.engine.as({ tenantId: OTHER, actor: KEEPER });
    const { id: role } = await users.createRole({ name: 'Blind', scopes: ['subscriptions:read'] });
    await openUser(running, OTHER, { email: BLIND, roleIds: [role] });
    const blind = new Visitor(running.url);
    await blind.signIn(OTHER, BLIND);
    const shown = await blind.get(LIST);
    expect(idsOn(shown)[0]).toBe(paid?.subscriptionId);
    expect(shown.text).not.toContain(paid?.email);
    const detail = await blind.get(`${LIST}/${paid?.subscriptionId}`);
    expect(detail.text).not.toContain(paid?.email);
  });
});

describe('a subscription', () => {
  it('is frozen once, with a note, and goes on', async () => {
    const paid = await subscribed();
    const path = `${LIST}/${paid.subscriptionId}`;
    const form = { ...hiddenFields(await agent.get(`${path}/freeze`)), note: 'On holiday' };
    const answers = [
      await agent.post(`${path}/freeze`, form),
      await agent.post(`${path}/freeze`, form),
    ];
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect((await stateOf(paid)).freezeReason).toBe('admin');
    const shown = await agent.get(path);
    expect(shown.text).toContain('None while it is frozen');
    expect((await change(`${path}/unfreeze`)).status).toBe(303);
    expect((await stateOf(paid)).frozenAt).toBeNull();
    // What froze it before says nothing about it now.
    expect((await agent.post(`${path}/freeze`, form)).status).toBe(303);
  });

  it('is ended for good, once', async () => {
    const paid = await subscribed();
    const path = `${LIST}/${paid.subscriptionId}`;
    const form = hiddenFields(await agent.get(`${path}/end`));
    expect((await agent.post(`${path}/end`, { ...form, notify: 'yes' })).status).toBe(303);
    expect((await agent.get(path)).text).toContain('No confirmation is sent');
    const { unsubscribedAt } = await stateOf(paid);
    expect(unsubscribedAt).not.toBeNull();
    await agent.post(`${path}/end`, form);
    expect((await stateOf(paid)).unsubscribedAt).toBe(unsubscribedAt);
    expect((await agent.get(path)).text).not.toContain(`${path}/freeze`);
    expect((await agent.get(`${path}/freeze`)).text).toContain('is ended already');
  });

  it('takes another plan, which a page of review says in words', async () => {
    const paid = await subscribed();
    const path = `${LIST}/${paid.subscriptionId}/plan/review`;
    const query = { name: 'Tea club', rebillAmount: '12.50', interval: 'week', intervalCount: '6' };
    const address = `${path}?${new URLSearchParams(query)}`;
    const { text } = await agent.get(address);
    expect(text).toContain('Each charge is 12.50 GBP instead of 10.00 GBP.');
    expect(text).toContain('It is charged every 6 weeks instead of every month.');
    expect((await change(address)).status).toBe(303);
    const { rebillAmountMinor, interval, intervalCount } = await stateOf(paid);
    expect([rebillAmountMinor, interval, intervalCount]).toEqual([1250n, 'week', 6]);
    expect((await agent.get(address)).text).toContain('Nothing of the plan is changed');
  });

  it.each([
    ['no name', { name: '' }, 'must have a name'],
    ['no amount', { rebillAmount: 'ten' }, 'Enter an amount in GBP'],
    ['nothing to pay', { rebillAmount: '0' }, 'more than nothing'],
    ['too long an interval', { interval: 'year', intervalCount: '11' }, 'every 1 to 10 years'],
    ['no interval', { interval: 'fortnight' }, 'Choose days'],
  ])('takes no plan with %s', async (_, wrong, said) => {
    const { subscriptionId } = await subscribed();
    const plan = { name: 'Tea', rebillAmount: '5', interval: 'month', intervalCount: '1' };
    const query = new URLSearchParams({ ...plan, ...wrong });
    const { status, text } = await agent.get(`${LIST}/${subscriptionId}/plan/review?${query}`);
    expect(status).toBe(200);
    expect(text).toContain(said);
    expect(text).not.toContain('name="seen"');
  });

  it('is not changed by a page that is out of date, which then shows what it is now', async () => {
    const paid = await subscribed();
    const path = `${LIST}/${paid.subscriptionId}`;
    const review = `${path}/plan/review`;
    const plan = { name: 'Tea club', interval: 'month', intervalCount: '1' };
    const asked = (rebillAmount: string) =>
      `${review}?${new URLSearchParams({ ...plan, rebillAmount })}`;
    const form = hiddenFields(await agent.get(asked('11')));
    expect((await change(asked('15'))).status).toBe(303);
    const refused = await agent.post(review, form);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Somebody else has changed the subscription');
    expect(refused.text).toContain('Each charge is 11.00 GBP instead of 15.00 GBP.');
    expect((await stateOf(paid)).rebillAmountMinor).toBe(1500n);
    expect((await agent.post(review, hiddenFields(refused))).status).toBe(303);
    expect((await stateOf(paid)).rebillAmountMinor).toBe(1100n);
  });

  it('is billed to another card that the customer has kept, without showing its token', async () => {
    const paid = await subscribed();
    const path = `${LIST}/${paid.subscriptionId}/card`;
    expect((await agent.get(path)).text).toContain('The customer has kept no other card');
    const ledger = running.host.engine.as({ tenantId: TENANT, actor: AGENT });
    const other: Json = card(CARDS.networkB);
    await ledger.customers.addPaymentMethod(paid.customerId, { card: other });
    const page = await agent.get(path);
    const [, method = ''] = /name="card" value="([^"]+)"/.exec(page.text) ?? [];
    const { paymentMethods } = await ledger.customers.get(paid.customerId);
    for (const { token } of paymentMethods) expect(page.text).not.toContain(token);
    const form = { ...hiddenFields(page), card: method };
    const both = await Promise.all([agent.post(path, form), agent.post(path, form)]);
    expect(both.map(({ status }) => status)).toContain(303);
    expect((await stateOf(paid)).card?.last4).toBe('4444');
  });
});
