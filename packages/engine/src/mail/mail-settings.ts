/** Mail settings: the SMTP server and the sender. */
import { isEmail } from '@counterfoil/core';

/** No control characters, line separators or halves of characters. */
const ONE_LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;

const MAX_NAME_LENGTH = 200;

export interface MailAddress {
  /** The display name; may be empty. */
  readonly name: string;
  readonly address: string;
}

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Implicit TLS; else STARTTLS when the server offers it. */
  readonly secure: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

export interface MailSettings {
  readonly server: SmtpServer;
  readonly from: MailAddress;
  /** Whether mails about sandbox data are sent too. Real addresses then receive them. */
  readonly sandbox: boolean;
}

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

export function isOneLine(text: string): boolean {
  return ONE_LINE.test(text);
}

/** Parses `smtp://[user:password@]host[:port]` or `smtps://…`; undefined when invalid. */
export function smtpServerOf(text: string): SmtpServer | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isOneLine(text)) return undefined;
  const secure = url.protocol === 'smtps:';
  if (!secure && url.protocol !== 'smtp:') return undefined;
  const isMore = !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '';
  if (url.hostname === '' || url.port === '0' || isMore) return undefined;
  // A user without a password, or the reverse, is a mistake.
  if ((url.username === '') !== (url.password === '')) return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port),
    secure,
    credentials: user === '' ? undefined : { user, password },
  };
}

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return isOneLine(plain) ? plain : undefined;
  } catch {
    return undefined;
  }
}

/** Parses `Name <address>`, `"Name" <address>` or an address alone; undefined when invalid. */
export function mailAddressOf(text: string): MailAddress | undefined {
  if (!isOneLine(text)) return undefined;
  const [, quoted, plain = '', address = text] =
    /^(?:"([^"]*)"\s*|([^"<>]*))<([^<>]*)>$/.exec(text.trim()) ?? [];
  const name = (quoted ?? plain).trim();
  const isSound = isOneLine(name) && name.length <= MAX_NAME_LENGTH && isEmail(address.trim());
  return isSound ? { name, address: address.trim() } : undefined;
}
