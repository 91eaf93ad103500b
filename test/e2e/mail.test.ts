/** Confirmations of refunds, over TCP to a real mail server: what they say, when they come, and when not. */
import { Transaction, type TransactionId } from '@counterfoil/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONFIRMED, DAY_MS, Post, TENANT } from './mailing-host.ts';
import { CALLER, callerWith, card, openTenant, startHost, type TenantId } from './running-host.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('the confirmation of a refund', () => {
  it('says what was refunded, in both parts', async () => {
    const post = await Post.open();
    const { id } = await post.caller.paid({
      email: 'ann@example.com',
      customer: { firstName: 'Ann', lastName: 'Żółć' },
    });
    const { message, refundId } = await post.refund(id, { ...CONFIRMED, amount: 5 });
    expect(message).toBe('Refunded 5.00 GBP');
    const [mail] = await post.mails(1);
    expect(mail).toMatchObject({ from: 'receipts@crockery.example', to: ['ann@example.com'] });
    expect(mail?.parsed).toMatchObject({
      from: { value: [{ name: 'Receipts, Crockery', address: 'receipts@crockery.example' }] },
      to: { value: [{ name: 'Ann Żółć', address: 'ann@example.com' }] },
      subject: 'Your refund of 5.00 GBP from Crockery Ltd',
      date: new Date('2026-01-10T12:00:00.000Z'),
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@crockery\.example>$/),
    });
    expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail?.source).not.toMatch(/^X-Mailer/im);
    const order = (await post.caller.get('/v1/payments/{id}', { path: { id } })).body.orderId;
    expect(mail?.parsed.text?.replaceAll('\r', '').trim()).toBe(
      [
        'Hello Ann,',
        '',
        'Crockery Ltd has refunded 5.00 GBP of your payment of 100.00 GBP. The money goes back the way it was paid.',
        '',
        'Banks often need some working days until a refund shows on a statement.',
        '',
        'Refunded: 5.00 GBP',
        'On: 10 January 2026, 12:00 GMT',
        'Paid: 100.00 GBP on 10 January 2026, 12:00 GMT',
        `Order: ${order}`,
        'Card: ending in 4242',
        'On your statement as: CROCKERY*LONDON 211',
        `Reference: ${refundId}`,
        '',
        '-- ',
        'Crockery Ltd',
      ].join('\n'),
    );
    const html = mail?.parsed.html ?? '';
    for (const shown of ['Hello Ann,', '5.00 GBP', 'ending in 4242', refundId]) {
      expect(html).toContain(shown);
    }
    expect(html).not.toMatch(/<(script|img|link|a)\b/);
    await post.until({ sent_total: 1, queued: 0, failed_total: 0 });
  });

  it('is sent only when asked for, and once for each refund', async () => {
    const post = await Post.open();
    const { id } = await post.caller.paid();
    await post.refund(id, { amount: 1 });
    await post.refund(id, { amount: 2, ...CONFIRMED });
    await post.refund(id, { amount: 3, ...CONFIRMED });
    const mails = await post.mails(2);
    const subjects = mails.map(({ parsed }) => parsed.subject).sort();
    expect(subjects).toEqual([
      'Your refund of 2.00 GBP from Crockery Ltd',
      'Your refund of 3.00 GBP from Crockery Ltd',
    ]);
    await post.probe();
    expect(post.server.mails).toHaveLength(2);
  });

  it('comes when a pending refund is done, not before', async () => {
    const post = await Post.open({ env: { GATEWAY_TIMEOUT_MS: '50' } });
    const { id } = await post.caller.paid({ card: card('4000000000007726') });
    const { message } = await post.refund(id);
    expect(message).toBe("The refund of 100.00 GBP waits for the gateway's answer");
    await post.probe();
    expect(post.server.mails).toHaveLength(0);
    post.nowMs += DAY_MS;
    const [mail] = await post.mails(1);
    expect(mail?.parsed.subject).toBe('Your refund of 100.00 GBP from Crockery Ltd');
  });

  it('is not sent without mail settings, and the answer says so', async () => {
    const running = await startHost();
    onTestFinished(() => running.close());
    const caller = await openTenant(running, TENANT);
    const { id } = await caller.paid();
    const { body } = await caller.refund(id, { amount: 1, ...CONFIRMED });
    expect(body.message).toBe(
      'Refunded 1.00 GBP. No confirmation is sent: mail settings are not set up',
    );
    expect((await caller.refund(id, { amount: 1 })).body.message).toBe('Refunded 1.00 GBP');
  });

  it('is not sent for sandbox data, and the answer says so', async () => {
    const post = await Post.open();
    const tester = await callerWith(post.running, TENANT, { environment: 'test' });
    const { id } = await tester.paid();
    const { body } = await tester.refund(id, CONFIRMED);
    expect(body.message).toBe(
      'Refunded 100.00 GBP. No confirmation is sent: it is sandbox data, and MAIL_SANDBOX is not set',
    );
    await post.probe();
    expect(post.server.mails).toHaveLength(0);
  });

  it('is sent for sandbox data with MAIL_SANDBOX=true', async () => {
    const post = await Post.open({ env: { MAIL_SANDBOX: 'true' } });
    const tester = await callerWith(post.running, TENANT, { environment: 'test' });
    const { id } = await tester.paid({ email: 'tester@example.com' });
    expect((await tester.refund(id, CONFIRMED)).body.message).toBe('Refunded 100.00 GBP');
    expect((await post.mails(1))[0]?.to).toEqual(['tester@example.com']);
  });
});

