/** Email addresses: validity, and whether two are the same mailbox (RFC 5321, 6531). */

/** In octets of UTF-8, as RFC 5321 counts. */
export const MAX_EMAIL_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 253;

const ASCII = /^[\0-\x7f]*$/;
/** The characters of an atom, those beyond ASCII among them, and dots. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\u{80}-\u{10ffff}-]+$/u;
const INVISIBLE = /[\p{C}\p{Z}]/u;
const DOMAIN = /^[A-Za-z0-9.\u{80}-\u{10ffff}-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Whether a text is an address that mail can be sent to: an unquoted local part and a domain of two
 * labels at least, in ASCII or not. Looks at the length first.
 */
export function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH || octetsOf(text) > MAX_EMAIL_LENGTH) return false;
  const { local, domain } = partsOf(text);
  if (!LOCAL.test(local) || INVISIBLE.test(local) || octetsOf(local) > MAX_LOCAL_LENGTH)
    return false;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false;
  return mailDomain(domain) !== undefined;
}

/** A domain of two labels at least as mail servers compare it: in lower case and punycode. */
export function mailDomain(text: string): string | undefined {
  const ascii = asciiDomainOf(text);
  const labels = (ascii ?? '').split('.');
  const isDomain = labels.length > 1 && labels.every((each) => LABEL.test(each));
  return isDomain && !isNumber(labels.at(-1)) ? ascii : undefined;
}

/** The domain of an address, in that form; undefined where the text is not an address. */
export function domainOfEmail(email: string): string | undefined {
  return isEmail(email) ? mailDomain(partsOf(email).domain) : undefined;
}

/**
 * The normal form of a mailbox: in lower case, the domain in punycode. Of a text that is not an address,
 * its lower case.
 */
export function emailIdentity(email: string): string {
  if (ASCII.test(email)) return email.toLowerCase();
  const { local, domain } = partsOf(email);
  const ascii = asciiDomainOf(domain);
  if (ascii === undefined) return email.toLowerCase();
  return `${local.normalize('NFC').toLowerCase()}@${ascii}`;
}

/** The address with its domain in punycode, as mail servers take it. */
export function withAsciiDomain(email: string): string {
  const { local, domain } = partsOf(email);
  return `${local}@${asciiDomainOf(domain) ?? domain}`;
}

function partsOf(email: string) {
  const at = email.lastIndexOf('@');
  return { local: email.slice(0, Math.max(0, at)), domain: email.slice(at + 1) };
}

/** In lower case; undefined where a domain has none. */
function asciiDomainOf(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN_LENGTH || !DOMAIN.test(domain)) return undefined;
  if (ASCII.test(domain)) return domain.toLowerCase();
  const url = URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`) : undefined;
  // What a URL takes for a port, a path or an address of numbers is no part of a domain.
  if (url === undefined || url.href !== `http://${url.hostname}/`) return undefined;
  return url.hostname.length > MAX_DOMAIN_LENGTH ? undefined : url.hostname;
}

function isNumber(label = ''): boolean {
  return /^\d+$/.test(label);
}

function octetsOf(text: string): number {
  return ASCII.test(text) ? text.length : new TextEncoder().encode(text).length;
}
