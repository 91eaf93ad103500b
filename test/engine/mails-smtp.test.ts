/** The email service over a real mail server: what arrives, and what follows from what the server says. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MailServer } from '../e2e/mail-server.ts';
import { verifyDkim } from './dkim.ts';
import { MINUTE_MS, mail, no, opened } from './mail-shop.ts';
import { codeOf, order } from './shop.ts';
import { TENANT } from './webhook-sink.ts';

describe('a mail', () => {
  it('arrives as it was submitted', async () => {
    const { server, ledger, shop, domainId } = await opened();
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 1_024,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    await shop.senderDomains.change(domainId, {
      dkimSelector: 'one',
      dkimPrivateKey: privateKey,
    });
    const { id } = await shop.mails.submit(
      mail({
        to: ['Ann <ann@example.com>', 'bob@bücher.example'],
        cc: 'cy@example.com',
        bcc: 'dan@example.com',
        replyTo: 'Help <help@shop.example>',
        headers: { 'X-Campaign': 'März', References: '<a@b.example>' },
      }),
    );
    await ledger.runDue();
    const [{ parsed, to, from, source }] = server.mails as [MailServer['mails'][number]];
    expect(from).toBe('post@shop.example');
    expect(to).toEqual([
      'ann@example.com',
      'bob@bücher.example',
      'cy@example.com',
      'dan@example.com',
    ]);
    expect(source).not.toContain('dan@example.com');
    expect(parsed).toMatchObject({
      subject: 'Grüße',
      from: { value: [{ name: 'Shop', address: 'post@shop.example' }] },
      to: { value: [{ name: 'Ann' }, { address: expect.stringMatching(/^bob@b/) }] },
      cc: { value: [{ address: 'cy@example.com' }] },
      replyTo: { value: [{ name: 'Help', address: 'help@shop.example' }] },
      messageId: `<${id}@shop.example>`,
      text: expect.stringMatching(/^Hello Änn <3\s+$/),
      html: expect.stringMatching(/^<p>Hello Änn &lt;3<\/p>\s*$/),
    });
    expect(parsed.headers.get('x-campaign')).toBe('=?UTF-8?Q?M=C3=A4rz?=');
    const dkim = verifyDkim(source, publicKey);
    expect(dkim).toMatchObject({ isGenuine: true, domain: 'shop.example', selector: 'one' });
    for (const name of ['from', 'to', 'subject', 'reply-to']) expect(dkim.signed).toContain(name);
    const changed = source.replace('Hello', 'Hallo');
    expect(verifyDkim(changed, publicKey).isGenuine).toBe(false);
    const other = source.replace('<post@shop', '<past@shop');
    expect(verifyDkim(other, publicKey).isGenuine).toBe(false);
    const { status, history } = await shop.mails.get(id);
    expect(status).toBe('sent');
    expect(history).toMatchObject([{ outcome: 'sent', response: expect.stringMatching(/^250 /) }]);
  });

  it('is tried again after a temporary refusal, and shows the words of the server', async () => {
    const { server, clock, ledger, shop } = await opened();
    server.afterData.push(no(451, 'Greylisted for ann@example.com'));
    const { id } = await shop.mails.submit(mail());
    await ledger.runDue();
    const deferred = await shop.mails.get(id);
    expect(deferred).toMatchObject({ status: 'deferred', reason: '451' });
    expect(deferred.history[0]?.response).toBe('451 Greylisted for ann@example.com');
    clock.nowMs += MINUTE_MS - 1;
    await ledger.runDue();
    expect(server.mails).toEqual([]);
    clock.nowMs += 1;
    await ledger.runDue();
    expect((await shop.mails.get(id)).history.map(({ outcome }) => outcome)).toEqual([
      'deferred',
      'sent',
    ]);
  });

  it('fails after a permanent refusal, and its address is suppressed for the tenant', async () => {
    const { server, ledger, shop } = await opened();
    server.toRecipients.push(no(550, 'No such user'));
    const { id } = await shop.mails.submit(mail());
    await ledger.runDue();
    const failed = await shop.mails.get(id);
    expect(failed).toMatchObject({ status: 'failed', reason: '550' });
    expect(failed.history.at(-1)?.response).toMatch(/No such user/);
    const { items } = await shop.suppressions.list({ email: 'Ann@Example.com' });
    expect(items).toMatchObject([{ reason: 'bounce', email: 'ann@example.com' }]);
    const again = await shop.mails.submit(mail({ subject: 'Again' }));
    await ledger.runDue();
    expect(await shop.mails.get(again.id)).toMatchObject({ reason: 'suppressed' });
    expect(server.offers).toEqual([]);
  });

  it('goes on for the recipients that are left, each judged by itself', async () => {
    const { server, clock, ledger, shop } = await opened();
    server.toRecipients.push(undefined, no(550, 'No such user'), no(452, 'Mailbox full'));
    const to = ['ann@example.com', 'bob@example.com', 'cy@example.com'];
    const { id } = await shop.mails.submit(mail({ to }));
    await ledger.runDue();
    expect(await shop.mails.get(id)).toMatchObject({ status: 'deferred' });
    clock.nowMs += MINUTE_MS;
    await ledger.runDue();
    expect(server.mails.map((each) => each.to)).toEqual([['ann@example.com'], ['cy@example.com']]);
    expect(await shop.mails.get(id)).toMatchObject({ status: 'sent' });
    const suppressed = (await shop.suppressions.list()).items.map(({ email }) => email);
    expect(suppressed).toEqual(['bob@example.com']);
  });

  it('goes with others over few connections', async () => {
    let connections = 0;
    const onConnect = (_session: unknown, answer: () => void) => {
      connections += 1;
      answer();
    };
    const { server, ledger, shop } = await opened({ smtp: { onConnect } });
    const many = Array.from({ length: 30 }, (_, index) => mail({ subject: `Mail ${index}` }));
    await shop.mails.submitBatch(many);
    await ledger.runDue();
    expect(server.mails).toHaveLength(many.length);
    expect(connections).toBeLessThanOrEqual(4);
  });

  it('of a test key reaches no server', async () => {
    const { server, ledger } = await opened();
    const tester = ledger.as({ tenantId: TENANT, actor: 'owner', environment: 'test' });
    const { id } = await tester.mails.submit(mail());
    await ledger.runDue();
    expect(await tester.mails.get(id)).toMatchObject({ status: 'sent', kept: true });
    expect(server.offers).toEqual([]);
  });

  it('whose domain is taken away before it is sent fails', async () => {
    const { server, ledger, shop, domainId } = await opened();
    const { id } = await shop.mails.submit(mail());
    await shop.senderDomains.remove(domainId);
    await ledger.runDue();
    expect(await shop.mails.get(id)).toMatchObject({ reason: 'unauthorized-domain' });
    expect(server.offers).toEqual([]);
  });
});

/** What has broken mails elsewhere: headers and parts that are added, and the end of a mail in the middle of it. */
const HOSTILE: readonly string[] = [
  '\r\nBcc: thief@example.com',
  '\nBcc: thief@example.com',
  '\rBcc: thief@example.com',
  '\r\n\r\n<p>A second body</p>',
  '\u2028Bcc: thief@example.com',
  '\r\nContent-Type: text/html\r\n\r\n<script>',
  ...['\r\n', '\n', '\r', '\n\r'].map(
    (end) =>
      `${end}.${end}MAIL FROM:<thief@example.com>${end}RCPT TO:<thief@example.com>${end}DATA${end}`,
  ),
  '\r\n.\r\nQUIT\r\n',
  '\0',
  '----_NmP-1--',
  '=?utf-8?Q?=0D=0ABcc:_thief=40example.com?=',
];

