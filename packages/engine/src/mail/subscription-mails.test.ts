/** Subscription mails: which events queue one, their content, and outdated ones. */

import {
  createMemoryEventStore,
  type EventStore,
  MailProfile,
  Reference,
  Subscription,
  Tenant,
  type TenantId,
  type Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { silentLogger } from '../logger.ts';
import { FollowerProgress } from '../runtime/follower-progress.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { References } from '../tenants/references.ts';
import { type Letter, Letters, type NoLetter } from './letters.ts';
import { followForMails } from './mail-reactor.ts';
import { MAIL_READER, type MailKind, openOutbox, type QueuedMail } from './outbox.ts';

const TENANT = 1 as TenantId;
const ALL: Tenant.Dunning['mails'] = ['rebill-failed', 'frozen', 'renewed'];
const BEGIN = '2026-01-31T09:30:00.000Z';
const DUE = '2026-03-02T09:30:00.000Z';
const CARD: Transaction.Card = {
  token: 'tok',
  fingerprint: 'f',
  bin: '424242',
  last4: '4242',
  brandId: 1,
  expMonth: 12,
  expYear: 2030,
  binCountry: '',
};

type WithoutFrame<Each> = Each extends unknown
  ? Omit<Each, 'tenantId' | 'subscriptionId' | 'at'>
  : never;

/** A ledger with one subscription and its mails. */
class Fixture {
  readonly events: EventStore = createMemoryEventStore();
  readonly outbox = openOutbox(':memory:');
  readonly commands = new CommandRunner(
    { store: this.events, cache: createStateCache() },
    { now: () => this.now },
    () => {},
  );
  readonly letters = new Letters({
    commands: this.commands,
    events: this.events,
    signIns: { link: () => Promise.reject(new Error('no user is written to')) },
    authenticationLinks: { urlOf: ({ cycle }) => this.link && `${this.link}${cycle}` },
    references: new References(this.commands, {
      merchantAccountIdsOf: async () => [],
      companyIdsOf: async () => [],
      namesOf: () => Promise.reject(new Error('not asked for')),
    }),
  });
  now: string = BEGIN;
  sandbox = false;
  /** The beginning of links; undefined for a host without an address. */
  link: string | undefined = 'https://pay.example/confirm?cycle=';
  #commands = 0;

  static async open({
    mails = ALL,
    sandbox = false,
    email = 'ann@example.com',
  }: {
    mails?: Tenant.Dunning['mails'];
    sandbox?: boolean;
    email?: string;
  } = {}): Promise<Fixture> {
    const fixture = new Fixture();
    onTestFinished(() => fixture.outbox.close());
    const { dunning } = Tenant.DEFAULT_SETTINGS;
    const settings = { dunning: { ...dunning, mails } };
    const named = { tenantId: TENANT, at: BEGIN };
    const { commands } = fixture;
    await commands.execute(
      Tenant,
      { type: 'OnboardTenant', ...named, name: 'Group', settings },
      { commandId: id(901) },
      SYSTEM,
    );
    const company = { companyId: 5, name: 'Crockery & Sons' };
    await commands.execute(
      Reference,
      { type: 'DefineCompany', ...named, ...company },
      { commandId: id(902) },
      SYSTEM,
    );
    await fixture.does({
      type: 'StartSubscription',
      sandbox,
      customerId: 7,
      email,
      orderId: 1001,
      transactionId: id(1),
      companyId: 5,
      merchantAccountId: 11,
      currency: 'GBP',
      plan: {
        name: 'Plate <of> the month',
        description: '',
        rebillAmountMinor: 1_250n,
        interval: 'day',
        intervalCount: 30,
        trialDays: 0,
      },
      card: CARD,
    });
    return fixture;
  }

  async does(command: WithoutFrame<Subscription.Command>): Promise<void> {
    const framed = { ...command, tenantId: TENANT, subscriptionId: 3, at: this.now };
    this.#commands += 1;
    const name = { commandId: id(1_000 + this.#commands) };
    await this.commands.execute(Subscription, framed as Subscription.Command, name, SYSTEM);
  }

  /** The attempt of the second cycle is declined. */
  async declined(attempt = 1, facts: { hard?: boolean; declineCode?: string } = {}): Promise<void> {
    const named = { cycle: 2, attempt, transactionId: id(10 + attempt) };
    await this.does({ type: 'BeginRebill', ...named });
    const { dunning } = Tenant.DEFAULT_SETTINGS;
    await this.does({
      type: 'RecordRebillFailure',
      ...named,
      declineCode: 'do_not_honour',
      hard: false,
      dunning,
      retryInsufficientFunds: false,
      ...facts,
    });
  }

  async renewed(attempt = 1): Promise<void> {
    const named = { cycle: 2, attempt, transactionId: id(10 + attempt) };
    await this.does({ type: 'BeginRebill', ...named });
    await this.does({ type: 'RecordRenewal', ...named, amountMinor: 1_250n });
  }

  async unsubscribed({ notifyCustomer = true } = {}): Promise<void> {
    const reason = 'customer-service';
    await this.does({ type: 'Unsubscribe', reason, requestedBy: 'agent', notifyCustomer });
  }

  /** All mails queued from the log. */
  async asked(): Promise<readonly QueuedMail[]> {
    const stopping = new AbortController();
    const progress = new FollowerProgress();
    const following = followForMails({
      commands: this.commands,
      events: this.events,
      outbox: this.outbox,
      logger: silentLogger,
      signal: stopping.signal,
      progress,
      takes: async ({ sandbox }) => (this.sandbox || !sandbox ? 'send' : undefined),
      reader: MAIL_READER,
      headAtStart: undefined,
    });
    const head = await this.events.head();
    if (head === undefined) throw new Error('nothing has happened');
    expect(await progress.reached(head, { timeoutMs: 10_000 })).toBe(true);
    stopping.abort();
    await following;
    return this.outbox.due(this.now, 100);
  }

  /** A text of the tenant's own, in German. */
  async write(own: MailProfile.Settings['texts'][number]): Promise<void> {
    await this.commands.execute(
      MailProfile,
      {
        ...{ type: 'ChangeMailProfile', tenantId: TENANT, at: BEGIN, sender: null, smtp: null },
        ...{ tracking: { opens: false, clicks: false }, language: 'de', texts: [own] },
      },
      { commandId: id(903) },
      SYSTEM,
    );
  }

  async kinds(): Promise<MailKind[]> {
    return (await this.asked()).map(({ kind }) => kind);
  }

  async letter(kind: MailKind): Promise<Letter | NoLetter> {
    const mail = (await this.asked()).findLast((each) => each.kind === kind);
    if (mail === undefined) throw new Error(`no mail ${kind}`);
    return this.letters.letterOf(mail);
  }
}

function id(number: number): TransactionId {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as TransactionId;
}

/** The non-empty lines of the text part. */
function linesOf(letter: Letter | NoLetter): string[] {
  if ('nothing' in letter) throw new Error(letter.nothing);
  return letter.text.split('\n').filter((line) => line !== '');
}

describe('what asks for a mail', () => {
  it.each([
    [ALL, ['rebill-failed', 'renewed', 'unsubscribed']],
    [['rebill-failed'], ['rebill-failed', 'unsubscribed']],
    [['renewed'], ['renewed', 'unsubscribed']],
    [['frozen'], ['unsubscribed']],
    [[], ['unsubscribed']],
  ] as const)('is what the dunning policy names: %j', async (mails, kinds) => {
    const fixture = await Fixture.open({ mails: [...mails] });
    fixture.now = DUE;
    await fixture.declined(1);
    fixture.now = '2026-03-03T09:30:00.000Z';
    await fixture.renewed(2);
    await fixture.unsubscribed();
    expect(await fixture.kinds()).toEqual(kinds);
  });

  it('is the pause, not the failure that led to it', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined(1, { hard: true });
    expect(await fixture.kinds()).toEqual(['frozen']);
  });

  it('is no failure unrelated to the card', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined(1, { declineCode: 'no_merchant_account' });
    expect(await fixture.kinds()).toEqual([]);
  });

  it('is no end with notifyCustomer false', async () => {
    const fixture = await Fixture.open();
    await fixture.unsubscribed({ notifyCustomer: false });
    expect(await fixture.kinds()).toEqual([]);
  });

  it('is nothing of the sandbox, unless configured', async () => {
    const fixture = await Fixture.open({ sandbox: true });
    fixture.now = DUE;
    await fixture.declined(1);
    fixture.now = '2026-03-03T09:30:00.000Z';
    await fixture.renewed(2);
    await fixture.does({ type: 'Freeze', note: '' });
    await fixture.unsubscribed();
    expect(await fixture.kinds()).toEqual([]);
    fixture.sandbox = true;
    await fixture.outbox.places.forget(MAIL_READER);
    expect(await fixture.kinds()).toEqual(['rebill-failed', 'renewed', 'frozen', 'unsubscribed']);
  });

  it('is queued once, also when the log is read again', async () => {
    const fixture = await Fixture.open();
    await fixture.unsubscribed();
    expect(await fixture.kinds()).toEqual(['unsubscribed']);
    await fixture.outbox.places.forget(MAIL_READER);
    expect(await fixture.kinds()).toEqual(['unsubscribed']);
  });
});

describe('a text of the tenant', () => {
  const TEXTS = [
    ['rebill-failed', '{{notPaid}}, {{nextTry}}', /^12\.50 GBP, \d+\. März 2026, 09:30 GMT$/],
    ['frozen', '{{notPaid}}, {{card}}', /^12\.50 GBP, ending in 4242$/],
    ['renewed', '{{paid}}, {{nextPayment}}', /^12\.50 GBP, \d+\. April 2026, 09:30 GMT$/],
    ['unsubscribed', '{{subscription}}, {{ended}}', /^Plate <of> the month \(3\), 2\. März 2026/],
  ] as const;

  it.each(TEXTS)(
    'of the kind %s is in place of ours, in its language',
    async (kind, text, said) => {
      const fixture = await Fixture.open();
      const own = { kind, subject: `{{company}}: ${kind}`, text: `Hallo,\n\n${text}` };
      await fixture.write(own);
      fixture.now = DUE;
      const happens = {
        'rebill-failed': () => fixture.declined(),
        frozen: () => fixture.declined(1, { hard: true }),
        renewed: () => fixture.renewed(),
        unsubscribed: () => fixture.unsubscribed(),
      };
      await happens[kind]();
      const letter = await fixture.letter(kind);
      expect(letter).toMatchObject({ subject: `Crockery & Sons: ${kind}` });
      expect(linesOf(letter).slice(0, 2)).toEqual(['Hallo,', expect.stringMatching(said)]);
      expect('html' in letter && letter.html).not.toContain('<of>');
      expect('html' in letter && letter.html).toContain('lang="de"');
    },
  );
});

describe('a pause for which the bank wants the customer', () => {
  const LINK = 'https://pay.example/confirm?cycle=2';
  const refused = { declineCode: Subscription.AUTHENTICATION_REQUIRED, hard: true };

  it('is told of with a link', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined(1, refused);
    const letter = await fixture.letter('frozen');
    expect(linesOf(letter).slice(1, 3)).toEqual([
      'The bank of your card wants you to confirm the payment of 12.50 GBP for your subscription to Plate <of> the month. Until then Crockery & Sons has paused it.',
      'The link below leads to your bank. It is good for two weeks, and your subscription goes on once the payment is made.',
    ]);
    expect(linesOf(letter)).toContain(`Confirm the payment: ${LINK}`);
    expect('html' in letter && letter.html).toContain(`<a href="${LINK}"`);
  });

  it('is told of like others where the host has no address', async () => {
    const fixture = await Fixture.open();
    fixture.link = undefined;
    fixture.now = DUE;
    await fixture.declined(1, refused);
    const [, why] = linesOf(await fixture.letter('frozen'));
    expect(why).toContain('It will not be tried again with this card.');
  });

  it.each([
    ['Bitte: {{confirmAt}}', [`Bitte: ${LINK}`]],
    ['Bitte.', ['Bitte.', `Confirm the payment: ${LINK}`]],
  ])('has the link in the text of a tenant too: %s', async (text, lines) => {
    const fixture = await Fixture.open();
    await fixture.write({ kind: 'frozen', subject: 'Pause', text });
    fixture.now = DUE;
    await fixture.declined(1, refused);
    const said = linesOf(await fixture.letter('frozen'));
    expect(said.slice(0, -2)).toEqual(lines);
  });
});

