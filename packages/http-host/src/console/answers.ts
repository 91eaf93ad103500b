/** What the console answers with: pages from templates, and redirections. */
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { JsonResult, RawResult } from '../http/endpoint.ts';
import type { Refusal } from '../http/errors.ts';
import { assetAddresses } from './assets.ts';
import { keptFor, remembered } from './remembered.ts';
import {
  shownAccount,
  shownAction,
  shownAmount,
  shownAnchor,
  shownDate,
  shownEvent,
  shownWords,
} from './shown.ts';

/**
 * Every value in the templates is escaped. A page is made of the bytes of its UTF-8, each a character: V8
 * keeps those in one byte too, and they are encoded in a quarter of the time of a text with one wider character.
 */
const ETA = new Eta({
  autoEscape: true,
  escapeFunction: (value: unknown) => escaped(String(value)),
  cache: true,
  views: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    {
      // The texts between the tags.
      processAST: (parts) => parts.map((part) => (typeof part === 'string' ? bytesOf(part) : part)),
    },
  ],
});

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  if (!/[&<>"'\x80-\uffff]/.test(text)) return text;
  return bytesOf(text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? ''));
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Eta finds a template by a JSON text for each part of a page, which takes longer than most parts. */
const PATHS = new Map<string, string>();
const { resolvePath } = ETA;
ETA.resolvePath = (template, options) => {
  const path = PATHS.get(template) ?? resolvePath.call(ETA, template, options);
  PATHS.set(template, path);
  return path;
};

/** Parts by their templates, each rendered once for one object that nothing changes. */
const KEPT = remembered((template) => keptFor((data: object) => flat(ETA.render(template, data))));

/** The same text in one piece: V8 keeps a rendered one as a tree of its parts, which each page would walk. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Its frame shows documents of the host. */
const WITH_FRAME = `${SECURITY_POLICY}; frame-src 'self'`;
/** Also where it is opened by itself. Pictures of others would tell their senders that it was opened. */
const FRAME_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";

const HEADERS = {
  'Content-Security-Policy': SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

const SHOWN = {
  amount: shownAmount,
  date: shownDate,
  account: shownAccount,
  event: shownEvent,
  action: shownAction,
  words: shownWords,
  anchorOfTerm: shownAnchor,
};

/** A part that gets nothing of the page: to hand that over takes longer than most parts. */
function render(template: string, data: object): string {
  return ETA.render(template, { shown: SHOWN, ...data });
}

/** A part of a page made of `data` alone, which nothing changes. */
function kept(template: string, data: object): string {
  return KEPT(template)(data);
}

type Headers = Readonly<Record<string, string>>;

interface Page {
  /** Default: 200. */
  readonly status?: number;
  readonly template: string;
  readonly data: object;
  readonly headers?: Headers;
  /** Default: false. */
  readonly hasFrame?: boolean | undefined;
}

export function pageAnswer({
  status = 200,
  template,
  data,
  headers = {},
  hasFrame = false,
}: Page): RawResult {
  const given = { again: undefined, assets: assetAddresses(), shown: SHOWN, render, kept, ...data };
  // Encoded once: its length is asked for twice before it is sent.
  const raw = Buffer.from(ETA.render(template, given), 'latin1');
  const contentType = 'text/html; charset=utf-8';
  const policy = hasFrame ? { 'Content-Security-Policy': WITH_FRAME } : {};
  return { status, raw, contentType, headers: { ...HEADERS, ...policy, ...headers } };
}

/** A document of others, within a page. */
export function frameAnswer(raw: string): RawResult {
  const contentType = 'text/html; charset=utf-8';
  const headers = { ...HEADERS, 'Content-Security-Policy': FRAME_POLICY };
  return { status: 200, raw, contentType, headers };
}

export function redirection(to: string, headers: Headers = {}): JsonResult {
  return { status: 303, body: undefined, headers: { ...HEADERS, ...headers, Location: to } };
}

const TITLES: Readonly<Record<number, string>> = {
  403: 'This is not for you',
  404: 'There is no such page',
  405: 'There is no page here',
  429: 'Too many requests',
  500: 'Something went wrong here',
  503: 'Not available for now',
};

/** Of a refusal that no form can show. */
export function refusalPage(refusal: Refusal, requestId: string, data: object = {}): RawResult {
  const { status, message, headers = {} } = refusal;
  const title = TITLES[status] ?? 'This cannot be done';
  return pageAnswer({
    status,
    template: '/templates/refusal',
    data: { title, message, requestId, ...data },
    headers,
  });
}