it('carries hostile data of templates as text, and nothing of it as headers or commands', async () => {
  const { server, ledger, shop } = await opened();
  for (const [index, name] of HOSTILE.entries()) {
    const subject = `Mail ${index}`;
    const templates = [
      { templateContent: '<p>[{{name}}]</p>' },
      { templateContent: '[{{name}}]' },
      {
        templateType: 'react' as const,
        templateName: 'generic' as const,
        templateContent: undefined,
        templateData: { heading: 'Hello', body: `[${name}]` },
      },
    ];
    for (const template of templates) {
      await shop.mails.submit(mail({ subject, templateData: { name }, ...template }));
    }
  }
  await ledger.runDue();
  expect(server.mails).toHaveLength(3 * HOSTILE.length);
  for (const { from, to, parsed, source } of server.mails) {
    expect([from, to]).toEqual(['post@shop.example', ['ann@example.com']]);
    expect(parsed.headerLines.map(({ key }) => key).toSorted()).toEqual(HEADERS);
    expect(parsed.subject).toMatch(/^Mail \d+$/);
    expect(parsed.text).toMatch(/\[.*\]/s);
    expect(parsed.html).not.toMatch(/<p>A second|<script/);
    expect(source).not.toMatch(/[^\r]\n|\r[^\n]/);
  }
});

const HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
  'x-auto-response-suppress',
];

