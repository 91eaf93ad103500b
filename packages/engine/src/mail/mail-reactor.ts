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
import type { MailOwner } from './mail-seal.ts';
import type { AskedMail, MailKind, Outbox } from './outbox.ts';

/** What the mail of an event is about. */
const KIND_OF = {
  Refunded: 'refunded',
  SubscriptionUnsubscribed: 'unsubscribed',
  RebillFailed: 'rebill-failed',
  SubscriptionFrozen: 'frozen',
  SubscriptionRenewed: 'renewed',
  UserInvited: 'invited',
  UserReinvited: 'invited',
  PasswordResetRequested: 'password-reset',
} as const satisfies Partial<Record<Event['type'], MailKind>>;

/** The events that may ask for a mail. */
export const MAILED_EVENTS: ReadonlySet<Event['type']> = new Set(
  Object.keys(KIND_OF) as (keyof typeof KIND_OF)[],
);

export interface MailReactorOptions extends Omit<Following, 'checkpoints'> {
  readonly commands: CommandRunner;
  readonly outbox: Outbox;
  /** Whether mails about these data are sent, or kept to be shown. */
  readonly takes: (owner: MailOwner, kind: MailKind) => Promise<'send' | 'keep' | undefined>;
  /** The name of its checkpoint. */
  readonly reader: string;
  /** The head of the log when the host started: events before the first start are not mailed. */
  readonly headAtStart: Position | undefined;
}

/**
 * Follows the log until `signal` fires. Idempotent: the outbox ignores a mail that it already has.
 */
export function followForMails(options: MailReactorOptions): Promise<void> {
  const { commands, outbox, headAtStart, takes: _, reader, ...following } = options;
  return followLog({
    ...following,
    name: reader,
    checkpoints: outbox.places,
    types: MAILED_EVENTS,
    firstAfter: headAtStart,
    async react(batch) {
      const asked: AskedMail[] = [];
      for (const stored of batch) {
        const found = await askedBy(options, stored);
        if (found === undefined) continue;
        const { id: eventId, tenantId, stream, revision, time: recordedAt } = stored;
        asked.push({ eventId, ...found, tenantId, stream, revision, recordedAt });
      }
      if (asked.length > 0) await outbox.queue(asked, commands.clock.now());
    },
  });
}

type Found = Pick<AskedMail, 'kind' | 'sandbox' | 'kept'>;

/** Undefined when no mail is due. A stream that cannot be read does not block the others. */
async function askedBy(
  options: MailReactorOptions,
  stored: StoredEvent,
): Promise<Found | undefined> {
  try {
    const event = await options.commands.eventOf(stored);
    const sandbox = await sandboxOfAsked(options.commands, stored, event);
    if (sandbox === undefined) return undefined;
    const kind = KIND_OF[event.type as keyof typeof KIND_OF];
    const taken = await options.takes({ tenantId: stored.tenantId, sandbox }, kind);
    return taken && { kind, sandbox, kept: taken === 'keep' };
  } catch (error) {
    if (!(error instanceof DamagedEvent)) throw error;
    const { stream, id } = stored;
    options.logger.error({ err: error, stream, event: id }, 'the event of a mail cannot be read');
    return undefined;
  }
}

/** Whether the mail that an event asks for is about sandbox data; undefined where it asks for none. */
async function sandboxOfAsked(
  commands: CommandRunner,
  { stream, tenantId }: StoredEvent,
  event: Event,
): Promise<boolean | undefined> {
  switch (event.type) {
    case 'Refunded': {
      const payment = await commands.stateOf(Transaction, stream);
      const refund = payment?.refunds.find(({ refundId }) => refundId === event.refundId);
      return refund?.notifyCustomer === true ? event.sandbox : undefined;
    }
    case 'SubscriptionUnsubscribed':
      return event.notifyCustomer ? event.sandbox : undefined;
    case 'SubscriptionRenewed':
    case 'SubscriptionFrozen':
      return (await isInPolicy(commands, tenantId, KIND_OF[event.type]))
        ? event.sandbox
        : undefined;
    case 'RebillFailed': {
      // Without a retry, the event that follows is mailed instead.
      if (event.retryAt === null || !Subscription.wasAsked(event)) return undefined;
      if (!(await isInPolicy(commands, tenantId, 'rebill-failed'))) return undefined;
      return (await commands.stateOf(Subscription, stream))?.sandbox;
    }
    case 'UserInvited':
    case 'UserReinvited':
    case 'PasswordResetRequested':
      return false;
    default:
      return undefined;
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
