/** Mails that are sent again, over a real server: what can be, once, and why not. */
import type { Refused } from '@counterfoil/engine';
import { describe, expect, it } from 'vitest';
import { mail, no, opened } from './mail-shop.ts';
import { codeOf, order } from './shop.ts';
import { TENANT } from './webhook-sink.ts';

type Shop = Awaited<ReturnType<typeof opened>>;

/** Why a mail is not sent again. */
async function faultOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (refused: Refused) => refused,
  );
  return (error?.refusal as { reason?: string } | undefined)?.reason;
}

/** A mail of the ledger, that a refund asked for, once it is sent. */
async function refundMail({ server, ledger, shop }: Shop) {
  const { id, customerId } = await shop.payments.submit(order());
  await shop.payments.refund(id, { notifyCustomer: true });
  await expect
    .poll(async () => {
      await ledger.runDue();
      return server.mails.length;
    })
    .toBe(1);
  const [found] = (await shop.mails.list({ kind: 'refunded' })).mails;
  if (found === undefined) throw new Error('no mail about the refund');
  return { mailId: found.id, customerId, paymentId: id };
}

describe('a mail that has failed', () => {
  it('is sent again as a new one, as it was, once its address is suppressed no more', async () => {
    const { server, ledger, shop } = await opened();
    server.toRecipients.push(no(550, 'No such user'));
    const { id } = await shop.mails.submit(mail({ headers: { 'X-Order': '1042' } }));
    await ledger.runDue();
    expect(await faultOf(shop.mails.resend(id))).toBe('suppressed');
    const [suppression] = (await shop.suppressions.list()).items;
    await shop.suppressions.remove(suppression?.id ?? '');
    const again = await shop.mails.resend(id);
    expect(again.id).not.toBe(id);
    await ledger.runDue();
    const [{ parsed }] = server.mails as [Shop['server']['mails'][number]];
    expect(parsed.subject).toBe('Grüße');
    expect(parsed.html).toContain('Hello Änn &lt;3');
    expect(parsed.headers.get('x-order')).toBe('1042');
    const [before, after] = await Promise.all([shop.mails.get(id), shop.mails.get(again.id)]);
    expect([before.status, before.resentFrom]).toEqual(['failed', null]);
    expect([after.status, after.resentFrom, after.history.length]).toEqual(['sent', id, 1]);
  });

  it('can fail again, is put off and tried again, and stays what it was', async () => {
    const shop = await opened();
    const { mailId } = await refundMail(shop);
    const { server, ledger, clock } = shop;
    server.afterData.push(no(451, 'Later'));
    const again = await shop.shop.mails.resend(mailId);
    await ledger.runDue();
    expect(await shop.shop.mails.get(again.id)).toMatchObject({ status: 'deferred' });
    clock.nowMs += 60_000;
    await ledger.runDue();
    const { status, kind, resentFrom } = await shop.shop.mails.get(again.id);
    expect([status, kind, resentFrom]).toEqual(['sent', 'refunded', mailId]);
    expect(server.mails.map(({ parsed }) => parsed.subject)).toEqual([
      server.mails[0]?.parsed.subject,
      server.mails[0]?.parsed.subject,
    ]);
  });
});

describe('a mail that was sent', () => {
  it('is sent again where the ledger can write it: once for each key', async () => {
    const all = await opened();
    const { server, ledger, shop } = all;
    const { mailId } = await refundMail(all);
    const key = { idempotencyKey: 'form-1' };
    const made = await Promise.all([1, 2, 3].map(() => shop.mails.resend(mailId, key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await ledger.runDue();
    const repeated = await shop.mails.resend(mailId, key);
    expect([repeated.id, repeated.deduplicated]).toEqual([made[0]?.id, true]);
    await ledger.runDue();
    expect(server.mails).toHaveLength(2);
    await shop.mails.resend(mailId, { idempotencyKey: 'form-2' });
    await ledger.runDue();
    expect(server.mails).toHaveLength(3);
  });

  it('of which nothing is kept is not sent again', async () => {
    const all = await opened();
    const { ledger, shop } = all;
    const { id } = await shop.mails.submit(mail());
    expect(await faultOf(shop.mails.resend(id))).toBe('not-ended');
    await ledger.runDue();
    expect(await faultOf(shop.mails.resend(id))).toBe('not-kept');
  });

  it('to a person who was erased is not sent again', async () => {
    const all = await opened();
    const { shop } = all;
    const { mailId, customerId } = await refundMail(all);
    await shop.customers.erase(customerId ?? '');
    expect(await faultOf(shop.mails.resend(mailId))).toBe('erased');
  });

  it('is of its tenant and its data alone', async () => {
    const all = await opened();
    const { mailId } = await refundMail(all);
    const tester = all.ledger.as({ tenantId: 1, actor: 'owner', environment: 'test' });
    expect(await codeOf(tester.mails.resend(mailId))).toBe('MailUnknown');
    const other = all.ledger.as({ tenantId: 99, actor: 'owner' });
    expect(await codeOf(other.mails.resend(mailId))).toBe('MailUnknown');
  });
});

it('a failed mail to a person who is erased is not sent again', async () => {
  const { server, ledger, shop } = await opened();
  const email = 'ann@shop.example';
  const { customerId } = await shop.customers.register({ email });
  server.afterData.push(no(550, 'No'));
  const { id } = await shop.mails.submit(mail({ to: [email, 'bob@shop.example'] }));
  await ledger.runDue();
  expect((await shop.mails.body(id))?.text).toContain('Hello');
  await shop.customers.erase(customerId);
  expect(await shop.mails.body(id)).toBeNull();
  expect(await faultOf(shop.mails.resend(id))).toBe('erased');
});

it('what a caller sends again is recorded', async () => {
  const all = await opened();
  const { mailId } = await refundMail(all);
  await all.shop.mails.resend(mailId);
  await expect
    .poll(async () => (await all.shop.activity.list({ action: 'mails.resend' })).items)
    .toMatchObject([{ subject: mailId, outcome: 'done', actor: 'owner' }]);
});

it('a mail of the ledger is found by its payment, by its tenant and in its data alone', async () => {
  const all = await opened();
  const { mailId, paymentId } = await refundMail(all);
  const { id: other } = await all.shop.payments.submit(order());
  const idsOf = async ({ mails }: Pick<Shop['shop'], 'mails'>, payment: string) =>
    (await mails.ofPayment(payment)).map(({ id }) => id);
  expect(await idsOf(all.shop, paymentId)).toEqual([mailId]);
  const story = await all.shop.transactions.story(paymentId);
  const [ofStory] = story === undefined ? [] : await all.shop.mails.ofStory(story);
  expect(ofStory?.id).toBe(mailId);
  expect(await idsOf(all.shop, other)).toEqual([]);
  expect(await idsOf(all.shop, 'none')).toEqual([]);
  expect(await idsOf(all.ledger.as({ tenantId: 99, actor: 'owner' }), paymentId)).toEqual([]);
  const tester = all.ledger.as({ tenantId: TENANT, actor: 'owner', environment: 'test' });
  expect(await idsOf(tester, paymentId)).toEqual([]);
});
