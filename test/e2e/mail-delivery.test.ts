/** Handing mails over to a server that is busy, refuses, breaks off or is away; and the outbox behind it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { TransactionId } from '@counterfoil/core';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MailServer } from './mail-server.ts';
import { CONFIRMED, DAY_MS, FROM, HOUR_MS, MINUTE_MS, Post, TENANT } from './mailing-host.ts';
import { CALLER, eventually, type TenantId } from './running-host.ts';

vi.setConfig({ testTimeout: 60_000 });

const TLS = fileURLToPath(new URL('../event-stores/support/tls', import.meta.url));

describe('a mail server', () => {
  const ANN = 'ann@example.com';
  const BUSY = { code: 451, message: `busy with ${ANN}` };
  const GONE = { code: 550, message: `no such person ${ANN}` };

  async function refunded(post: Post, email = ANN): Promise<void> {
    const { id } = await post.caller.paid({ email });
    await post.refund(id);
  }

  /** Waits for that many deliveries of Ann's mail. */
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

  it('that ended a connection between two mails gets the next one at once', async () => {
    const post = await Post.open();
    await post.probe();
    post.server.dropConnections();
    await refunded(post);
    await post.mails(1);
    await post.until({ queued: 0, sent_total: 2, failed_total: 0 });
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

  it('that requires a password gets it over a loopback connection', async () => {
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

  it('anywhere else is given no password in the open', async () => {
    // Resolves to this machine without naming it.
    const post = await Post.open({ user: 'relay:secret', host: '0.0.0.0' });
    await refunded(post);
    await post.tried(1);
    expect(post.outbox()).toMatchObject([{ status: 'queued', reason: 'ETLS 500' }]);
    expect(post.server.offers).toEqual([]);
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
    expect(post.outbox()).toMatchObject([{ status: 'queued', reason: 'EAUTH 535' }]);
  });

  it('gets the password once STARTTLS has made the connection private', async () => {
    const [key, cert] = ['key', 'certificate'].map((name) => readFileSync(`${TLS}/${name}.pem`));
    const known = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...known, String(cert)]);
    onTestFinished(() => tls.setDefaultCACertificates(known));
    const sessions: unknown[] = [];
    const post = await Post.open({
      user: 'relay:secret',
      smtp: {
        ...{ key, cert, disabledCommands: [], authOptional: false },
        onAuth: ({ username }, { secure }, answer) => {
          sessions.push({ username, secure });
          answer(null, { user: username });
        },
      },
    });
    await refunded(post);
    await post.mails(1);
    expect(sessions).toEqual([{ username: 'relay', secure: true }]);
  });

  it('with an untrusted certificate gets nothing', async () => {
    const post = await Post.open({ scheme: 'smtps', smtp: { secure: true } });
    await refunded(post);
    await post.tried(1);
    expect(post.outbox()).toMatchObject([{ status: 'queued', reason: 'ESOCKET' }]);
    expect(post.server.offers).toEqual([]);
  });
});

describe('a disk that takes nothing', () => {
  it('does not make a mail go out again and again', async () => {
    const lines: string[] = [];
    const post = await Post.open({ lines });
    const other = new DatabaseSync(join(post.folder, 'mails.db'));
    onTestFinished(() => other.close());
    // From the moment that the server has the mail, nothing can be written.
    post.server.onOffer = () => {
      post.server.onOffer = () => {};
      other.exec('BEGIN IMMEDIATE');
    };
    const { id } = await post.caller.paid();
    await post.refund(id);
    await eventually(
      async () => lines.filter((line) => line.includes('scheduled work failed')).length,
      (failed) => failed >= 2,
    );
    other.exec('ROLLBACK');
    await post.until({ queued: 0, sent_total: 1 });
    await post.probe();
    expect(post.server.mails).toHaveLength(1);
  });
});

describe('a host that stops', () => {
  it('times out on a server that does not respond, and loses nothing', async () => {
    const post = await Post.open();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    post.server.onOffer = () => answered;
    const { id } = await post.caller.paid({ email: 'ann@example.com' });
    await post.refund(id);
    await eventually(
      async () => post.server.offers.length,
      (offers) => offers === 1,
    );
    await post.running.close();
    answer();
    expect(post.outbox()).toMatchObject([{ status: 'queued', tries: 1, reason: 'EABORT' }]);
    post.nowMs += MINUTE_MS;
    await post.start();
    await post.until({ queued: 0, sent_total: 1 });
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

  it('contains no personal data', async () => {
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

  it('keeps its place beside a command that knows no mail settings', async () => {
    const post = await Post.open();
    const { id } = await post.caller.paid({ email: 'ann@example.com' });
    await post.probe();
    await post.running.close();
    const command = await compose(readConfig({ DATA_DIR: post.folder, LOG_LEVEL: 'silent' }), {
      clock: post.clock,
    });
    await command.payments.refund(
      {
        tenantId: TENANT as TenantId,
        transactionId: id as TransactionId,
        refundId: crypto.randomUUID() as TransactionId,
        content: {},
        items: [],
        source: 'Admin',
        notifyCustomer: true,
      },
      CALLER,
    );
    await command.close();
    await post.start();
    expect((await post.mails(1))[0]?.to).toEqual(['ann@example.com']);
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
