/** The kept mails of all tenants, for the one who develops with the host: never in production. */
import type { KeptMails, OwnedMail } from './kept-mails.ts';
import { contentName, type MailContent, mailOf } from './mail-content.ts';
import type { MailSeal } from './mail-seal.ts';
import { sourceOf } from './mailer.ts';

const MAX_LISTED = 200;

export interface ViewedMail extends Omit<OwnedMail, 'content'> {
  /** Undefined where nothing is kept of it. */
  readonly content: MailContent | undefined;
}

export class MailViewer {
  readonly #mails: KeptMails;
  readonly #seal: MailSeal;

  constructor(mails: KeptMails, seal: MailSeal) {
    this.#mails = mails;
    this.#seal = seal;
  }

  /** The newest first. */
  async list(): Promise<readonly ViewedMail[]> {
    return (await this.#mails.newest(MAX_LISTED)).map((mail) => this.#viewOf(mail));
  }

  async find(id: string): Promise<ViewedMail | undefined> {
    const found = await this.#mails.find(id);
    return found && this.#viewOf(found);
  }

  /** The whole mail, as a server would have got it; undefined where its body is not kept. */
  async source(id: string): Promise<string | undefined> {
    const found = await this.find(id);
    if (!found?.content?.body) return undefined;
    const { content, createdAt } = found;
    const open = content.to.map(({ address }) => address);
    return sourceOf(mailOf(id, createdAt, { ...content, open }));
  }

  #viewOf({ content, ...mail }: OwnedMail): ViewedMail {
    const opened =
      content === undefined
        ? undefined
        : this.#seal.open<MailContent>(contentName(mail.id), content);
    return { ...mail, content: opened };
  }
}
