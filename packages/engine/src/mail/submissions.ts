/** Mails that callers submit: checked and rendered, accepted once for each key, and queued. */
import { hash } from 'node:crypto';
import { canonicalJson } from '@counterfoil/core';
import type { z } from 'zod';
import { uuidV7 } from '../ids.ts';
import { type Refused, refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { SenderDomains } from '../sender-domains/index.ts';
import type { KeptMails, MailStatus, Submitted } from './kept-mails.ts';
import { contentName, type MailContent, recipientsOf } from './mail-content.ts';
import { type Address, type Addresses, MAX_RECIPIENTS, type MailInput } from './mail-input.ts';
import type { MailOwner, MailSeal } from './mail-seal.ts';
import { type MailAddress, mailAddressOf } from './mail-settings.ts';
import { renderNamed } from './named-templates.ts';
import { escapeHtml, faultInWords, parseTemplate, renderTemplate } from './template-language.ts';
import { mailTemplates, type Templates } from './templates.ts';
import { isHtml, textOfHtml } from './text-of-html.ts';

/** How long a key names its mail. */
export const KEY_MS = 7 * 86_400_000;

export interface Accepted {
  readonly id: string;
  readonly status: MailStatus;
  /** Whether the key named the mail before. */
  readonly deduplicated: boolean;
}

/** A rendered mail that is not sent. */
export interface Preview {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

type Input = z.output<typeof MailInput>;
type MailFault = { readonly path: string; readonly detail: string };

export interface SubmissionsOptions {
  readonly mails: Pick<KeptMails, 'submit'>;
  readonly senderDomains: Pick<SenderDomains, 'senderOf'>;
  readonly seal: MailSeal;
  readonly clock: Clock;
  /** Whether mails of an owner are handed to no server at present. */
  readonly keeps: (owner: MailOwner) => Promise<boolean>;
  /** Whether this host has a page where recipients can unsubscribe. */
  readonly canUnsubscribe: boolean;
}

export class Submissions {
  readonly #options: SubmissionsOptions;
  readonly #templates: Templates = mailTemplates();

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /** Each accepted or refused by itself, in order. */
  async submit(
    owner: MailOwner,
    inputs: readonly Input[],
  ): Promise<readonly (Accepted | Refused)[]> {
    const { mails, clock } = this.#options;
    const now = clock.now();
    const checked = await Promise.all(inputs.map((input) => this.#checked(owner, input, now)));
    const submitted = checked.flatMap((each) => (each instanceof Error ? [] : [each]));
    const named = submitted.length === 0 ? new Map() : await mails.submit(submitted, now);
    return checked.map((each) => {
      if (each instanceof Error) return each;
      const { id, status, contentDigest } = named.get(each.keyDigest);
      if (contentDigest !== each.contentDigest) {
        return refused({ type: 'MailKeyConflict', emailId: id });
      }
      return { id, status, deduplicated: id !== each.id };
    });
  }

  /** Refuses with `MailInvalid`. */
  preview(input: Input): Preview {
    const faults = this.#faultsOf(input);
    const body = this.#bodyOf(input);
    if ('faults' in body) faults.push(...body.faults);
    if (faults.length > 0 || 'faults' in body) throw refused({ type: 'MailInvalid', faults });
    return { subject: input.subject, ...body };
  }

  async #checked(owner: MailOwner, input: Input, now: string): Promise<Submitted | Refused> {
    const { seal, senderDomains, keeps } = this.#options;
    let body: Preview;
    try {
      body = this.preview(input);
    } catch (error) {
      return error as Refused;
    }
    const from = addressOf(input.from);
    if ((await senderDomains.senderOf(owner.tenantId, from.address)) === undefined) {
      return refused({ type: 'SenderUnauthorized' });
    }
    const { idempotencyKey, sandbox: _, ...request } = input;
    const canonical = canonicalJson(request);
    const key = idempotencyKey ?? hash('sha256', canonical);
    const id = uuidV7();
    const content = contentOf(input, from, body);
    return {
      id,
      kind: 'submitted',
      owner,
      keyDigest: seal.keyDigest(owner, key),
      contentDigest: seal.contentDigest(owner, canonical),
      keyUntil: new Date(Date.parse(now) + KEY_MS).toISOString(),
      content: seal.seal(contentName(id), content),
      kept: await keeps(owner),
      recipients: content.open.map((address) => seal.addressDigest(owner, address)),
    };
  }

  /** What of a request does not go together. */
  #faultsOf(input: Input): MailFault[] {
    const { templateType, templateName, templateContent, listUnsubscribe = false } = input;
    const faults: MailFault[] = [];
    const isString = templateType === 'string';
    const [wanted, other] = isString
      ? (['templateContent', 'templateName'] as const)
      : (['templateName', 'templateContent'] as const);
    if (input[wanted] === undefined) {
      faults.push({ path: wanted, detail: `is required with templateType ${templateType}` });
    }
    if ((isString ? templateName : templateContent) !== undefined) {
      faults.push({ path: other, detail: `does not go with templateType ${templateType}` });
    }
    const recipients = recipientsOf(peopleOf(input));
    if (recipients.length > MAX_RECIPIENTS) {
      faults.push({ path: 'to', detail: `with cc and bcc must be at most ${MAX_RECIPIENTS}` });
    }
    if (listUnsubscribe && recipients.length > 1) {
      faults.push({ path: 'listUnsubscribe', detail: 'needs an email to one recipient alone' });
    }
    if (listUnsubscribe && !this.#options.canUnsubscribe) {
      faults.push({
        path: 'listUnsubscribe',
        detail: 'needs the public address of this host (PUBLIC_URL), which is not set',
      });
    }
    return faults;
  }

  #bodyOf(input: Input): { text: string; html: string } | { faults: readonly MailFault[] } {
    const { templateType, templateName, templateContent, templateData = {} } = input;
    if (templateType === 'react') {
      if (templateName === undefined) return { faults: [] };
      const rendered = renderNamed(templateName, templateData, this.#templates);
      if (!('faults' in rendered)) return rendered;
      const faults = rendered.faults.map(({ path, detail }) => {
        return { path: path === '' ? 'templateData' : `templateData/${path}`, detail };
      });
      return { faults };
    }
    return templateContent === undefined
      ? { faults: [] }
      : fromString(templateContent, templateData);
  }
}

function fromString(
  content: string,
  data: unknown,
): { text: string; html: string } | { faults: readonly MailFault[] } {
  const path = 'templateContent';
  const read = parseTemplate(content);
  if ('fault' in read) {
    return { faults: [{ path, detail: faultInWords(read.fault) }] };
  }
  const html = renderTemplate(read.template, data, escapeHtml);
  if (html === undefined) return { faults: [{ path, detail: 'is too long once it is rendered' }] };
  // A template without markup is text, and has the same lines in both parts.
  if (isHtml(content)) return { html, text: textOfHtml(html) };
  const text = renderTemplate(read.template, data, (value) => value) ?? '';
  return { text, html: `<div style="white-space:pre-wrap">${html}</div>` };
}

function contentOf(input: Input, from: MailAddress, body: Preview): MailContent {
  const { subject, replyTo, headers = {}, listUnsubscribe = false } = input;
  const { text, html } = body;
  const people = peopleOf(input);
  return {
    from,
    ...people,
    replyTo: replyTo === undefined ? null : addressOf(replyTo),
    subject,
    body: { text, html },
    headers: Object.entries(headers),
    listUnsubscribe,
    template: input.templateName ?? input.templateType,
    open: recipientsOf(people),
    delivered: false,
    history: [],
  };
}

function peopleOf({ to, cc, bcc }: Pick<Input, 'to' | 'cc' | 'bcc'>) {
  return { to: listOf(to), cc: listOf(cc), bcc: listOf(bcc) };
}

function listOf(given: z.output<typeof Addresses> | undefined): readonly MailAddress[] {
  return given === undefined ? [] : [given].flat().map(addressOf);
}

function addressOf(given: z.output<typeof Address>): MailAddress {
  if (typeof given !== 'string') return given;
  const read = mailAddressOf(given);
  if (read === undefined) throw new TypeError('an address was not checked');
  return read;
}
