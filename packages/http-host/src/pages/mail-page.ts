/** Pages that mails lead to: with nothing but their own style, and a script only around the page of a bank. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Eta } from 'eta';

const CSS = `:root{color-scheme:light dark}
body{margin:0;font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
button{font:inherit;padding:.6rem 1.2rem}
table{width:100%;border-collapse:collapse}
td{padding:.4rem .8rem .4rem 0;border-top:1px solid #8886;text-align:left;overflow-wrap:anywhere}
iframe{width:100%;height:40rem;border:1px solid #8886;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border-top:1px solid #8886;padding-top:.8rem}`;
const TEMPLATE = readFileSync(new URL('mail-page.eta', import.meta.url), 'utf8');
const ETA = new Eta({ autoEscape: true });

const SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', CSS, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

interface PageContent {
  /** Default: 200. */
  readonly status?: number;
  readonly title: string;
  readonly paragraphs?: readonly string[];
  /** Of a form that posts to the page itself. */
  readonly button?: string;
  readonly links?: readonly { readonly name: string; readonly href: string }[];
  readonly rows?: readonly { readonly cells: readonly string[]; readonly href?: string }[];
  readonly frame?: string | undefined;
  readonly texts?: readonly { readonly name: string; readonly text: string }[];
  /** The page of a bank, and the script that sends the form once the customer is back from there. */
  readonly challenge?: { readonly url: string; readonly script: string };
}

export const HTML = { contentType: 'text/html' } as const;

/** Every value is escaped. */
export function mailPage({ status = 200, ...content }: PageContent) {
  const empty = { paragraphs: [], links: [], rows: [], texts: [] };
  const raw = ETA.renderString(TEMPLATE, { ...empty, ...content, css: CSS });
  return {
    status,
    raw,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'Content-Security-Policy': [...SECURITY_POLICY, ...sourcesOf(content)].join('; '),
    },
  };
}

function sourcesOf({ challenge }: PageContent): readonly string[] {
  if (challenge === undefined) return ["frame-src 'self'"];
  const { url } = challenge;
  // Banks have pages anywhere; in development on this machine.
  const bank = URL.canParse(url) ? ` ${new URL(url).origin}` : '';
  return [`frame-src 'self' https:${bank}`, "script-src 'self'"];
}
