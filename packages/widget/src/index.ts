/** The browser SDK: a visit, its lead, and a card form in a frame of the host. */
import { type CardFormEvent, messageOf, post, type Setup, type Theme } from './messages.ts';
import { type Visit, visitOf } from './visit.ts';

export type { CardFormEvent, Theme, Visit };

export interface Options {
  /** The address of the host. Default, of the script that the host serves: where it came from. */
  readonly host?: string;
  /** `cf_lead_pub_…`, to write leads. */
  readonly leadKey?: string;
  /** `cf_pub_…`, to mount card forms. */
  readonly paymentKey?: string;
  /** Default: `partnerSession` of the address, else that of the visit before, else its own id. */
  readonly partnerSession?: string;
}

/** What a visitor has entered. */
export interface LeadInput {
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly device?: string;
}

export interface LeadResult {
  readonly ok: boolean;
  readonly id?: string;
  readonly status?: 'new' | 'paid';
  /** Why it was refused: a code of the interface, or `network`. */
  readonly code?: string;
}

export interface CardFormOptions extends Setup {
  /** Of the frame, for screen readers. */
  readonly title?: string;
  /**
   * The card is to be typed into a form of the gateway's own script, so that not even the host sees it.
   * Default: only where no merchant account of the session takes card numbers.
   */
  readonly gatewayScript?: boolean;
  readonly onEvent?: (event: CardFormEvent) => void;
}

export interface CardForm {
  readonly element: HTMLIFrameElement;
  unmount(): void;
}

export interface Counterfoil {
  readonly visit: Visit;
  /** Writes the lead of this visit. Never throws. */
  lead(input: LeadInput): Promise<LeadResult>;
  /**
   * Shows the card form of a checkout session in an element. The page never sees the card: events have
   * ids alone. Once paid the page goes to `successUrl`, unless there is an `onEvent`.
   */
  mountCard(into: Element, options: CardFormOptions): CardForm;
}

/** Of the script that is being run. */
const SCRIPT = typeof document === 'undefined' ? null : document.currentScript;

export function start(options: Options = {}): Counterfoil {
  const own = SCRIPT instanceof HTMLScriptElement ? SCRIPT.src : undefined;
  const host = new URL(options.host ?? own ?? '').origin;
  const visit = visitOf(options.partnerSession);
  return {
    visit,
    lead: (input) => writeLead(host, options.leadKey, visit, input),
    mountCard: (into, form) => mountCard({ host, key: options.paymentKey ?? '' }, into, form),
  };
}

async function writeLead(
  host: string,
  key: string | undefined,
  { partnerSession, pages }: Visit,
  { email, firstName, lastName, device }: LeadInput,
): Promise<LeadResult> {
  try {
    const answer = await fetch(`${host}/api/public/customer-leads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Service-Lead-Key': key ?? '' },
      body: JSON.stringify({
        email,
        session_id: partnerSession,
        first_name: firstName,
        last_name: lastName,
        cfa_device: device,
        scans: pages.map((page) => ({ page })),
      }),
    });
    const { lead, code } = await answer.json();
    if (!answer.ok) return { ok: false, code };
    return { ok: true, id: lead.id, status: lead.status };
  } catch {
    return { ok: false, code: 'network' };
  }
}

function mountCard(
  { host, key }: { readonly host: string; readonly key: string },
  into: Element,
  { title = 'Card details', gatewayScript = false, onEvent, ...setup }: CardFormOptions,
): CardForm {
  const element = document.createElement('iframe');
  const address = new URL('/widget/pages/frame', host);
  address.searchParams.set('key', key);
  address.searchParams.set('origin', location.origin);
  address.searchParams.set('session', setup.sessionId);
  if (gatewayScript) address.searchParams.set('gatewayScript', 'true');
  element.src = address.href;
  element.title = title;
  element.referrerPolicy = 'no-referrer';
  element.style.cssText = 'border:0;width:100%;height:26rem;display:block;color-scheme:normal';
  const { lang, dir } = document.documentElement;
  const direction = setup.direction ?? (dir === 'rtl' ? 'rtl' : 'ltr');
  const given = { ...setup, direction, locale: setup.locale ?? (lang || undefined) };
  const listen = (event: MessageEvent<unknown>): void => {
    const message = messageOf(event, { source: element.contentWindow, origin: host });
    if (message === undefined || element.contentWindow === null) return;
    if (message.type === 'loaded') {
      post(element.contentWindow, { type: 'setup', setup: given }, host);
    } else if (message.type === 'height') {
      element.style.height = `${Math.ceil(Number(message.height)) || 0}px`;
    } else if (message.type === 'event') {
      conclude(message.event, onEvent);
    }
  };
  addEventListener('message', listen);
  into.append(element);
  return {
    element,
    unmount() {
      removeEventListener('message', listen);
      element.remove();
    },
  };
}

function conclude(event: CardFormEvent, onEvent: CardFormOptions['onEvent']): void {
  if (onEvent !== undefined) onEvent(event);
  else if (event.type === 'complete' && event.successUrl) location.assign(event.successUrl);
}
