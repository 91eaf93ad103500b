/** The email service through the face of the engine: what is accepted, once, and what is refused. */
import { openLedger, silentLogger } from '@counterfoil/engine';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from './shop.ts';

const BEGIN = Date.parse('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FROM = 'Shop <post@shop.example>';

async function opened({ keepMails = true } = {}) {
  const clock = { nowMs: BEGIN, now: () => new Date(clock.nowMs).toISOString() };
  const ledger = await openLedger({
    storage: 'memory:',
    clock,
    keepMails,
    logger: silentLogger,
    dueWorkIntervalMs: 3_600_000,
  });
  onTestFinished(() => ledger.close());
  for (const tenantId of [7, 8]) {
    const id = tenantId as Parameters<typeof ledger.tenants.onboard>[0];
    await ledger.tenants.onboard(id, { name: 'Acme' }, { actor: 'operator' });
  }
  const [shop, other] = [7, 8].map((tenantId) => ledger.as({ tenantId, actor: 'owner' }));
  if (shop === undefined || other === undefined) throw new Error('no tenants');
  await shop.senderDomains.create({ domain: 'shop.example' });
  return { ledger, clock, shop, other };
}

const mail = (more: object = {}) => ({
  from: FROM,
  to: 'ann@example.com',
  subject: 'Hello',
  templateType: 'string' as const,
  templateContent: '<p>Hello {{name}}</p>',
  templateData: { name: 'Ann & Bob' },
  ...more,
});

const REFUSED: readonly (readonly [what: string, more: object, code: string])[] = [
  ['a sender in no domain of the tenant', { from: 'a@b.shop.example' }, 'SenderUnauthorized'],
  ['no template', { templateContent: undefined }, 'MailInvalid'],
  ['two templates', { templateName: 'generic' }, 'MailInvalid'],
  ['a template with a fault', { templateContent: 'a {{b' }, 'MailInvalid'],
  [
    'data that a template does not take',
    {
      templateType: 'react',
      templateName: 'generic',
      templateContent: undefined,
      templateData: {},
    },
    'MailInvalid',
  ],
  [
    'a button to a script',
    {
      templateType: 'react',
      templateName: 'generic',
      templateContent: undefined,
      templateData: { heading: 'a', body: 'b', ctaText: 'c', ctaUrl: 'javascript:alert(1)' },
    },
    'MailInvalid',
  ],
  ['no recipient', { to: [] }, 'InputInvalid'],
  ['two addresses in one', { to: 'a@b.example, c@d.example' }, 'InputInvalid'],
  ['a line end in an address', { to: 'a@b.example\r\nBcc: c@d.example' }, 'InputInvalid'],
  ['a line end in a name', { to: 'A\r\nBcc: c@d.example <a@b.example>' }, 'InputInvalid'],
  [
    'a line end in an object’s name',
    { to: { name: 'A\nB', address: 'a@b.example' } },
    'InputInvalid',
  ],
  ['a line end in an object’s address', { to: { address: 'a@b.example\nc' } }, 'InputInvalid'],
  ['a line end in the sender', { from: 'Shop\n <post@shop.example>' }, 'InputInvalid'],
  ['a line end in the subject', { subject: 'a\r\nBcc: c@d.example' }, 'InputInvalid'],
  ['a line separator in the subject', { subject: 'a\u2028b' }, 'InputInvalid'],
  ['a line end in a header', { headers: { 'X-A': 'a\r\nBcc: c@d.example' } }, 'InputInvalid'],
  [
    'a line end in the name of a header',
    { headers: { 'X-A\r\nBcc': 'c@d.example' } },
    'InputInvalid',
  ],
  ['a header twice', { headers: { 'X-A': 'a', 'x-a': 'b' } }, 'InputInvalid'],
  ...[
    'From',
    'to',
    'Bcc',
    'Sender',
    'Content-Type',
    'DKIM-Signature',
    'MIME-Version',
    'Received',
    'Return-Path',
    'List-Unsubscribe',
    'Message-ID',
    'Date',
    'Subject',
  ].map((name) => [`the header ${name}`, { headers: { [name]: 'x' } }, 'InputInvalid'] as const),
  ['an unknown member', { attachments: [] }, 'InputInvalid'],
  [
    'a list to unsubscribe from, to two',
    { listUnsubscribe: true, to: ['a@b.example', 'c@d.example'] },
    'MailInvalid',
  ],
];

describe('a mail', () => {
  it('is accepted, sent or kept, and tracked', async () => {
    const { ledger, shop, other } = await opened();
    const accepted = await shop.mails.submit(mail());
    expect(accepted).toMatchObject({ status: 'accepted', deduplicated: false });
    const { id } = accepted;
    expect(await shop.mails.get(id)).toMatchObject({ status: 'accepted', history: [] });
    await ledger.runDue();
    const sent = await shop.mails.get(id);
    expect(sent).toMatchObject({ status: 'sent', kept: true, subject: 'Hello' });
    expect(sent.from).toEqual({ name: 'Shop', address: 'post@shop.example' });
    expect(sent.history).toMatchObject([{ outcome: 'kept' }]);
    expect(await codeOf(other.mails.get(id))).toBe('MailUnknown');
    expect((await other.mails.list()).mails).toEqual([]);
  });

  it('is one for its content or its key, for 7 days', async () => {
    const { clock, shop } = await opened();
    const first = await shop.mails.submit(mail());
    clock.nowMs += 7 * DAY_MS - 1;
    const again = { id: first.id, deduplicated: true };
    expect(await shop.mails.submit(mail())).toMatchObject(again);
    clock.nowMs += 1;
    const later = await shop.mails.submit(mail());
    expect(later.id).not.toBe(first.id);
    const keyed = await shop.mails.submit(mail({ idempotencyKey: 'k' }));
    expect(keyed.deduplicated).toBe(false);
    const other = mail({ idempotencyKey: 'k', subject: 'Other' });
    expect(await codeOf(shop.mails.submit(other))).toBe('MailKeyConflict');
    // Another environment has keys of its own.
    const sandboxed = await shop.mails.submit(mail({ idempotencyKey: 'k', sandbox: true }));
    expect(sandboxed.deduplicated).toBe(false);
  });

  it('has a result of its own in a batch, in order', async () => {
    const { shop } = await opened();
    const results = await shop.mails.submitBatch([
      mail(),
      mail({ from: 'a@elsewhere.example' }),
      mail(),
      mail({ templateContent: '{{#if a}}' }),
      mail({ subject: 'Other' }),
    ]);
    const [first, , third] = results;
    expect(results.map((each) => ('refusal' in each ? each.refusal.type : each.status))).toEqual([
      'accepted',
      'SenderUnauthorized',
      'accepted',
      'MailInvalid',
      'accepted',
    ]);
    expect(third).toEqual({ ...first, deduplicated: true });
  });

  it('is refused where anything is wrong with it', async () => {
    const { shop } = await opened();
    for (const [what, more, code] of REFUSED) {
      expect(await codeOf(shop.mails.submit(mail(more) as never)), what).toBe(code);
    }
  });

  it('is not sent to a suppressed address, and says so', async () => {
    const { ledger, shop } = await opened();
    const { id: suppressionId } = await shop.suppressions.create({ email: 'ANN@example.com' });
    const { id } = await shop.mails.submit(mail());
    const both = await shop.mails.submit(mail({ cc: 'bob@example.com' }));
    await ledger.runDue();
    expect(await shop.mails.get(id)).toMatchObject({ status: 'failed', reason: 'suppressed' });
    const { history } = await shop.mails.get(both.id);
    expect(history.map(({ outcome, recipient }) => [outcome, recipient])).toEqual([
      ['suppressed', 'ann@example.com'],
      ['kept', ''],
    ]);
    await shop.suppressions.remove(suppressionId);
    const again = await shop.mails.submit(mail({ subject: 'Again' }));
    await ledger.runDue();
    expect(await shop.mails.get(again.id)).toMatchObject({ status: 'sent' });
  });

  it('ends as failed where no server is ever set, after all tries', async () => {
    const { ledger, clock, shop } = await opened({ keepMails: false });
    const { id } = await shop.mails.submit(mail());
    const seen: string[] = [];
    for (const waitMs of [0, 1, 5, 30, 120, 480].map((minutes) => minutes * MINUTE_MS)) {
      clock.nowMs += waitMs;
      await ledger.runDue();
      seen.push((await shop.mails.get(id)).status);
    }
    expect(seen).toEqual([...Array<string>(5).fill('deferred'), 'failed']);
    const { history } = await shop.mails.get(id);
    expect(history.map(({ reason }) => reason)).toEqual(Array(6).fill('no-server'));
  });
});

it('lists by status, kind, recipient and day, in pages, the newest first', async () => {
  const { ledger, clock, shop } = await opened();
  const ids: string[] = [];
  for (let day = 0; day < 5; day += 1) {
    const to = day % 2 === 0 ? 'ann@example.com' : 'Bob <BOB@example.com>';
    ids.push((await shop.mails.submit(mail({ to, subject: `Day ${day}` }))).id);
    if (day === 2) await ledger.runDue();
    clock.nowMs += DAY_MS;
  }
  const found = async (asked: object) => (await shop.mails.list(asked)).mails.map(({ id }) => id);
  const newest = ids.toReversed();
  expect(await found({})).toEqual(newest);
  expect(await found({ status: 'sent' })).toEqual(newest.slice(2));
  expect(await found({ to: 'bob@example.com' })).toEqual([ids[3], ids[1]]);
  expect(await found({ dateFrom: '2026-03-02', dateTo: '2026-03-03' })).toEqual([ids[2], ids[1]]);
  expect(await found({ dateFrom: '0000-01-01', dateTo: '9999-12-31' })).toEqual(newest);
  expect(await found({ kind: 'refunded' })).toEqual([]);
  const { end: after } = await shop.mails.list({ limit: 2 });
  expect(await found({ limit: 2, ...(after && { after }) })).toEqual(newest.slice(2, 4));
});

it('previews what it would send, and sends nothing', async () => {
  const { shop } = await opened();
  const shown = await shop.mails.preview(mail());
  expect(shown).toEqual({
    subject: 'Hello',
    html: '<p>Hello Ann &amp; Bob</p>',
    text: 'Hello Ann & Bob\n',
  });
  expect((await shop.mails.list()).mails).toEqual([]);
});

it.each([
  [
    'generic',
    {
      heading: 'News',
      body: 'One <b>\n\nTwo',
      ctaText: 'Read',
      ctaUrl: 'https://a.example/?b=1&c',
    },
    ['One <b>', 'Two', 'Read: https://a.example/?b=1&c'],
  ],
  [
    'order-confirmation',
    {
      orderNumber: 1042,
      customerName: 'Ann',
      items: [{ name: 'Cup <1>', quantity: 2, price: '10.00 GBP' }],
      total: '10.00 GBP',
    },
    ['Hello Ann,', '2 × Cup <1>: 10.00 GBP', 'Total: 10.00 GBP'],
  ],
  [
    'welcome-membership',
    { membership: 'Tea Club', benefits: ['Tea', 'More tea'] },
    ['Welcome to Tea Club', 'It includes: Tea · More tea'],
  ],
])(
  'renders the template %s in text and in escaped HTML',
  async (templateName, templateData, lines) => {
    const { shop } = await opened();
    const { from, to, subject } = mail();
    const react = { from, to, subject, templateType: 'react', templateName, templateData } as const;
    const { text, html } = await shop.mails.preview(react as never);
    for (const line of lines) expect(text).toContain(line);
    expect(html).not.toMatch(/<b>|<1>/);
    expect(html).toContain('width=device-width');
  },
);

it('accepts one mail for a key within 7 days, whatever is repeated and whenever', async () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', undefined),
    subject: fc.constantFrom('one', 'two'),
    waitMs: fc.constantFrom(0, MINUTE_MS, 3 * DAY_MS, 7 * DAY_MS),
  });
  const { clock, shop } = await opened();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      run += 1;
      /** What each key names: content, mail, and since when. */
      const named = new Map<string, { content: string; id: string; sinceMs: number }>();
      for (const { key, subject, waitMs } of steps) {
        clock.nowMs += waitMs;
        const templateData = { run };
        const idempotencyKey = key && `${key} ${run}`;
        const name = key ?? `content ${subject}`;
        const before = named.get(name);
        const holds = before !== undefined && clock.nowMs - before.sinceMs < 7 * DAY_MS;
        const submitting = shop.mails.submit(mail({ subject, templateData, idempotencyKey }));
        if (holds && before.content !== subject) {
          expect(await codeOf(submitting)).toBe('MailKeyConflict');
          continue;
        }
        const { id, deduplicated } = await submitting;
        expect(deduplicated).toBe(holds);
        if (holds) expect(id).toBe(before.id);
        else named.set(name, { content: subject, id, sinceMs: clock.nowMs });
      }
    }),
    { numRuns: 40 },
  );
});
