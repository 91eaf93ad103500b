/** The mails of one tenant, for one caller: the email service, and what the ledger mails by itself. */
import { Transaction, TransactionId } from '@counterfoil/core';
import { z } from 'zod';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CommandRunner } from '../command-runner.ts';
import { type CallInputs, inputOf } from '../input/checked-calls.ts';
import { spanOfDays } from '../input/texts.ts';
import { type ToldEvent, ToldPayment } from '../input/told-payment.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { type Refusal, Refused, refused } from '../refusal.ts';
import type {
  KeptMails,
  MailFilter,
  MailPlace,
  MailRecord,
  MailStatus,
  OwnedMail,
} from './kept-mails.ts';
import { type Attempt, contentName, type MailContent } from './mail-content.ts';
import { About, MailBatch, MailId, MailInput, MailList, Resend } from './mail-input.ts';
import { MAILED_EVENTS } from './mail-reactor.ts';
import { type MailRoutes, OF_USERS } from './mail-routes.ts';
import type { MailOwner, MailSeal } from './mail-seal.ts';
import type { MailAddress } from './mail-settings.ts';
import type { MailKind } from './outbox.ts';
import type { Resending } from './resending.ts';
import type { Accepted, Preview, Submissions } from './submissions.ts';

const MAX_LIMIT = 100;

/** A mail as it is tracked. Empty texts where nothing is kept of it any more. */
export interface MailView {
  readonly id: string;
  /** `submitted`, or what the ledger mails about by itself. */
  readonly kind: MailKind;
  readonly status: MailStatus;
  /** A code; empty for none. */
  readonly reason: string;
  /** Whether it was handed to no server, and is kept instead. */
  readonly kept: boolean;
  readonly sandbox: boolean;
  readonly from: MailAddress | null;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly bcc: readonly MailAddress[];
  readonly subject: string;
  readonly template: string;
  readonly createdAt: string;
  readonly changedAt: string;
  /** When it is tried next; null once it has ended. */
  readonly nextTryAt: string | null;
  /** The mail that it sends again; null for none. */
  readonly resentFrom: string | null;
  /** The first first. */
  readonly history: readonly Attempt[];
}

export interface MailPage {
  readonly mails: readonly MailView[];
  readonly moreResults: boolean;
  /** For `after` of the next page; absent without mails. */
  readonly end?: MailPlace;
}

/** One of a batch. */
export type BatchResult = Accepted | { readonly refusal: Refusal };

export interface MailServices {
  readonly submissions: Submissions;
  readonly mails: KeptMails;
  readonly seal: MailSeal;
  readonly routes: MailRoutes;
  readonly resending: Resending;
  readonly commands: CommandRunner;
}

export class TenantMails {
  readonly #services: MailServices;
  readonly #acting: Acting;

  constructor(services: MailServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /**
   * Accepted once for each key, whose repetitions are answered with the same mail. Refuses with
   * `MailInvalid`, `SenderUnauthorized` and `MailKeyConflict`.
   */
  async submit(input: MailInput): Promise<Accepted> {
    const [accepted] = await this.#submit([input]);
    if (accepted === undefined || 'refusal' in accepted) {
      throw refused(accepted?.refusal ?? { type: 'MailUnknown' });
    }
    return accepted;
  }

  /** A result for each, in order. */
  async submitBatch(inputs: MailBatch): Promise<readonly BatchResult[]> {
    return this.#submit(inputs);
  }

  /** The input is that of an interface, whose schemas may be wider. */
  async #submit(inputs: MailBatch): Promise<readonly BatchResult[]> {
    const results: BatchResult[] = [];
    const read = inputs.map((input, index) => ({ index, input: readInput(input) }));
    const bySandbox = Map.groupBy(
      read.filter(({ input }) => !(input instanceof Refused)),
      ({ input }) => sandboxOf(this.#acting, (input as Input).sandbox),
    );
    for (const { index, input } of read) {
      if (input instanceof Refused) results[index] = { refusal: input.refusal };
    }
    for (const [sandbox, entries] of bySandbox) {
      const given = entries.map(({ input }) => input as Input);
      const done = await this.#services.submissions.submit(this.#owner(sandbox), given);
      for (const [place, each] of done.entries()) {
        const index = entries[place]?.index ?? 0;
        results[index] = each instanceof Refused ? { refusal: each.refusal } : each;
      }
    }
    return results;
  }

  /** Rendered and not sent. Refuses with `MailInvalid`. */
  async preview(input: MailInput): Promise<Preview> {
    return this.#services.submissions.preview(inputOf(MailInput, input));
  }

  /** Refuses with `MailUnknown`. */
  async get(mailId: string): Promise<MailView> {
    const found = await this.#find(mailId);
    return this.#viewOf(found, found.owner);
  }

  /**
   * Sends it once more, as a new mail with its own history. What the ledger mails by itself is written again;
   * of others what they said has to be kept. Under one key it is sent once. Refuses with `MailUnknown`,
   * `MailNotResendable` and `SenderUnauthorized`.
   */
  async resend(mailId: string, { idempotencyKey }: Resend = {}): Promise<Accepted> {
    return this.#services.resending.resend(await this.#find(mailId), idempotencyKey);
  }

  async #find(mailId: string): Promise<OwnedMail> {
    const found = await this.#services.mails.find(mailId);
    const { tenantId, environment } = this.#acting;
    const isVisible =
      found?.owner.tenantId === tenantId && (environment === 'live' || found.owner.sandbox);
    if (found === undefined || !isVisible) throw refused({ type: 'MailUnknown' });
    return found;
  }

