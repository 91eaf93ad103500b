/** Follows the log and queues mails in the outbox. */
import {
  DamagedEvent,
  type Event,
  type Position,
  type StoredEvent,
  Subscription,
  Tenant,
  type TenantId,
  Transaction,
} from '@counterfoil/core';
import type { CommandRunner } from '../command-runner.ts';
import { type Following, followLog } from '../runtime/log-follower.ts';
import { type AskedMail, MAIL_READER, type MailKind, type Outbox } from './outbox.ts';

/** The events that may ask for a mail. */
const KIND_OF = {
  Refunded: 'refunded',
  SubscriptionUnsubscribed: 'unsubscribed',
  RebillFailed: 'rebill-failed',
  SubscriptionFrozen: 'frozen',
  SubscriptionRenewed: 'renewed',
  UserInvited: 'invited',
  PasswordResetRequested: 'password-reset',
} as const satisfies Partial<Record<Event['type'], MailKind>>;

const TYPES: ReadonlySet<Event['type']> = new Set(Object.keys(KIND_OF) as (keyof typeof KIND_OF)[]);

export interface MailReactorOptions extends Omit<Following, 'checkpoints'> {
  readonly commands: CommandRunner;
  readonly outbox: Outbox;
  /** Whether mails are sent for sandbox data. */
  readonly sandbox: boolean;
  /** The head of the log when the host started: events before the first start are not mailed. */
  readonly headAtStart: Position | undefined;
}

/**
 * Follows the log until `signal` fires. Idempotent: the outbox ignores a mail that it already has.
 */
export function followForMails(options: MailReactorOptions): Promise<void> {
  const { commands, outbox, headAtStart, sandbox: _, ...following } = options;
  return followLog({
    ...following,
    name: MAIL_READER,
    checkpoints: outbox.places,
    types: TYPES,
    firstAfter: headAtStart,
    async react(batch) {
      const asked: AskedMail[] = [];
      for (const stored of batch) {
        const kind = await kindAskedBy(options, stored);
        if (kind === undefined) continue;
        const { id: eventId, tenantId, stream, revision, time: recordedAt } = stored;
        asked.push({ eventId, kind, tenantId, stream, revision, recordedAt });
      }
      if (asked.length > 0) await outbox.queue(asked, commands.clock.now());
    },
  });
}

/** Undefined when no mail is due. A stream that cannot be read does not block the others. */
async function kindAskedBy(
  options: MailReactorOptions,
  stored: StoredEvent,
): Promise<MailKind | undefined> {
  try {
    const event = await options.commands.eventOf(stored);
    const isAsked = await asksForMail(options, stored, event);
    return isAsked ? KIND_OF[event.type as keyof typeof KIND_OF] : undefined;
  } catch (error) {
    if (!(error instanceof DamagedEvent)) throw error;
    const { stream, id } = stored;
    options.logger.error({ err: error, stream, event: id }, 'the event of a mail cannot be read');
    return undefined;
  }
}

async function asksForMail(
  options: MailReactorOptions,
  { stream, tenantId }: StoredEvent,
  event: Event,
): Promise<boolean> {
  const { commands, sandbox } = options;
  switch (event.type) {
    case 'Refunded': {
      if (event.sandbox && !sandbox) return false;
      const payment = await commands.stateOf(Transaction, stream);
      const refund = payment?.refunds.find(({ refundId }) => refundId === event.refundId);
      return refund?.notifyCustomer === true;
    }
    case 'SubscriptionUnsubscribed':
      return event.notifyCustomer && (sandbox || !event.sandbox);
    case 'SubscriptionRenewed':
    case 'SubscriptionFrozen':
      if (event.sandbox && !sandbox) return false;
      return isInPolicy(commands, tenantId, KIND_OF[event.type]);
    case 'RebillFailed': {
      // Without a retry, the event that follows is mailed instead.
      if (event.retryAt === null || !Subscription.wasAsked(event)) return false;
      if (!(await isInPolicy(commands, tenantId, 'rebill-failed'))) return false;
      const subscription = await commands.stateOf(Subscription, stream);
      return subscription !== null && (sandbox || !subscription.sandbox);
    }
    case 'UserInvited':
    case 'PasswordResetRequested':
      return true;
    default:
      return false;
  }
}

/** Whether the tenant's dunning policy includes this mail. */
async function isInPolicy(
  commands: CommandRunner,
  tenantId: TenantId,
  mail: Tenant.Dunning['mails'][number],
): Promise<boolean> {
  const tenant = await commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
  return tenant?.settings.dunning.mails.includes(mail) ?? false;
}
