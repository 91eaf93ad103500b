/** The cookies of the console. */
import { hostOf, isLoopback } from '@counterfoil/engine';
import type { RequestContext } from '../http/endpoint.ts';
import { remembered } from './remembered.ts';

/** `visitor` is for the forms of those who are not signed in; `notice` is a text that is shown once. */
type CookieName = 'session' | 'visitor' | 'notice';

const MAX_COOKIE_LENGTH = 1_000;

/** Browsers keep a `__Host-` cookie only of https, for this host alone. On loopback there is http only. */
export class Cookies {
  readonly isSecure: boolean;
  readonly #given: ReadonlyMap<string, string>;

  constructor(context: RequestContext, publicUrl: string | undefined) {
    this.isSecure = publicUrl?.startsWith('https:') === true || !isLocal(context);
    this.#given = parsed(context.cookie ?? '');
  }

  get(name: CookieName): string | undefined {
    return this.#given.get(this.#nameOf(name));
  }

  /** As a header of the answer. */
  set(name: CookieName, value: string): { readonly 'Set-Cookie': string } {
    const secure = this.isSecure ? '; Secure' : '';
    const kept = value === '' ? '; Max-Age=0' : '';
    const pair = `${this.#nameOf(name)}=${encodeURIComponent(value)}`;
    return { 'Set-Cookie': `${pair}; Path=/; HttpOnly; SameSite=Strict${secure}${kept}` };
  }

  #nameOf(name: CookieName): string {
    return `${this.isSecure ? '__Host-' : ''}counterfoil-${name}`;
  }
}

function parsed(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    const isGiven = name.includes('counterfoil-') && value.length <= MAX_COOKIE_LENGTH;
    const decoded = isGiven ? decodedOf(value) : undefined;
    return decoded === undefined ? [] : [[name, decoded] as const];
  });
  return new Map(pairs);
}

function decodedOf(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function isLocal({ host = '', remoteAddress = '' }: RequestContext): boolean {
  return isLocalHost(host) && isLocalAddress(remoteAddress);
}

const isLocalHost = remembered((host) =>
  isLoopback(hostOf(URL.parse(`http://${host}`)?.hostname ?? '')),
);
const isLocalAddress = remembered((address) => isLoopback(address.replace(/^::ffff:/, '')));
