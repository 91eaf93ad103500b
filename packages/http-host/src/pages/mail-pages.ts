/**
 * What readers of mails come to, and in development the kept mails themselves. For people rather than
 * programs: the document of the interface does not have them.
 */
import {
  hostOf,
  isLoopback,
  type MailResponses,
  type MailViewer,
  type ViewedMail,
} from '@counterfoil/engine';
import { bounded, Uuid } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { EMPTY_FORM } from './form-body.ts';
import { HTML, mailPage } from './mail-page.ts';

const TAG = 'Email service';
const PUBLIC = { kind: 'public' } as const;
const UNSUBSCRIBE = '/mail/unsubscribe';

const Token = z.object({
  token: bounded(8_000).meta({ description: 'As it is in the mail', example: 'AAAA' }),
});
const Page = z.string();
/** One picture element, and nothing to see. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const NO_LINK = { description: 'The token is none of this host', schema: Page, ...HTML };

function noLink() {
  const paragraphs = ['It is not complete, or not of an email that was sent from here.'];
  return mailPage({ status: 404, title: 'This link does not work', paragraphs });
}

export interface MailPageServices {
  readonly mailResponses: MailResponses;
  /** Undefined in production. */
  readonly mailViewer: MailViewer | undefined;
}

export function mailPageEndpoints({ mailResponses, mailViewer }: MailPageServices): Endpoint[] {
  return [
    askToUnsubscribe(mailResponses),
    unsubscribe(mailResponses),
    opened(mailResponses),
    followed(mailResponses),
    ...(mailViewer === undefined
      ? []
      : [listMails(mailViewer), showMail(mailViewer), showHtml(mailViewer), source(mailViewer)]),
  ];
}

function askToUnsubscribe(responses: MailResponses): Endpoint {
  return endpoint({
    operationId: 'askToUnsubscribe',
    method: 'GET',
    path: UNSUBSCRIBE,
    tag: TAG,
    summary: 'The page that List-Unsubscribe leads to',
    description: 'Asks whether to unsubscribe. Nothing changes until the form is sent.',
    access: PUBLIC,
    query: Token,
    responses: { 200: { description: 'The page', schema: Page, ...HTML }, 404: NO_LINK },
    rejections: [],
    idempotency: 'none',
    async handle(_context, { query: { token } }) {
      const address = responses.subscriber(token);
      if (address === undefined) return noLink();
      const paragraphs = [`No more emails of this sender will be sent to ${address}.`];
      return mailPage({ title: 'Unsubscribe?', paragraphs, button: 'Unsubscribe' });
    },
  });
}

function unsubscribe(responses: MailResponses): Endpoint {
  return endpoint({
    operationId: 'unsubscribeFromEmails',
    method: 'POST',
    path: UNSUBSCRIBE,
    tag: TAG,
    summary: 'Unsubscribe the reader of a mail',
    description:
      'Sent by the form of the page, and by mail programs with one click (RFC 8058). The address is suppressed for the tenant; a repetition changes nothing.',
    access: PUBLIC,
    query: Token,
    ...EMPTY_FORM,
    responses: { 200: { description: 'It is done', schema: Page, ...HTML }, 404: NO_LINK },
    rejections: [],
    idempotency: 'none',
    async handle(_context, { query: { token } }) {
      if (!(await responses.unsubscribe(token))) return noLink();
      const paragraphs = ['You will get no more emails of this sender.'];
      return mailPage({ title: 'You are unsubscribed', paragraphs });
    },
  });
}

function opened(responses: MailResponses): Endpoint {
  return endpoint({
    operationId: 'recordOpenedEmail',
    method: 'GET',
    path: '/mail/open',
    tag: TAG,
    summary: 'The picture of a tracked email',
    description: 'Records that the email was opened. The picture is the same for any token.',
    access: PUBLIC,
    query: Token,
    responses: { 200: { description: 'The picture', schema: Page, contentType: 'image/gif' } },
    rejections: [],
    idempotency: 'none',
    async handle(_context, { query: { token } }) {
      await responses.opened(token);
      return { status: 200, raw: PIXEL, contentType: 'image/gif' };
    },
  });
}

function followed(responses: MailResponses): Endpoint {
  return endpoint({
    operationId: 'followLinkOfEmail',
    method: 'GET',
    path: '/mail/click',
    tag: TAG,
    summary: 'A link of a tracked email',
    description:
      'Records that the link was followed, and leads to it. Tokens are made by the host: they lead only to what was in an email of its own.',
    access: PUBLIC,
    query: Token,
    responses: { 302: { description: 'To the link' }, 404: NO_LINK },
    rejections: [],
    idempotency: 'none',
    async handle(_context, { query: { token } }) {
      const url = await responses.followed(token);
      if (url === undefined) return noLink();
      return { status: 302, body: undefined, headers: { Location: url } };
    },
  });
}

const MAILS = '/mails';
const IN_DEVELOPMENT =
  'In development only, and to this machine alone: there is no such page with `NODE_ENV=production`.';
