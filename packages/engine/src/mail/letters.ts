/** The content and recipient of a mail, from the current state of its stream at sending. */
import {
  type Event,
  type EventStore,
  isEmail,
  MailProfile,
  Subscription,
  Tenant,
  type TenantId,
  Transaction,
  type TransactionId,
  toDecimal,
  Users,
} from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import type { AuthenticationLinks } from '../subscriptions/index.ts';
import type { References } from '../tenants/index.ts';
import type { SignIns } from '../users/index.ts';
import type { MailAddress } from './mail-settings.ts';
import type { AskedMail } from './outbox.ts';
import {
  type Button,
  type Facts,
  inOneLine,
  mailTemplates,
  type Parts,
  type Row,
  type Templates,
} from './templates.ts';

export interface Letter extends Parts {
  readonly to: MailAddress;
}

/** Why nothing is sent: the person was erased, has no address, or the mail is outdated. */
export interface NoLetter {
  readonly nothing: 'erased' | 'no-address' | 'outdated';
}

/** Of the console. */
const WELCOME_PATH = '/console/welcome';

export interface LettersOptions {
  readonly commands: CommandRunner;
  readonly events: EventStore;
  readonly references: References;
  readonly signIns: Pick<SignIns, 'link'>;
  readonly authenticationLinks: Pick<AuthenticationLinks, 'urlOf'>;
  /** Where the host's pages are, if that is known. */
  readonly publicUrl?: string | undefined;
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

interface Asked {
  readonly mail: AskedMail;
  readonly profile: MailProfile.State;
}

/** The current state of the subscription. */
interface Subject {
  readonly moment: Moment;
  readonly subscription: Subscription.Subscription;
  /** The payment of the event; null when there is none. */
  readonly payment: Transaction.Payment | null;
  /** Where the customer authenticates the cycle that is unpaid, where the host has an address. */
  readonly authenticationUrl: () => string | undefined;
}

interface Contents {
  readonly facts: Readonly<Record<string, string | boolean>>;
  readonly rows: readonly Row[];
  readonly button?: Button | undefined;
}

/** An instant as a reader of the tenant's language writes it. */
export type Moment = (instant: string) => string;

const OUTDATED: NoLetter = { nothing: 'outdated' };

export class Letters {
  readonly #options: LettersOptions;
  readonly #templates: Templates = mailTemplates();

  constructor(options: LettersOptions) {
    this.#options = options;
  }

  /** Throws when the log does not hold the event of the mail. */
  async letterOf(mail: AskedMail): Promise<Letter | NoLetter> {
    const { stream, revision, eventId } = mail;
    const [stored] = await this.#options.events.read(stream, { from: revision, limit: 1 });
    if (stored?.id !== eventId) throw new Error(`${stream} has no event ${eventId}`);
    const event = await this.#options.commands.eventOf(stored);
    const profile = await this.#options.commands.stateOf(
      MailProfile,
      MailProfile.streamOf({ tenantId: mail.tenantId }),
    );
    const asked = { mail, profile };
    switch (event.type) {
      case 'Refunded':
        return this.#refunded(asked, event);
      case 'SubscriptionUnsubscribed':
      case 'SubscriptionFrozen':
      case 'SubscriptionRenewed':
      case 'RebillFailed':
        return this.#ofSubscription(asked, event);
      case 'UserInvited':
      case 'UserReinvited':
      case 'PasswordResetRequested':
        return this.#toUser(asked, event);
      default:
        throw new Error(`nothing is mailed about ${event.type}`);
    }
  }

  async #refunded(asked: Asked, event: EventOf<'Refunded'>): Promise<Letter | NoLetter> {
    const { mail, profile } = asked;
    const moment = momentIn(profile.language);
    const payment = await this.#options.commands.stateOf(Transaction, mail.stream);
    if (payment === null) throw new Error(`${mail.stream} holds no payment`);
    const { currency, companyId, firstName, lastName } = payment;
    const paidAmount = money(Transaction.takenMinor(payment), currency);
    const amount = money(event.amountMinor, currency);
    const refund = payment.refunds.find(({ refundId }) => refundId === event.refundId);
    const isLate = refund?.reason === 'late-capture';
    return this.#letter(asked, {
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

