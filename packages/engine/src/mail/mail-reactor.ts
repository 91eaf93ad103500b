/** Follows the log and puts into the outbox what its events ask to be mailed. */
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
} as const satisfies Partial<Record<Event['type'], MailKind>>;

const TYPES: ReadonlySet<Event['type']> = new Set(Object.keys(KIND_OF) as (keyof typeof KIND_OF)[]);

export interface MailReactorOptions extends Omit<Following, 'checkpoints'> {
  readonly commands: CommandRunner;
  readonly outbox: Outbox;
  /** Whether events about sandbox data are mailed. */
  readonly sandbox: boolean;
  /** The end of the log when the host started: what was recorded before the first start is not mailed. */
  readonly headAtStart: Position | undefined;
}

/**
 * Follows the log to the end of `signal`. An event that is read twice asks for the same mail, which
 * the outbox knows already.
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

/** Undefined when nothing is to be mailed. A stream that cannot be read holds up no other. */
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
    options.logger.error({ err: error, stream, event: id }, 'a mail cannot be made out');
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
      return tells(commands, tenantId, KIND_OF[event.type]);
    case 'RebillFailed': {
      // When it is not tried again, what happened instead is told.
      if (event.retryAt === null || !Subscription.wasAsked(event)) return false;
      if (!(await tells(commands, tenantId, 'rebill-failed'))) return false;
      const subscription = await commands.stateOf(Subscription, stream);
      return subscription !== null && (sandbox || !subscription.sandbox);
    }
    default:
      return false;
  }
}

/** Whether the tenant's dunning policy has its customers told of this. */
async function tells(
  commands: CommandRunner,
  tenantId: TenantId,
  mail: Tenant.Dunning['mails'][number],
): Promise<boolean> {
  const tenant = await commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
  return tenant?.settings.dunning.mails.includes(mail) ?? false;
}