describe('what a mail says', () => {
  it('of a failure: until when it is tried again', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined();
    const letter = await fixture.letter('rebill-failed');
    expect(letter).toMatchObject({
      to: { name: '', address: 'ann@example.com' },
      subject: 'Your payment for Plate <of> the month did not go through',
      html: expect.stringContaining('Plate &lt;of&gt; the month'),
    });
    expect(letter).toMatchObject({ html: expect.stringContaining('Crockery &amp; Sons') });
    expect(linesOf(letter)).toEqual([
      'Hello,',
      'Crockery & Sons could not take the payment of 12.50 GBP for your subscription to Plate <of> the month. It will be tried again on 3 March 2026, 09:30 GMT.',
      'Your subscription goes on meanwhile. Please make sure that the card can be charged on that day.',
      'Subscription: Plate <of> the month (3)',
      'Not paid: 12.50 GBP',
      'Card: ending in 4242',
      'Next try: 3 March 2026, 09:30 GMT',
      '-- ',
      'Crockery & Sons',
    ]);
  });

  it('of a pause: why, and what comes of it', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined(1, { hard: true });
    expect(linesOf(await fixture.letter('frozen'))).toEqual([
      'Hello,',
      'Crockery & Sons could not take the payment of 12.50 GBP for your subscription to Plate <of> the month, so it has been paused. It will not be tried again with this card.',
      'You are not charged while it is paused. Please get in touch with Crockery & Sons if you would like to go on.',
      'Subscription: Plate <of> the month (3)',
      'Paused: 2 March 2026, 09:30 GMT',
      'Not paid: 12.50 GBP',
      'Card: ending in 4242',
      '-- ',
      'Crockery & Sons',
    ]);
  });

  it('of a pause by hand: nothing of a payment', async () => {
    const fixture = await Fixture.open();
    await fixture.does({ type: 'Freeze', note: 'asked for by phone' });
    expect(linesOf(await fixture.letter('frozen'))).toEqual([
      'Hello,',
      'Crockery & Sons has paused your subscription to Plate <of> the month.',
      'You are not charged while it is paused. Please get in touch with Crockery & Sons if you would like to go on.',
      'Subscription: Plate <of> the month (3)',
      'Paused: 31 January 2026, 09:30 GMT',
      '-- ',
      'Crockery & Sons',
    ]);
  });

  it('of a renewal: what was paid, and when the next payment is', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.renewed();
    const letter = await fixture.letter('renewed');
    expect(letter).toMatchObject({
      subject: 'Your receipt from Crockery & Sons: 12.50 GBP for Plate <of> the month',
    });
    expect(linesOf(letter)).toEqual([
      'Hello,',
      'Thank you. Crockery & Sons has received your payment of 12.50 GBP for your subscription to Plate <of> the month.',
      'Subscription: Plate <of> the month (3)',
      'Paid: 12.50 GBP',
      'On: 2 March 2026, 09:30 GMT',
      `Reference: ${id(11)}`,
      'Next payment: 1 April 2026, 09:30 GMT',
      '-- ',
      'Crockery & Sons',
    ]);
  });

  it('of an end: that nothing is charged again', async () => {
    const fixture = await Fixture.open();
    await fixture.unsubscribed();
    expect(linesOf(await fixture.letter('unsubscribed'))).toEqual([
      'Hello,',
      'Your subscription to Plate <of> the month with Crockery & Sons ended on 31 January 2026, 09:30 GMT. You will not be charged for it again.',
      'Subscription: Plate <of> the month (3)',
      'Ended: 31 January 2026, 09:30 GMT',
      '-- ',
      'Crockery & Sons',
    ]);
  });

  it('of an end while a payment is under way: that it may still be taken', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.does({ type: 'BeginRebill', cycle: 2, attempt: 1, transactionId: id(11) });
    await fixture.unsubscribed();
    expect(linesOf(await fixture.letter('unsubscribed'))[2]).toBe(
      'A payment that was already on its way when the subscription ended may still be taken.',
    );
  });
});

describe('what is sent too late', () => {
  it('is not sent: a failure that was made good', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined();
    fixture.now = '2026-03-03T09:30:00.000Z';
    await fixture.renewed(2);
    expect(await fixture.letter('rebill-failed')).toEqual({ nothing: 'outdated' });
  });

  it('is not sent: a failure of a subscription that ended', async () => {
    const fixture = await Fixture.open();
    fixture.now = DUE;
    await fixture.declined();
    await fixture.unsubscribed();
    expect(await fixture.letter('rebill-failed')).toEqual({ nothing: 'outdated' });
  });

  it.each(['Unfreeze', 'Unsubscribe'] as const)('is not sent: a pause before %s', async (then) => {
    const fixture = await Fixture.open();
    await fixture.does({ type: 'Freeze', note: '' });
    if (then === 'Unfreeze') await fixture.does({ type: 'Unfreeze' });
    else await fixture.unsubscribed();
    expect(await fixture.letter('frozen')).toEqual({ nothing: 'outdated' });
  });

  it('is not sent to somebody who was erased', async () => {
    const fixture = await Fixture.open({ email: '' });
    await fixture.unsubscribed();
    expect(await fixture.letter('unsubscribed')).toEqual({ nothing: 'erased' });
  });
});