  async #ofSubscription(asked: Asked, event: SubscriptionEvent): Promise<Letter | NoLetter> {
    const { commands } = this.#options;
    const { tenantId, stream } = asked.mail;
    const subscription = await commands.stateOf(Subscription, stream);
    if (subscription === null) throw new Error(`${stream} holds no subscription`);
    const first = await this.#payment(tenantId, subscription.transactionId);
    const payment =
      'transactionId' in event ? await this.#payment(tenantId, event.transactionId) : null;
    const moment = momentIn(asked.profile.language);
    const { subscriptionId, cycle } = subscription;
    const authenticationUrl = () =>
      this.#options.authenticationLinks.urlOf({ tenantId, subscriptionId, cycle });
    const contents = contentsOf(event, { subscription, payment, moment, authenticationUrl });
    if ('nothing' in contents) return contents;
    const plan = subscription.name;
    return this.#letter(asked, {
      companyId: subscription.companyId,
      // The name is in the order; the subscription has only the address.
      person: {
        email: subscription.email,
        firstName: first?.firstName ?? '',
        lastName: first?.lastName ?? '',
      },
      facts: { plan, ...contents.facts },
      rows: [['Subscription', `${plan} (${subscriptionId})`], ...contents.rows],
      button: contents.button,
    });
  }

  /**
   * The token is made when the mail is written, so that it is kept nowhere: a mail that is sent again has
   * another one, and the one before is void.
   */
  async #toUser(
    { mail: { tenantId, stream, kind }, profile }: Asked,
    { type, userId }: EventOf<'UserInvited' | 'UserReinvited' | 'PasswordResetRequested'>,
  ): Promise<Letter | NoLetter> {
    const { commands, signIns, publicUrl } = this.#options;
    const user = (await commands.stateOf(Users, stream)).users.get(userId);
    const isInvitation = type !== 'PasswordResetRequested';
    if (user === undefined || (isInvitation && user.status !== 'invited')) return OUTDATED;
    const tenant = await commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
    const purpose = isInvitation ? 'invitation' : 'reset';
    const token = await signIns.link({ tenantId, userId }, purpose);
    const company = tenant?.name ?? '';
    const firstName = inOneLine(user.name);
    const facts = { company, firstName };
    const parts = this.#templates.ofKind(kind, {
      ...asWritten(profile, kind),
      facts,
      rows: [['Code', token]],
      ...(publicUrl !== undefined && {
        button: { label: 'Set your password', url: `${publicUrl}${WELCOME_PATH}?token=${token}` },
      }),
    });
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
    { mail: { tenantId, kind }, profile }: Asked,
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
    const facts: Facts = { ...about.facts, company, firstName };
    const { rows, button } = about;
    const parts = this.#templates.ofKind(kind, {
      ...asWritten(profile, kind),
      ...(button !== undefined && { button }),
      facts,
      rows,
    });
    return { ...parts, to: { name: inOneLine(`${firstName} ${lastName}`), address: email } };
  }
}

/** The language of a tenant's mails, and its own text for one of this kind. */
function asWritten(profile: MailProfile.State, kind: AskedMail['kind']) {
  return { language: profile.language, own: MailProfile.textOf(profile, kind) };
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
  { subscription: { pending }, moment }: Subject,
): Contents {
  const isCharging = pending !== null && pending.begunAt <= at;
  return { facts: { at: moment(at), isCharging }, rows: [['Ended', moment(at)]] };
}

function frozen(
  { at, reason }: EventOf<'SubscriptionFrozen'>,
  { subscription, moment, authenticationUrl }: Subject,
): Contents | NoLetter {
  const { frozenAt, unsubscribedAt, rebillAmountMinor, currency } = subscription;
  if (frozenAt !== at || unsubscribedAt !== null) return OUTDATED;
  const amount = money(rebillAmountMinor, currency);
  const isUnpaid = reason !== 'admin';
  const unpaid: Row[] = [['Not paid', amount], ...cardRows(subscription.card)];
  const url = reason === 'authentication-required' ? authenticationUrl() : undefined;
  return {
    facts: { isUnpaid, needsCustomer: url !== undefined, amount, confirmAt: url ?? '' },
    rows: [['Paused', moment(at)], ...(isUnpaid ? unpaid : [])],
    button: url === undefined ? undefined : { label: 'Confirm the payment', url },
  };
}

function renewed(
  { amountMinor, currency, at, transactionId }: EventOf<'SubscriptionRenewed'>,
  { subscription, payment, moment }: Subject,
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
  { subscription, payment, moment }: Subject,
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

const moments = new Map<string, Moment>();
/** There are some hundred languages. */
const MAX_MOMENTS = 1_000;

export function momentIn(language: string): Moment {
  let moment = moments.get(language);
  if (moment === undefined) {
    const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'GMT' });
    const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'GMT' });
    moment = (instant) => {
      const at = new Date(instant);
      return `${date.format(at)}, ${time.format(at)} GMT`;
    };
    if (moments.size < MAX_MOMENTS) moments.set(language, moment);
  }
  return moment;
}
