/** The content and recipient of a mail, from the current state of its stream at sending. */
import {
  type Event,
  type EventStore,
  isEmail,
  Subscription,
  Tenant,
  type TenantId,
  Transaction,
  type TransactionId,
  toDecimal,
  Users,
} from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import type { References } from '../tenants/index.ts';
import type { SignIns } from '../users/index.ts';
import type { MailAddress } from './mail-settings.ts';
import type { AskedMail } from './outbox.ts';
import { inOneLine, mailTemplates, type Parts, type Render, type Row } from './templates.ts';

export interface Letter extends Parts {
  readonly to: MailAddress;
}

/** Why nothing is sent: the person was erased, has no address, or the mail is outdated. */
export interface NoLetter {
  readonly nothing: 'erased' | 'no-address' | 'outdated';
}

export interface LettersOptions {
  readonly commands: CommandRunner;
  readonly events: EventStore;
  readonly references: References;
  readonly signIns: Pick<SignIns, 'link'>;
}

type SubscriptionEvent = Extract<
  Event,
  {
    type:
      | 'SubscriptionUnsubscribed'
      | 'SubscriptionFrozen'
      | 'SubscriptionRenewed'
      | 'RebillFailed';
  }
>;
type EventOf<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** The current state of the subscription. */
interface Subject {
  readonly subscription: Subscription.Subscription;
  /** The payment of the event; null when there is none. */
  readonly payment: Transaction.Payment | null;
}

interface Contents {
  readonly facts: Readonly<Record<string, string | boolean>>;
  readonly rows: readonly Row[];
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'GMT' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'GMT' });

const OUTDATED: NoLetter = { nothing: 'outdated' };

export class Letters {
  readonly #options: LettersOptions;
  readonly #render: Render = mailTemplates();

  constructor(options: LettersOptions) {
    this.#options = options;
  }

  /** Throws when the log does not hold the event of the mail. */
  async letterOf(mail: AskedMail): Promise<Letter | NoLetter> {
    const { stream, revision, eventId } = mail;
    const [stored] = await this.#options.events.read(stream, { from: revision, limit: 1 });
    if (stored?.id !== eventId) throw new Error(`${stream} has no event ${eventId}`);
    const event = await this.#options.commands.eventOf(stored);
    switch (event.type) {
      case 'Refunded':
        return this.#refunded(mail, event);
      case 'SubscriptionUnsubscribed':
      case 'SubscriptionFrozen':
      case 'SubscriptionRenewed':
      case 'RebillFailed':
        return this.#ofSubscription(mail, event);
      case 'UserInvited':
      case 'PasswordResetRequested':
        return this.#toUser(mail, event);
      default:
        throw new Error(`nothing is mailed about ${event.type}`);
    }
  }

  async #refunded(mail: AskedMail, event: EventOf<'Refunded'>): Promise<Letter | NoLetter> {
    const payment = await this.#options.commands.stateOf(Transaction, mail.stream);
    if (payment === null) throw new Error(`${mail.stream} holds no payment`);
    const { currency, companyId, firstName, lastName } = payment;
    const paidAmount = money(Transaction.takenMinor(payment), currency);
    const amount = money(event.amountMinor, currency);
    const refund = payment.refunds.find(({ refundId }) => refundId === event.refundId);
    const isLate = refund?.reason === 'late-capture';
    return this.#letter(mail, {
      companyId,
      person: { email: payment.email, firstName, lastName },
      facts: { amount, paidAmount, isLate },
      rows: [
        ['Refunded', amount],
        ['On', moment(event.at)],
        ['Paid', `${paidAmount} on ${moment(payment.capturedAt ?? payment.submittedAt)}`],
        ['Order', String(payment.orderId)],
        ...cardRows(payment.card),
        ...statementRows(payment),
        ['Reference', event.refundId],
      ],
    });
  }

  async #ofSubscription(mail: AskedMail, event: SubscriptionEvent): Promise<Letter | NoLetter> {
    const { commands } = this.#options;
    const { tenantId, stream } = mail;
    const subscription = await commands.stateOf(Subscription, stream);
    if (subscription === null) throw new Error(`${stream} holds no subscription`);
    const first = await this.#payment(tenantId, subscription.transactionId);
    const payment =
      'transactionId' in event ? await this.#payment(tenantId, event.transactionId) : null;
    const contents = contentsOf(event, { subscription, payment });
    if ('nothing' in contents) return contents;
    const plan = subscription.name;
    return this.#letter(mail, {
      companyId: subscription.companyId,
      // The name is in the order; the subscription has only the address.
      person: {
        email: subscription.email,
        firstName: first?.firstName ?? '',
        lastName: first?.lastName ?? '',
      },
      facts: { plan, ...contents.facts },
      rows: [['Subscription', `${plan} (${subscription.subscriptionId})`], ...contents.rows],
    });
  }

  /**
   * The token is made when the mail is written, so that it is kept nowhere: a mail that is sent again has
   * another one, and the one before is void.
   */
  async #toUser(
    { tenantId, stream, kind }: AskedMail,
    { type, userId }: EventOf<'UserInvited' | 'PasswordResetRequested'>,
  ): Promise<Letter | NoLetter> {
    const { commands, signIns } = this.#options;
    const user = (await commands.stateOf(Users, stream)).users.get(userId);
    const isInvitation = type === 'UserInvited';
    if (user === undefined || (isInvitation && user.status !== 'invited')) return OUTDATED;
    const tenant = await commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
    const purpose = isInvitation ? 'invitation' : 'reset';
    const token = await signIns.link({ tenantId, userId }, purpose);
    const company = tenant?.name ?? '';
    const firstName = inOneLine(user.name);
    const parts = this.#render(kind, { company, firstName }, [['Code', token]]);
    return { ...parts, to: { name: firstName, address: user.email } };
  }

  async #payment(
    tenantId: TenantId,
    transactionId: TransactionId,
  ): Promise<Transaction.Payment | null> {
    const stream = Transaction.streamOf({ tenantId, transactionId });
    return this.#options.commands.stateOf(Transaction, stream);
  }

  async #letter(
    { tenantId, kind }: AskedMail,
    about: Contents & {
      readonly companyId: number;
      readonly person: { email: string; firstName: string; lastName: string };
    },
  ): Promise<Letter | NoLetter> {
    const { email, lastName } = about.person;
    if (email === '') return { nothing: 'erased' };
    if (!isEmail(email)) return { nothing: 'no-address' };
    const firstName = inOneLine(about.person.firstName);
    const company = await this.#options.references.companyNameOf(tenantId, about.companyId);
    const parts = this.#render(kind, { ...about.facts, company, firstName }, about.rows);
    return { ...parts, to: { name: inOneLine(`${firstName} ${lastName}`), address: email } };
  }
}