describe('a tenant', () => {
  it('has its own server, whose password does not go elsewhere', async () => {
    const storage = mkdtempSync(join(tmpdir(), 'counterfoil-mails-'));
    onTestFinished(() => rmSync(storage, { recursive: true, force: true }));
    const { server: common, ledger, shop } = await opened({ storage });
    const own = await MailServer.start({
      smtp: {
        onAuth: ({ username, password }, _session, done) =>
          done(null, password === 'pass' ? { user: username } : {}),
        authOptional: false,
        allowInsecureAuth: true,
      },
    });
    onTestFinished(() => own.close());
    const smtp = { host: '127.0.0.1', port: own.port, user: 'shop', password: 'pass' };
    const changed = await shop.mailSettings.change({ smtp });
    expect(changed.smtp?.password).toBe('********');
    expect(await shop.mailSettings.change({ smtp: changed.smtp })).toEqual(changed);
    const moved = { ...changed.smtp, port: common.port };
    expect(await codeOf(shop.mailSettings.change({ smtp: moved }))).toBe('SmtpPasswordRequired');
    await shop.mails.submit(mail());
    await ledger.runDue();
    expect(own.mails).toHaveLength(1);
    await shop.mailSettings.change({ smtp: null });
    await shop.mails.submit(mail({ subject: 'Again' }));
    await ledger.runDue();
    expect([own.mails.length, common.mails.length]).toEqual([1, 1]);
  });

  it.each(['127.0.0.1', 'localhost', '::1', '10.0.0.1', '169.254.169.254'])(
    'cannot have its mails sent to %s in production',
    async (host) => {
      const { server, ledger, shop } = await opened();
      await shop.mailSettings.change({ smtp: { host, port: server.port } });
      const { id } = await shop.mails.submit(mail());
      await ledger.runDue();
      expect(await shop.mails.get(id)).toMatchObject({ status: 'deferred' });
      expect(server.offers).toEqual([]);
    },
  );

  it('has its own sender and text for what the ledger mails by itself', async () => {
    const { server, ledger, shop } = await opened();
    const stranger = { sender: { name: '', address: 'a@elsewhere.example' } };
    expect(await codeOf(shop.mailSettings.change(stranger))).toBe('SenderUnauthorized');
    const bad = { texts: { refunded: { subject: 'a', text: '{{#if a}}' } } };
    expect(await codeOf(shop.mailSettings.change(bad))).toBe('MailInvalid');
    await shop.mailSettings.change({
      sender: { name: 'Laden', address: 'laden@shop.example' },
      language: 'de',
      texts: { refunded: { subject: 'Erstattet: {{refunded}}', text: 'Hallo <b>,\n\nam {{on}}.' } },
    });
    const { id } = await shop.payments.submit(order());
    await shop.payments.refund(id, { notifyCustomer: true });
    await expect
      .poll(async () => {
        await ledger.runDue();
        return server.mails.length;
      })
      .toBe(1);
    const [{ parsed }] = server.mails as [MailServer['mails'][number]];
    expect(parsed.from?.value).toEqual([{ name: 'Laden', address: 'laden@shop.example' }]);
    expect(parsed.subject).toBe('Erstattet: 19.99 GBP');
    expect(parsed.text).toMatch(/^Hallo <b>,\n\nam \d+\. \p{L}+ \d{4}, \d\d:\d\d GMT\./u);
    expect(parsed.html).toContain('Hallo &lt;b&gt;,');
    const { mails } = await shop.mails.list({ kind: 'refunded', to: 'ann@shop.example' });
    expect(mails).toMatchObject([{ status: 'sent', subject: 'Erstattet: 19.99 GBP' }]);
  });
});

it('forgets an erased person: what was sent, what waits, and who is suppressed', async () => {
  const { server, clock, ledger, shop } = await opened();
  const email = 'ann@shop.example';
  const { customerId } = await shop.customers.register({ email });
  const sent = await shop.mails.submit(mail({ to: email }));
  await ledger.runDue();
  server.afterData.push(no(451, 'Later'));
  const waits = await shop.mails.submit(mail({ to: email, subject: 'Waits' }));
  await ledger.runDue();
  await shop.suppressions.create({ email });
  await shop.customers.erase(customerId);
  clock.nowMs += 60 * MINUTE_MS;
  await ledger.runDue();
  expect(server.mails).toHaveLength(1);
  for (const { id } of [sent, waits]) {
    expect(await shop.mails.get(id)).toMatchObject({
      from: null,
      to: [],
      subject: '',
      history: [],
    });
  }
  expect(await shop.mails.get(waits.id)).toMatchObject({ status: 'failed', reason: 'erased' });
  expect((await shop.mails.list({ to: email })).mails).toEqual([]);
  expect((await shop.suppressions.list()).items).toMatchObject([{ email: '', reason: 'manual' }]);
});
