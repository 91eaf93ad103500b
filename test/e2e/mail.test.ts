/** Mails to customers, over TCP to a real mail server: what they say, when they come, and when not. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Tenant, Transaction, type TransactionId } from '@counterfoil/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MailServer, type MailServerOptions } from './mail-server.ts';
import {
  CALLER,
  type Caller,
  callerWith,
  card,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantId,
} from './running-host.ts';

// The host looks for what is due once a second.
vi.setConfig({ testTimeout: 60_000 });

const TENANT = 21;
const FROM = '"Receipts, Crockery" <receipts@crockery.example>';
const BEGIN = Date.parse('2026-01-10T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CONFIRMED = { sendUserCommunication: true };

interface PostOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly smtp?: MailServerOptions['smtp'];
  readonly settings?: Partial<Tenant.Settings>;
  readonly scheme?: 'smtp' | 'smtps';
  /** Credentials as they stand in SMTP_URL. */
  readonly user?: string;
  /** Where the host's log lines go. */
  readonly lines?: string[];
}

/** A host with a mail server beside it, and a clock that the test moves. */
class Post {
  nowMs = BEGIN;
  server!: MailServer;
  running!: Running;
  caller!: Caller;
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-mail-'));
  #env: Readonly<Record<string, string>> = {};
  #lines: string[] | undefined;

