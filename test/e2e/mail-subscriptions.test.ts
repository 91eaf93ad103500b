/** Mails about subscriptions, from the order to the mail server: billed, declined, ended, erased. */
import { describe, expect, it, vi } from 'vitest';
import { present } from './api.ts';
import { CONFIRMED, DAY_MS, MINUTE_MS, Post, TENANT } from './mailing-host.ts';
import { card, eventually, type Json, USER_EMAIL } from './running-host.ts';

vi.setConfig({ testTimeout: 60_000 });

const DECLINED_LATER = '4000000000000341';
const STOLEN_LATER = '4000000000000358';
const CLUB = { name: 'Plate of the month', rebillAmount: 12.5, frequency: 30 };

/** An order that starts a subscription, paid by a card of the sandbox; its subscriber id. */
async function subscribed(post: Post, number?: string): Promise<number> {
  const { id } = await post.caller.paid({
    email: 'ann@example.com',
    customer: { firstName: 'Ann' },
    subscription: CLUB,
    card: card(number),
  });
  const detail = await eventually(
    () => post.caller.detail(id, { getSubscription: true }),
    ({ body }) => (body.subscriptions?.length ?? 0) > 0,
  );
  return present(detail.body.subscriptions?.[0]).id;
}

async function unsubscribe(post: Post, changes: Json): Promise<Json> {
  const claims = { parentCompanyId: TENANT, userEmail: USER_EMAIL, email: 'ann@example.com' };
  const { status, text, body } = await post.caller.post('/customerapi/unsubscribe', {
    body: {
      ...claims,
      ...changes,
    },
  });
  expect(status, text).toBe(200);
  return body;
}

async function subjects(post: Post, count: number): Promise<(string | undefined)[]> {
  return (await post.mails(count)).map(({ parsed }) => parsed.subject);
}

const ALL = { retryAfterDays: [1, 3], mails: ['rebill-failed', 'frozen', 'renewed'] };

describe('a subscription', () => {
  it('that is renewed sends a receipt with the statement descriptor', async () => {
    const post = await Post.open({ settings: { dunning: { ...ALL, mails: ['renewed'] } } });
    const subscriberId = await subscribed(post);
    post.nowMs += 30 * DAY_MS;
    expect(await subjects(post, 1)).toEqual([
      'Your receipt from Crockery Ltd: 12.50 GBP for Plate of the month',
    ]);
    const lines = post.server.mails[0]?.parsed.text?.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'Hello Ann,',
        `Subscription: Plate of the month (${subscriberId})`,
        'Card: ending in 4242',
        'On your statement as: CROCKERY*LONDON 211',
        'On: 9 February 2026, 12:00 GMT',
        'Next payment: 11 March 2026, 12:00 GMT',
      ]),
    );
  });

  it('that cannot be paid sends word each time, and of the pause at the end', async () => {
    const account = { allowInsufficientFundsRetries: true };
    const post = await Post.open({ settings: { dunning: ALL as Json }, account });
    await subscribed(post, DECLINED_LATER);
    for (const [index, days] of [30, 1, 2].entries()) {
      post.nowMs += days * DAY_MS;
      await post.mails(index + 1);
    }
    expect(await subjects(post, 3)).toEqual([
      'Your payment for Plate of the month did not go through',
      'Your payment for Plate of the month did not go through',
      'Your subscription to Plate of the month is paused',
    ]);
    const tries = post.server.mails.map(
      ({ parsed }) => /Next try: .*/.exec(parsed.text ?? '')?.[0],
    );
    expect(tries).toEqual([
      'Next try: 10 February 2026, 12:00 GMT',
      'Next try: 12 February 2026, 12:00 GMT',
      undefined,
    ]);
  });

  it('sends nothing when the tenant disabled these mails', async () => {
    const post = await Post.open({ settings: { dunning: { ...ALL, mails: [] } } });
    const subscriberId = await subscribed(post, STOLEN_LATER);
    post.nowMs += 30 * DAY_MS;
    await eventually(
      () => post.caller.get('/v1/subscriptions/{id}', { path: { id: subscriberId } }),
      ({ body }) => body.frozen === true,
    );
    await post.probe();
    expect(post.server.mails).toEqual([]);
  });

  it('that ends sends a confirmation when it is asked to', async () => {
    const post = await Post.open();
    await subscribed(post);
    const { message } = await unsubscribe(post, CONFIRMED);
    expect(message).toBe('Unsubscribed from 1 subscription');
    expect(await subjects(post, 1)).toEqual(['Your subscription to Plate of the month has ended']);
    expect(post.server.mails[0]?.to).toEqual(['ann@example.com']);
  });

  it('that ends unasked for sends none', async () => {
    const post = await Post.open();
    await subscribed(post);
    await unsubscribe(post, {});
    await post.probe();
    expect(post.server.mails).toEqual([]);
  });
});

describe('an erased customer', () => {
  it('gets no mail that still waited, and leaves nothing behind', async () => {
    const post = await Post.open();
    post.server.afterData.push({ code: 451, message: 'not now' });
    const { id } = await post.caller.paid({ email: 'ann@example.com' });
    await post.refund(id);
    await post.tried(1);
    const { customerID } = await post.caller.transaction(id);
    const erased = await post.caller.delete('/customers/{id}', { path: { id: customerID } });
    expect(erased.status, erased.text).toBe(200);
    post.nowMs += MINUTE_MS;
    await post.until({ queued: 0 });
    expect(post.outbox()).toMatchObject([{ status: 'dropped', reason: 'erased' }]);
    await post.probe();
    expect(post.server.mails).toEqual([]);
  });
});

describe('the test clock', () => {
  it('has mails tried again that become due on its way', async () => {
    const post = await Post.open({ env: { TEST_CLOCK: '1' }, ownClock: false });
    post.server.afterData.push({ code: 451, message: 'not now' });
    const { id } = await post.caller.paid({ email: 'ann@example.com' });
    await post.refund(id);
    await post.tried(1);
    const moved = await post.caller.post('/v1/test/clock', { body: { advanceSeconds: 3_600 } });
    expect(moved.status, moved.text).toBe(200);
    expect(post.server.mails).toHaveLength(1);
  });
});
