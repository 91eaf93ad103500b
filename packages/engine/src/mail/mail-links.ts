/** The links of mails to the host: to unsubscribe, and to record that a mail was opened or a link followed. */
import type { TenantId } from '@counterfoil/core';
import type { MailContent } from './mail-content.ts';
import type { MailOwner, MailSeal } from './mail-seal.ts';
import { hrefOf, tagsOf } from './text-of-html.ts';

export const UNSUBSCRIBE_PATH = '/mail/unsubscribe';
export const OPEN_PATH = '/mail/open';
export const CLICK_PATH = '/mail/click';

/** Longer links stay as they are. */
const MAX_TRACKED_LENGTH = 4_000;

export interface Subscriber {
  readonly owner: MailOwner;
  readonly address: string;
}

export interface Tracking {
  readonly opens: boolean;
  readonly clicks: boolean;
}

/** Tokens are encrypted: nobody can make one, nor read one. */
export class MailLinks {
  readonly #seal: MailSeal;
  readonly #base: string | undefined;

  /** Without the public address of the host there are no links. */
  constructor(seal: MailSeal, base: string | undefined) {
    this.#seal = seal;
    this.#base = base;
  }

  get canBeMade(): boolean {
    return this.#base !== undefined;
  }

  /** With the headers, and the links that are tracked. */
  linked(id: string, owner: MailOwner, content: MailContent, tracking: Tracking): MailContent {
    const { body, headers, listUnsubscribe, open } = content;
    const [address] = open;
    if (this.#base === undefined || body === null || address === undefined) return content;
    const asked = listUnsubscribe ? this.#unsubscribeHeaders(owner, address) : [];
    const html = this.#tracked(id, body.html, tracking);
    return { ...content, headers: [...headers, ...asked], body: { ...body, html } };
  }

  /** Whom a token is for; undefined for one that was not made here. */
  subscriberOf(token: string): Subscriber | undefined {
    const read = this.#seal.open<[TenantId, boolean, string]>('unsubscribe', token);
    if (read === undefined) return undefined;
    const [tenantId, sandbox, address] = read;
    return { owner: { tenantId, sandbox }, address };
  }

  /** The mail that was opened. */
  openedBy(token: string): string | undefined {
    return this.#seal.open<string>('open', token);
  }

  /** The mail, and where its link leads. */
  followedBy(token: string): { readonly id: string; readonly url: string } | undefined {
    const read = this.#seal.open<[string, string]>('click', token);
    return read && { id: read[0], url: read[1] };
  }

  /** RFC 2369 and RFC 8058. */
  #unsubscribeHeaders({ tenantId, sandbox }: MailOwner, address: string) {
    const url = this.#url(UNSUBSCRIBE_PATH, 'unsubscribe', [tenantId, sandbox, address]);
    return [
      ['List-Unsubscribe', `<${url}>`],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ] as const;
  }

  #tracked(id: string, html: string, { opens, clicks }: Tracking): string {
    const linked = clicks ? this.#withTrackedLinks(id, html) : html;
    if (!opens) return linked;
    const source = this.#url(OPEN_PATH, 'open', id);
    const pixel = `<img src="${source}" width="1" height="1" alt="">`;
    const end = linked.toLowerCase().lastIndexOf('</body>');
    return end < 0 ? linked + pixel : linked.slice(0, end) + pixel + linked.slice(end);
  }

  #withTrackedLinks(id: string, html: string): string {
    const parts: string[] = [];
    let place = 0;
    for (const tag of tagsOf(html)) {
      const link = tag.name === 'a' && !tag.isEnd ? hrefOf(tag) : undefined;
      const target = link && trackableOf(link.value);
      if (link === undefined || target === undefined) continue;
      const url = this.#url(CLICK_PATH, 'click', [id, target]);
      parts.push(html.slice(place, link.begin), `href="${url}"`);
      place = link.end;
    }
    return parts.join('') + html.slice(place);
  }

  #url(path: string, purpose: string, value: unknown): string {
    return `${this.#base}${path}?token=${this.#seal.seal(purpose, value)}`;
  }
}

/** In ASCII, as a header takes it. Undefined for what leads to no page, and for what is too long. */
function trackableOf(link: string): string | undefined {
  if (!/^https?:\/\//i.test(link) || !URL.canParse(link)) return undefined;
  const { href } = new URL(link);
  return href.length <= MAX_TRACKED_LENGTH ? href : undefined;
}