const Id = z.object({ id: Uuid.meta({ description: 'The id of the email' }) });
const SHOWN = {
  method: 'GET',
  tag: TAG,
  access: PUBLIC,
  idempotency: 'none',
} as const;

function listMails(viewer: MailViewer): Endpoint {
  return endpoint({
    ...SHOWN,
    operationId: 'showEmails',
    path: MAILS,
    summary: 'The latest emails of all tenants, as a page',
    description: `What was sent, or kept where no mail server is set. ${IN_DEVELOPMENT}`,
    responses: { 200: { description: 'The page', schema: Page, ...HTML } },
    rejections: ['not_found'],
    async handle(context) {
      checkLocal(context);
      const rows = (await viewer.list()).map((mail) => ({
        cells: [
          mail.content?.subject || '(no subject)',
          mail.content?.to.map(({ address }) => address).join(', ') ?? '',
          endOf(mail),
          mail.createdAt,
        ],
        href: `${MAILS}/${mail.id}`,
      }));
      const paragraphs = rows.length === 0 ? ['There is none yet.'] : [];
      return mailPage({ title: 'Mails', paragraphs, rows });
    },
  });
}

function showMail(viewer: MailViewer): Endpoint {
  return endpoint({
    ...SHOWN,
    operationId: 'showEmail',
    path: `${MAILS}/{id}`,
    summary: 'An email as a page',
    description: `Headers, both parts and each try. ${IN_DEVELOPMENT}`,
    params: Id,
    responses: { 200: { description: 'The page', schema: Page, ...HTML } },
    rejections: ['not_found'],
    async handle(context, { params: { id } }) {
      checkLocal(context);
      return mailPage(pageOf(await found(viewer, id), await viewer.source(id)));
    },
  });
}

function endOf({ reason, status }: ViewedMail): string {
  return reason === 'kept' ? 'kept' : status;
}

function pageOf(mail: ViewedMail, whole: string | undefined) {
  const { id, kind, content } = mail;
  const { subject = '', body = null, history = [] } = content ?? {};
  const [headers = ''] = (whole ?? '').split('\r\n\r\n', 1);
  const tries = history.map(({ at, outcome, reason, response }) => ({
    cells: [at, outcome, reason, response],
  }));
  return {
    title: subject || '(no subject)',
    paragraphs: [`${kind}, ${endOf(mail)}`, ...(body === null ? ['Its body is not kept.'] : [])],
    links: body === null ? [] : [{ name: 'Source (.eml)', href: `${MAILS}/${id}/eml` }],
    rows: tries,
    frame: body === null ? undefined : `${MAILS}/${id}/html`,
    texts:
      body === null
        ? []
        : [
            { name: 'Text', text: body.text },
            { name: 'Headers', text: headers },
          ],
  };
}

/** In a frame without rights: neither scripts nor forms, and nothing is fetched but pictures. */
const FRAME_POLICY =
  "sandbox; default-src 'none'; img-src data: https: http:; style-src 'unsafe-inline'; frame-ancestors 'self'";

function showHtml(viewer: MailViewer): Endpoint {
  return endpoint({
    ...SHOWN,
    operationId: 'showHtmlOfEmail',
    path: `${MAILS}/{id}/html`,
    summary: 'The HTML part of an email',
    description: `For the frame of its page. ${IN_DEVELOPMENT}`,
    params: Id,
    responses: { 200: { description: 'The HTML part', schema: Page, ...HTML } },
    rejections: ['not_found'],
    async handle(context, { params: { id } }) {
      checkLocal(context);
      const { content } = await found(viewer, id);
      if (!content?.body) throw refuse('not_found');
      return {
        status: 200,
        raw: content.body.html,
        contentType: 'text/html; charset=utf-8',
        headers: { 'Content-Security-Policy': FRAME_POLICY },
      };
    },
  });
}

function source(viewer: MailViewer): Endpoint {
  return endpoint({
    ...SHOWN,
    operationId: 'downloadEmail',
    path: `${MAILS}/{id}/eml`,
    summary: 'The source of an email',
    description: `As a mail server would get it, to open in a mail program. ${IN_DEVELOPMENT}`,
    params: Id,
    responses: { 200: { description: 'The source', schema: Page, contentType: 'message/rfc822' } },
    rejections: ['not_found'],
    async handle(context, { params: { id } }) {
      checkLocal(context);
      const raw = await viewer.source(id);
      if (raw === undefined) throw refuse('not_found');
      const headers = { 'Content-Disposition': `attachment; filename="${id}.eml"` };
      return { status: 200, raw, contentType: 'message/rfc822', headers };
    },
  });
}

async function found(viewer: MailViewer, id: string): Promise<ViewedMail> {
  const mail = await viewer.find(id);
  if (mail === undefined) throw refuse('not_found');
  return mail;
}

/** By its Host header too: a page of another site may have a name of its own resolve to this machine. */
function checkLocal({ remoteAddress = '', host = '' }: RequestContext): void {
  const asked = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  const isLocal = isLoopback(hostOf(asked)) && isLoopback(remoteAddress.replace(/^::ffff:/, ''));
  if (!isLocal) throw refuse('not_found');
}
