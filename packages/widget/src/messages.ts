/** What a page and the frame of the card form say to each other. Nothing of a card is ever among it. */

const MARK = 'counterfoil/1';

/** A few variables; values that are no colour or length are not used. */
export interface Theme {
  /** `auto` follows the system. Default: `auto`. */
  readonly scheme?: 'light' | 'dark' | 'auto';
  readonly accent?: string;
  /** Text on the accent. */
  readonly onAccent?: string;
  readonly background?: string;
  readonly text?: string;
  readonly border?: string;
  readonly danger?: string;
  readonly radius?: string;
  readonly fontSize?: string;
  readonly fontFamily?: string;
}

export interface Setup {
  readonly sessionId: string;
  readonly clientSecret: string;
  /** BCP 47, for amounts. Default: that of the page. */
  readonly locale?: string | undefined;
  readonly direction?: 'ltr' | 'rtl' | undefined;
  readonly theme?: Theme | undefined;
  /** Replace those of the form, by their names. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
}

export interface CardFormEvent {
  readonly type:
    | 'ready'
    | 'submitted'
    | 'declined'
    | 'action'
    | 'processing'
    | 'complete'
    | 'expired'
    | 'failed';
  readonly sessionId: string;
  /** Of the latest try. */
  readonly paymentId?: string;
  /** With `declined`: `declined`, `insufficient_funds` or `expired_card`. */
  readonly reason?: string;
  /** With `complete`. */
  readonly successUrl?: string;
}

/** Of the page. */
export interface SetupMessage {
  readonly type: 'setup';
  readonly setup: Setup;
}

/** Of the frame, and of the page that 3-D Secure ends with. */
export type FrameMessage =
  | { readonly type: 'loaded' }
  | { readonly type: 'height'; readonly height: number }
  | { readonly type: 'event'; readonly event: CardFormEvent };
export interface ReturnedMessage {
  readonly type: 'returned';
}

export type Message = SetupMessage | FrameMessage | ReturnedMessage;

export function post(target: Window, message: Message, origin: string): void {
  target.postMessage({ [MARK]: message }, origin);
}

/** The message of an event from this window and origin; undefined of any other. */
export function messageOf(
  { data, origin, source }: MessageEvent<unknown>,
  from: { readonly source: Window | null | undefined; readonly origin: string },
): Message | undefined {
  if (source === null || source !== from.source || origin !== from.origin) return undefined;
  if (typeof data !== 'object' || data === null || !(MARK in data)) return undefined;
  const message = data[MARK];
  return typeof message === 'object' && message !== null && 'type' in message
    ? (message as Message)
    : undefined;
}