  static async open({
    env = {},
    smtp = {},
    settings = {},
    scheme = 'smtp',
    user,
    lines,
  }: PostOptions = {}): Promise<Post> {
    const post = new Post();
    post.server = await MailServer.start({ smtp });
    const address = `localhost:${post.server.port}`;
    const url = `${scheme}://${user === undefined ? '' : `${user}@`}${address}`;
    post.#env = { SMTP_URL: url, MAIL_FROM: FROM, ...env };
    post.#lines = lines;
    onTestFinished(() => post.#close());
    await post.start();
    post.caller = await openTenant(post.running, TENANT, { settings });
    return post;
  }

  /** Starts the host on the folder, with the caller's key as it was. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.running = await startHost({
      clock: { now: () => new Date(this.nowMs).toISOString() },
      onDisk: true,
      ...(this.#lines !== undefined && { lines: this.#lines }),
      env: { ...this.#env, DATA_DIR: this.folder, ...env },
    });
    if (this.caller !== undefined) {
      const { tenantId, key } = this.caller;
      this.caller = Object.assign(Object.create(Object.getPrototypeOf(this.caller)), {
        url: this.running.url,
        tenantId,
        key,
      });
    }
  }

  async #close(): Promise<void> {
    await this.running.close().catch(() => {});
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async refund(id: string, changes: Json = CONFIRMED): Promise<Json> {
    const { status, text, body } = await this.caller.refund(id, changes);
    expect(status, text).toBe(200);
    return body;
  }

  async metrics(): Promise<Record<string, number>> {
    const { text } = await this.caller.get('/metrics');
    const lines = [...text.matchAll(/^mails_(\w+) (\d+)$/gm)];
    return Object.fromEntries(lines.map(([, name, count]) => [name, Number(count)]));
  }

  /** Waits until the server has taken so many mails. */
  async mails(count: number): Promise<MailServer['mails']> {
    const { mails } = this.server;
    return eventually(
      async () => mails,
      () => mails.length >= count,
    );
  }

  /** Waits until figures of the host are as wanted. */
  async until(figures: Record<string, number>): Promise<void> {
    await eventually(
      () => this.metrics(),
      (found) => Object.entries(figures).every(([name, count]) => found[name] === count),
    );
  }

  /** What stands in the outbox, those that were sent for a probe left out. */
  outbox(): Record<string, unknown>[] {
    const database = new DatabaseSync(join(this.folder, 'mails.db'), { readOnly: true });
    try {
      return database.prepare("SELECT * FROM mails WHERE status <> 'sent'").all();
    } finally {
      database.close();
    }
  }

  /** Waits until the one mail of the outbox was tried so many times. */
  async tried(times: number): Promise<void> {
    await eventually(
      async () => this.outbox(),
      ([mail]) => mail?.['tries'] === times,
    );
  }

  /** A mail that nobody keeps from being sent: when it has come, the ones before it have had their turn. */
  async probe(): Promise<void> {
    const before = this.server.mails.length;
    const { id } = await this.caller.paid({ email: 'probe@example.com' });
    await this.refund(id);
    await this.mails(before + 1);
    expect(this.server.mails.at(-1)?.to).toEqual(['probe@example.com']);
    this.server.mails.pop();
  }
}

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
      from: { name: 'Receipts, Crockery', address: 'receipts@crockery.example' },
      to: [{ name: 'Ann Żółć', address: 'ann@example.com' }],
      subject: 'Your refund of 5.00 GBP from Crockery Ltd',
      date: '2026-01-10T12:00:00.000Z',
      messageId: expect.stringMatching(/^<[0-9a-f-]{36}@crockery\.example>$/),
    });
    expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail?.source).not.toMatch(/^X-Mailer/im);
    const order = (await post.caller.get(`/v1/payments/${id}`)).body.orderId;
    expect(mail?.parsed.text?.replaceAll('\r', '').trim()).toBe(
      [
        'Hello Ann,',
        '',
        'Crockery Ltd has refunded 5.00 GBP of your payment of 100.00 GBP. The money goes back to the card that you paid with.',
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
    const { ledger } = post.running.host;
    const { id: like } = await post.caller.paid({ email: 'model@example.com' });
    const tenantId = TENANT as TenantId;
    const model = await ledger.stateOf(
      Transaction,
      Transaction.streamOf({ tenantId, transactionId: like as TransactionId }),
    );
    const route = model?.attempts[0]?.route;
    if (model === null || route === undefined) throw new Error('no model');
    const transactionId = crypto.randomUUID() as TransactionId;
    const refundId = crypto.randomUUID() as TransactionId;
    const at = ledger.clock.now();
    const to = { tenantId, transactionId, at };
    const { orderId, companyId, customerId, currency } = model;
    const facts = { orderId, companyId, customerId, currency, amountMinor: 1_000n };
    const said = { gatewayTransactionId: 'g', arn: '', note: '' };
    const run = (command: Transaction.Command) =>
      ledger.carryOut(Transaction, command, { commandId: crypto.randomUUID() }, CALLER);
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
      expect(mail?.parsed.to).toMatchObject([{ address }]);
      expect(mail?.parsed.attachments).toEqual([]);
      const headers = mail?.parsed.headers.map(({ key }) => key) ?? [];
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

describe('a mail server', () => {
  const ANN = 'ann@example.com';
  const BUSY = { code: 451, message: `busy with ${ANN}` };
  const GONE = { code: 550, message: `no such person ${ANN}` };

  async function refunded(post: Post, email = ANN): Promise<void> {
    const { id } = await post.caller.paid({ email });
    await post.refund(id);
  }

  /** Waits until Ann's mail was handed over so many times. */
  async function offered(post: Post, count: number): Promise<void> {
    await eventually(
      async () => post.server.offers.filter((to) => to === ANN).length,
      (offers) => offers === count,
    );
  }

  it('that is busy gets the same mail again, each time later, until it is given up', async () => {
    const post = await Post.open();
    post.server.afterData.push(BUSY);
    await refunded(post);
    await offered(post, 1);
    const waits = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS];
    for (const [tries, waitMs] of waits.entries()) {
      await post.tried(tries + 1);
      post.nowMs += waitMs - 1;
      await post.probe();
      await offered(post, tries + 1);
      post.server.afterData.push(BUSY);
      post.nowMs += 1;
      await offered(post, tries + 2);
    }
    await post.until({ queued: 0, failed_total: 1 });
    post.nowMs += DAY_MS;
    await post.probe();
    await offered(post, 6);
    expect(post.server.mails).toEqual([]);
  });

  it('that was busy takes the mail the next time, under the same id', async () => {
    const post = await Post.open();
    const ids: unknown[] = [];
    post.server.onOffer = ({ parsed }) => void ids.push(parsed.messageId);
    post.server.afterData.push(BUSY);
    await refunded(post);
    await post.tried(1);
    post.nowMs += MINUTE_MS;
    await post.mails(1);
    await post.until({ queued: 0, sent_total: 1 });
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  it.each(['afterData', 'toRecipients'] as const)(
    'that refuses it is asked once (%s)',
    async (when) => {
      const lines: string[] = [];
      const post = await Post.open({ lines });
      post.server[when].push(GONE);
      await refunded(post);
      await post.until({ queued: 0, failed_total: 1 });
      post.nowMs += DAY_MS;
      await post.probe();
      expect(post.server.mails).toEqual([]);
      expect(lines.filter((line) => line.includes('a mail was given up'))).toHaveLength(1);
      expect(lines.join()).toContain('"reason":"550"');
      expect(lines.join()).not.toContain(ANN);
    },
  );

  it('that is away gets everything when it is back', async () => {
    const post = await Post.open();
    const { port } = post.server;
    await post.server.close();
    for (let count = 0; count < 12; count += 1) await refunded(post, `ann${count}@example.com`);
    await post.until({ queued: 12 });
    post.server = await MailServer.start({ port });
    post.nowMs += 5 * MINUTE_MS;
    const mails = await post.mails(12);
    expect(new Set(mails.map(({ to }) => to[0])).size).toBe(12);
    await post.until({ queued: 0, sent_total: 12, failed_total: 0 });
  });

  it('that breaks off in the middle gets the mail again', async () => {
    const post = await Post.open();
    post.server.dropNext = 1;
    await refunded(post);
    await post.tried(1);
    post.nowMs += MINUTE_MS;
    await post.mails(1);
    await post.until({ queued: 0, sent_total: 1 });
  });

  it('that wants a password gets it, over a connection to the machine itself', async () => {
    const given: unknown[] = [];
    const post = await Post.open({
      user: 'relay:p%40ss%3Aword',
      smtp: {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _session, answer) => {
          given.push([username, password]);
          answer(null, { user: username });
        },
      },
    });
    await refunded(post);
    await post.mails(1);
    expect(given).toEqual([['relay', 'p@ss:word']]);
  });

  it('that does not take the password loses no mail', async () => {
    const post = await Post.open({
      user: 'relay:wrong',
      smtp: {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: (_auth, _session, answer) => answer(new Error('no')),
      },
    });
    await refunded(post);
    await post.tried(1);
    expect(post.outbox()).toMatchObject([{ status: 'queued', reason: '535' }]);
  });

  it('whose certificate nobody vouches for is given nothing', async () => {
    const post = await Post.open({ scheme: 'smtps', smtp: { secure: true } });
    await refunded(post);
    await post.tried(1);
    expect(post.outbox()).toMatchObject([{ status: 'queued', reason: 'ESOCKET' }]);
    expect(post.server.offers).toEqual([]);
  });
});

describe('the outbox', () => {
  it('outlives the host, and forgets nothing', async () => {
    const post = await Post.open();
    const { port } = post.server;
    await post.server.close();
    const { id } = await post.caller.paid({ email: 'ann@example.com' });
    await post.refund(id);
    await post.until({ queued: 1 });
    await post.running.close();
    post.server = await MailServer.start({ port });
    post.nowMs += HOUR_MS;
    await post.start();
    await post.mails(1);
    await post.until({ queued: 0, sent_total: 1 });
    await post.running.close();
    await post.start();
    await post.probe();
    expect(post.server.mails).toHaveLength(1);
  });

  it('tells of nobody', async () => {
    const post = await Post.open();
    post.server.afterData.push({ code: 450, message: 'not now, ann@example.com' });
    const { id } = await post.caller.paid({
      email: 'ann@example.com',
      customer: { firstName: 'Hildegard' },
    });
    await post.refund(id);
    await post.tried(1);
    const files = readdirSync(post.folder).filter((name) => name.startsWith('mails.db'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const bytes = readFileSync(join(post.folder, name));
      for (const personal of ['ann', 'Hildegard', 'example.com']) {
        expect(bytes.includes(personal), `${name}: ${personal}`).toBe(false);
      }
    }
  });

  it('begins with what happens after the first start with mail settings', async () => {
    const post = await Post.open({ env: { SMTP_URL: '', MAIL_FROM: '' } });
    const { id } = await post.caller.paid();
    await post.refund(id, { amount: 1, ...CONFIRMED });
    await post.running.close();
    await post.start({ SMTP_URL: post.server.url, MAIL_FROM: FROM });
    await post.probe();
    expect(post.server.mails).toEqual([]);
  });

  it('leaves out what happened while there were no mail settings', async () => {
    const post = await Post.open();
    await post.probe();
    await post.running.close();
    await post.start({ SMTP_URL: '', MAIL_FROM: '' });
    const { id } = await post.caller.paid();
    await post.refund(id, { amount: 1, ...CONFIRMED });
    await post.running.close();
    await post.start();
    await post.probe();
    expect(post.server.mails).toEqual([]);
  });

  it('gives up what is a week old', async () => {
    const post = await Post.open();
    post.server.afterData.push({ code: 450, message: 'not now' });
    const { id } = await post.caller.paid();
    await post.refund(id);
    await post.tried(1);
    post.nowMs += 7 * DAY_MS + 1;
    await post.until({ queued: 0, failed_total: 1 });
    expect(post.outbox()).toMatchObject([{ status: 'failed', reason: 'too-old' }]);
    expect(post.server.mails).toEqual([]);
  });
});
