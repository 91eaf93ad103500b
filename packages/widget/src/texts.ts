/** The texts of the card form. A page may replace each by its name. */

export const TEXTS = {
  title: 'Card details',
  number: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'MM / YY',
  cvv: 'Security code',
  name: 'Name on card',
  pay: 'Pay {amount}',
  paying: 'Paying…',
  retry: 'Try again',
  'number.missing': 'Enter the card number',
  'number.incomplete': 'The card number is too short',
  'number.wrong': 'This is not a card number: check its digits',
  'expiry.missing': 'Enter the expiry date',
  'expiry.incomplete': 'The expiry date is not complete',
  'expiry.wrong': 'The expiry date needs a month from 01 to 12',
  'expiry.past': 'This card has expired',
  'cvv.missing': 'Enter the security code',
  'cvv.incomplete': 'The security code is too short',
  'cvv.wrong': 'This is not a security code of this card',
  declined: 'Your card was declined. Try another card.',
  insufficient_funds: 'There is not enough money on this card. Try another card.',
  expired_card: 'This card has expired. Try another card.',
  action: 'Your bank asks you to confirm this payment.',
  giveUp: 'Use another card',
  processing: 'We are waiting for the answer of your bank. Please stay on this page.',
  complete: 'Paid. Thank you.',
  expired: 'This checkout has ended. Go back to the shop to start again.',
  usedUp: 'Too many cards were declined. Go back to the shop to start again.',
  offline: 'We could not be reached. You have not paid twice: try again.',
  busy: 'Another payment of this checkout is under way. Try again in a moment.',
  failed: 'The payment could not be made. Try again.',
} as const;
export type TextName = keyof typeof TEXTS;

export class Texts {
  readonly #own: Readonly<Record<string, unknown>>;

  constructor(own: Readonly<Record<string, unknown>> = {}) {
    this.#own = own;
  }

  of(name: TextName, values: Readonly<Record<string, string>> = {}): string {
    const own = Object.hasOwn(this.#own, name) ? this.#own[name] : undefined;
    const text: string = typeof own === 'string' ? own : TEXTS[name];
    return text.replace(/\{(\w{1,20})\}/g, (whole, key: string) => values[key] ?? whole);
  }

  /** What a page calls a network, such as `NetworkA`. */
  network(name: string): string {
    const own = Object.hasOwn(this.#own, name) ? this.#own[name] : undefined;
    return typeof own === 'string' ? own : name;
  }
}
