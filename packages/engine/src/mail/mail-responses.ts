/** What the readers of mails do: they unsubscribe, and where it is tracked they open mails and follow links. */
import type { Clock } from '../runtime/clock.ts';
import type { KeptMails } from './kept-mails.ts';
import { type Attempt, contentName, type MailContent } from './mail-content.ts';
import type { MailLinks } from './mail-links.ts';
import type { MailRoutes } from './mail-routes.ts';
import type { MailSeal } from './mail-seal.ts';
import type { Suppressions } from './suppressions.ts';

/** Robots open mails too. */
const MAX_HISTORY = 100;
/** Two readers at the same time. */
const MAX_ROUNDS = 5;

export interface MailResponsesOptions {
  readonly links: MailLinks;
  readonly mails: KeptMails;
  readonly suppressions: Suppressions;
  readonly routes: Pick<MailRoutes, 'profileOf'>;
  readonly seal: MailSeal;
  readonly clock: Clock;
}

export class MailResponses {
  readonly #options: MailResponsesOptions;

  constructor(options: MailResponsesOptions) {
    this.#options = options;
  }

  /** The address that a token would unsubscribe; undefined for a token that was not made here. */
  subscriber(token: string): string | undefined {
    return this.#options.links.subscriberOf(token)?.address;
  }

  /** False for a token that was not made here. */
  async unsubscribe(token: string): Promise<boolean> {
    const { links, suppressions, clock } = this.#options;
    const found = links.subscriberOf(token);
    if (found === undefined) return false;
    const { owner, address: email } = found;
    const suppression = { email, reason: 'unsubscribe', note: '', at: clock.now() } as const;
    await suppressions.add(owner, suppression);
    return true;
  }

  async opened(token: string): Promise<void> {
    const id = this.#options.links.openedBy(token);
    if (id !== undefined) await this.#record(id, { outcome: 'opened', reason: '' });
  }

  /** Where the link leads: only one of a mail of this host. */
  async followed(token: string): Promise<string | undefined> {
    const found = this.#options.links.followedBy(token);
    if (found !== undefined) {
      await this.#record(found.id, { outcome: 'clicked', reason: found.url });
    }
    return found?.url;
  }

  /** Of a mail that has ended, as long as something is kept of it and its tenant tracks such visits. */
  async #record(
    id: string,
    { outcome, reason }: { readonly outcome: 'opened' | 'clicked'; readonly reason: string },
  ): Promise<void> {
    const { mails, seal, clock, routes } = this.#options;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const found = await mails.find(id);
      if (found?.content === undefined || found.dueAt !== null) return;
      const { tracking } = await routes.profileOf(found.owner.tenantId);
      if (!tracking[outcome === 'opened' ? 'opens' : 'clicks']) return;
      const content = seal.open<MailContent>(contentName(id), found.content);
      if (content === undefined || content.history.length >= MAX_HISTORY) return;
      const visit: Attempt = { at: clock.now(), outcome, recipient: '', reason, response: '' };
      const changed = { ...content, history: [...content.history, visit] };
      const sealed = seal.seal(contentName(id), changed);
      if (await mails.replaceContent(id, { before: found.content, after: sealed })) return;
    }
  }
}