describe('what an order says', () => {
  /** A captured payment of an order that came in by way of the core, past the checks of the interface. */
  async function refundedOrder(post: Post, order: Partial<Transaction.Order>): Promise<void> {
    const { commands } = post.running.host;
    const { id: like } = await post.caller.paid({ email: 'model@example.com' });
    const tenantId = TENANT as TenantId;
    const model = await commands.stateOf(
      Transaction,
      Transaction.streamOf({ tenantId, transactionId: like as TransactionId }),
    );
    const route = model?.attempts[0]?.route;
    if (model === null || route === undefined) throw new Error('no model');
    const transactionId = crypto.randomUUID() as TransactionId;
    const refundId = crypto.randomUUID() as TransactionId;
    const at = commands.clock.now();
    const to = { tenantId, transactionId, at };
    const { orderId, companyId, customerId, currency } = model;
    const facts = { orderId, companyId, customerId, currency, amountMinor: 1_000n };
    const said = { gatewayTransactionId: 'g', arn: '', note: '' };
    const run = (command: Transaction.Command) =>
      commands.execute(Transaction, command, { commandId: crypto.randomUUID() }, CALLER);
    await run({
      type: 'SubmitPayment',
      ...to,
      ...Transaction.orderOf({ ...facts, email: 'ann@example.com', ...order }),
      route,
      blackListing: 0,
    });
    await run({
      type: 'RecordOutcome',
      ...to,
      attempt: 1,
      outcome: { result: 'captured', authCode: '', avsChecked: false, ...said, at },
    });
    await run({
      type: 'RequestRefund',
      ...to,
      refundId,
      amountMinor: 1_000n,
      items: [],
      source: 'System',
      notifyCustomer: true,
      requestedBy: 'test',
      policy: { refundWindowDays: 180, forceAllowRefunds: false },
    });
    await run({ type: 'RecordRefund', ...to, refundId, ...said });
  }

  const NAMES = [
    'Ann\r\nBcc: thief@example.com',
    'Ann\r\n\r\nA second body',
    'Ann\u2028Bcc: thief@example.com',
    'Ann <thief@example.com>, "',
    '=?utf-8?B?VGhpZWY=?= <thief@example.com>',
    '\u202Enna',
    '<script>alert(1)</script>',
    '<%= it.company %>',
    '{ "path": "/etc/passwd" }',
  ];

  it('stays a name in its place', async () => {
    const post = await Post.open();
    for (const [index, firstName] of NAMES.entries()) {
      const email = `ann${index}@example.com`;
      await refundedOrder(post, { email, firstName, lastName: firstName });
    }
    await post.mails(NAMES.length);
    for (const [index, firstName] of NAMES.entries()) {
      const address = `ann${index}@example.com`;
      const mail = post.server.mails.find(({ to }) => to[0] === address);
      expect(mail?.to, firstName).toEqual([address]);
      expect(mail?.parsed.to).toMatchObject({ value: [{ address }] });
      expect(mail?.parsed.attachments).toEqual([]);
      const headers = mail?.parsed.headerLines.map(({ key }) => key) ?? [];
      expect(headers.toSorted()).toEqual([...new Set(headers)].toSorted());
      expect(headers).not.toContain('bcc');
      expect(mail?.parsed.subject).toBe('Your refund of 10.00 GBP from Crockery Ltd');
      expect(mail?.parsed.html).not.toContain('<script');
      const shown = firstName.replace(/[\r\n\u2028\u202E]+/g, ' ').trim();
      expect(mail?.parsed.text?.split('\n')[0]).toBe(`Hello ${shown},`);
    }
  });

  it('is no mail to what is no address', async () => {
    const post = await Post.open();
    const emails = [
      'ann@example.com\r\nBcc: thief@example.com',
      'ann@example.com, thief@example.com',
      'Ann <ann@example.com>',
      '"ann\r\nRCPT TO:<thief@example.com>"@example.com',
      '@',
      'ann',
      '',
    ];
    for (const email of emails) await refundedOrder(post, { email });
    await post.probe();
    await post.until({ queued: 0, failed_total: 0 });
    expect(post.server.mails).toEqual([]);
    const ends = post.outbox().map(({ status, reason }) => `${status}: ${reason}`);
    const dropped = emails.map((email) => `dropped: ${email === '' ? 'erased' : 'no-address'}`);
    expect(ends.toSorted()).toEqual(dropped.toSorted());
  });
});
