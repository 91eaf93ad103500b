/** Sends a mail again that has ended: as a new one, with a history of its own. */
import { uuidV7 } from '../ids.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SenderDomains } from '../sender-domains/index.ts';
import type { KeptMails, OwnedMail } from './kept-mails.ts';
import type { Letters } from './letters.ts';
import { contentName, type MailContent, recipientsOf } from './mail-content.ts';
import { type MailRoutes, OF_USERS } from './mail-routes.ts';
import type { MailSeal } from './mail-seal.ts';
import { hasOwnContent } from './outbox.ts';
import type { ResendFault } from './refusals.ts';
import { type Accepted, KEY_MS } from './submissions.ts';
import type { Suppressions } from './suppressions.ts';

export interface ResendingOptions {
  readonly mails: Pick<KeptMails, 'submit' | 'named'>;
  readonly letters: Pick<Letters, 'letterOf'>;
  readonly routes: Pick<MailRoutes, 'keeps' | 'senderOf'>;
  readonly senderDomains: Pick<SenderDomains, 'senderOf'>;
  readonly suppressions: Pick<Suppressions, 'among'>;
  readonly seal: MailSeal;
  readonly clock: Clock;
}

export class Resending {
  readonly #options: ResendingOptions;

  constructor(options: ResendingOptions) {
    this.#options = options;
  }

  /** Once for each key, which is good for 7 days. Refuses with `MailNotResendable`. */
  async resend(mail: OwnedMail, key: string | undefined): Promise<Accepted> {
    const { mails, routes, seal, clock } = this.#options;
    const { id: resentFrom, kind, owner } = mail;
    const id = uuidV7();
    const now = clock.now();
    const keyDigest = seal.keyDigest(owner, JSON.stringify(['resend', resentFrom, key ?? id]));
    const before = key === undefined ? undefined : await mails.named(keyDigest, now);
    if (before !== undefined) return { id: before.id, status: before.status, deduplicated: true };
    const content = await this.#checked(mail, await this.#contentOf(mail));
    const row = {
      ...{ id, kind, owner, keyDigest },
      contentDigest: seal.contentDigest(owner, resentFrom),
      keyUntil: new Date(Date.parse(now) + KEY_MS).toISOString(),
      content: seal.seal(contentName(id), content),
      kept: await routes.keeps(owner),
      recipients: content.open.map((address) => seal.addressDigest(owner, address)),
    };
    const made = (await mails.submit([row], now)).get(keyDigest);
    if (made === undefined) throw new Error('a mail that is sent again was not kept');
    return { id: made.id, status: made.status, deduplicated: made.id !== id };
  }

  async #contentOf(mail: OwnedMail): Promise<MailContent> {
    const { seal } = this.#options;
    const { id, kind, status, content: sealed } = mail;
    if (OF_USERS.has(kind)) throw notResendable('sign-in');
    if (status !== 'sent' && status !== 'failed') throw notResendable('not-ended');
    const kept = sealed === undefined ? undefined : seal.open<MailContent>(contentName(id), sealed);
    if (kept === undefined && hasOwnContent(mail)) throw notResendable('erased');
    if (kept === undefined || kept.body === null) return this.#written(mail, kept);
    // One that no server got has them already.
    const isLinked = kept.headers.some(([name]) => name === 'List-Unsubscribe');
    return fresh(mail, { ...kept, listUnsubscribe: kept.listUnsubscribe && !isLinked });
  }

  /** What the ledger mails by itself, from its event and the state of now. */
  async #written(mail: OwnedMail, kept: MailContent | undefined): Promise<MailContent> {
    if (hasOwnContent(mail)) throw notResendable('not-kept');
    const { letters, routes } = this.#options;
    const { id: eventId, kind, owner, stream, revision, createdAt: recordedAt } = mail;
    const asked = { eventId, kind, ...owner, stream, revision, recordedAt };
    const letter = await letters.letterOf(asked);
    if ('nothing' in letter) throw notResendable(letter.nothing);
    const from = (await routes.senderOf(owner.tenantId)) ?? kept?.from;
    if (from === undefined) throw notResendable('no-sender');
    const { to, subject, text, html } = letter;
    return fresh(mail, {
      ...{ from, to: [to], cc: [], bcc: [], replyTo: null, subject, body: { text, html } },
      ...{ headers: [], listUnsubscribe: false, template: kind },
    });
  }

  async #checked({ owner, kind }: OwnedMail, content: MailContent): Promise<MailContent> {
    const { suppressions, senderDomains } = this.#options;
    const stopped = await suppressions.among(owner, content.open, kind);
    if (stopped.size === content.open.length) throw notResendable('suppressed');
    const isOwn = kind === 'submitted';
    if (isOwn && !(await senderDomains.senderOf(owner.tenantId, content.from.address))) {
      throw refused({ type: 'SenderUnauthorized' });
    }
    return content;
  }
}

type Said = Omit<MailContent, 'open' | 'delivered' | 'history' | 'resentFrom'>;

function fresh({ id: resentFrom }: OwnedMail, said: Said): MailContent {
  return { ...said, open: recipientsOf(said), delivered: false, history: [], resentFrom };
}

function notResendable(reason: ResendFault) {
  return refused({ type: 'MailNotResendable', reason });
}