function contentsOf(event: SubscriptionEvent, subject: Subject): Contents | NoLetter {
  switch (event.type) {
    case 'SubscriptionUnsubscribed':
      return unsubscribed(event, subject);
    case 'SubscriptionFrozen':
      return frozen(event, subject);
    case 'SubscriptionRenewed':
      return renewed(event, subject);
    case 'RebillFailed':
      return rebillFailed(event, subject);
  }
}

function unsubscribed(
  { at }: EventOf<'SubscriptionUnsubscribed'>,
  { subscription: { pending } }: Subject,
): Contents {
  const isCharging = pending !== null && pending.begunAt <= at;
  return { facts: { at: moment(at), isCharging }, rows: [['Ended', moment(at)]] };
}

function frozen(
  { at, reason }: EventOf<'SubscriptionFrozen'>,
  { subscription }: Subject,
): Contents | NoLetter {
  const { frozenAt, unsubscribedAt, rebillAmountMinor, currency } = subscription;
  if (frozenAt !== at || unsubscribedAt !== null) return OUTDATED;
  const amount = money(rebillAmountMinor, currency);
  const isUnpaid = reason !== 'admin';
  const unpaid: Row[] = [['Not paid', amount], ...cardRows(subscription.card)];
  return {
    facts: { isUnpaid, amount },
    rows: [['Paused', moment(at)], ...(isUnpaid ? unpaid : [])],
  };
}

function renewed(
  { amountMinor, currency, at, transactionId }: EventOf<'SubscriptionRenewed'>,
  { subscription, payment }: Subject,
): Contents {
  const amount = money(amountMinor, currency);
  const { rebillAt } = subscription;
  return {
    facts: { amount },
    rows: [
      ['Paid', amount],
      ['On', moment(at)],
      ...cardRows(payment?.card ?? null),
      ...(payment === null ? [] : statementRows(payment)),
      ['Reference', transactionId],
      ...(rebillAt === null ? [] : [['Next payment', moment(rebillAt)] as const]),
    ],
  };
}

function rebillFailed(
  { retryAt }: EventOf<'RebillFailed'>,
  { subscription, payment }: Subject,
): Contents | NoLetter {
  // Paid, frozen, ended or rescheduled meanwhile: there is no retry on that day.
  if (retryAt === null || subscription.rebillAt !== retryAt) return OUTDATED;
  const { currency, rebillAmountMinor } = subscription;
  const amount = money(payment?.amountMinor ?? rebillAmountMinor, currency);
  return {
    facts: { amount, retryAt: moment(retryAt) },
    rows: [
      ['Not paid', amount],
      ...cardRows(payment?.card ?? subscription.card),
      ['Next try', moment(retryAt)],
    ],
  };
}

function cardRows(card: Transaction.Card | null): readonly Row[] {
  return card === null || card.last4 === '' ? [] : [['Card', `ending in ${card.last4}`]];
}

/** The descriptor on the customer's card statement. */
function statementRows(payment: Transaction.Payment): readonly Row[] {
  const route = Transaction.routeOf(payment);
  return route === undefined ? [] : [['On your statement as', route.descriptor]];
}

function money(minor: bigint, currency: string): string {
  return `${toDecimal(minor, currency)} ${currency}`;
}

function moment(instant: string): string {
  const at = new Date(instant);
  return `${DATE.format(at)}, ${TIME.format(at)} GMT`;
}