  /**
   * What it says, as long as that is kept: of a mail that has ended only where it failed or was handed to no
   * server. Never of links that sign somebody in. Refuses with `MailUnknown`.
   */
  async body(mailId: string): Promise<MailContent['body']> {
    const { content, kind } = await this.#find(mailId);
    if (content === undefined || OF_USERS.has(kind)) return null;
    return this.#services.seal.open<MailContent>(contentName(mailId), content)?.body ?? null;
  }

  /** The newest first. */
  async list(asked: MailList = {}): Promise<MailPage> {
    const { limit = MAX_LIMIT, after, to, status, kind, needless } = asked;
    const days = spanOfDays(asked);
    const owner = this.#owner(sandboxOf(this.#acting, asked.sandbox));
    const filter: MailFilter = {
      status,
      kind,
      needless,
      recipient: to === undefined ? undefined : this.#services.seal.addressDigest(owner, to),
      from: days.since,
      until: days.until,
    };
    const found = await this.#services.mails.list(owner, filter, { after, limit: limit + 1 });
    const mails = found.slice(0, limit).map((mail) => this.#viewOf(mail, owner));
    const last = mails.at(-1);
    const end = last && { createdAt: last.createdAt, id: last.id };
    return { mails, moreResults: found.length > limit, ...(end && { end }) };
  }

  /**
   * What the ledger mailed about a payment by itself, at most 100, the oldest first. Empty when the tenant
   * has no payment of that id. Mails about its subscription are not among them.
   */
  async ofPayment(paymentId: string): Promise<readonly MailView[]> {
    const { success, data: transactionId } = TransactionId.safeParse(paymentId);
    if (!success) return [];
    const { tenantId } = this.#acting;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const { records, state } = await this.#services.commands.recordedIn(Transaction, stream);
    return state === null ? [] : this.#about(state, records);
  }

  /** As `ofPayment`, of a payment whose story has been read: the log is not read again. */
  async ofStory({ payment, history }: ToldPayment): Promise<readonly MailView[]> {
    return this.#about(payment, history);
  }

  async #about(
    { sandbox, refunds }: ToldPayment['payment'],
    events: readonly Omit<ToldEvent, 'recordedAt'>[],
  ): Promise<readonly MailView[]> {
    // Of a payment only refunds are mailed.
    if (refunds.length === 0 || (this.#acting.environment === 'test' && !sandbox)) return [];
    const asking = events.filter(({ event }) => MAILED_EVENTS.has(event.type)).slice(0, MAX_LIMIT);
    const owner = this.#owner(sandbox);
    const found = await this.#services.mails.ofEvents(
      owner,
      asking.map(({ id }) => id),
    );
    return found.map((mail) => this.#viewOf(mail, owner));
  }

  /** Why nothing that the ledger mails by itself is sent; undefined when it is. */
  async whyNone(data: About = {}): Promise<'no-settings' | 'sandbox' | undefined> {
    const sandbox = sandboxOf(this.#acting, data.sandbox);
    return this.#services.routes.whyNone(this.#owner(sandbox));
  }

  #owner(sandbox: boolean): MailOwner {
    return { tenantId: this.#acting.tenantId, sandbox };
  }

  #viewOf(record: MailRecord, { sandbox }: MailOwner): MailView {
    const { content: sealed, id, kind, status, reason, createdAt, changedAt, dueAt } = record;
    const content =
      sealed === undefined
        ? undefined
        : this.#services.seal.open<MailContent>(contentName(id), sealed);
    const { from = null, to = [], cc = [], bcc = [] } = content ?? {};
    const { subject = '', template = '', history = [], resentFrom = null } = content ?? {};
    return {
      ...{ id, kind, status, reason, kept: reason === 'kept', sandbox },
      ...{ from, to, cc, bcc, subject, template, createdAt, changedAt, nextTryAt: dueAt, history },
      resentFrom,
    };
  }
}

type Input = z.output<typeof MailInput>;

function readInput(given: MailInput): Input | Refused {
  try {
    return inputOf(MailInput, given);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

export const MAIL_INPUTS: CallInputs<TenantMails> = {
  submit: [MailInput],
  submitBatch: [MailBatch],
  preview: [MailInput],
  get: [MailId],
  body: [MailId],
  resend: [MailId, Resend.optional()],
  list: [MailList.optional()],
  ofPayment: [z.string()],
  ofStory: [ToldPayment],
  whyNone: [About.optional()],
};

export const MAIL_CALLS: RecordedCalls<TenantMails> = {
  submit: made,
  submitBatch: () => undefined,
  resend: named,
};
