/** The fields of the card form: how they are typed, what is wrong with each, and how that is said. */
import {
  cvvFault,
  cvvLengthOf,
  digitsOf,
  expiryFault,
  expiryOf,
  type Fault,
  grouped,
  longestOf,
  networkOf,
  numberFault,
  shownExpiry,
} from './card.ts';
import { byId, type CardEntry, type Instrument } from './card-entry.ts';
import type { TextName, Texts } from './texts.ts';

const FIELDS = ['number', 'expiry', 'cvv'] as const;
type FieldName = (typeof FIELDS)[number];

export class CardFields implements CardEntry {
  readonly #inputs = {
    number: byId<HTMLInputElement>('number'),
    expiry: byId<HTMLInputElement>('expiry'),
    cvv: byId<HTMLInputElement>('cvv'),
    name: byId<HTMLInputElement>('name'),
  };
  readonly #texts: () => Texts;

  constructor(texts: () => Texts) {
    this.#texts = texts;
    const { number, expiry, cvv } = this.#inputs;
    number.addEventListener('input', () => this.#typeNumber());
    expiry.addEventListener('input', (event) => {
      const isDeleting = (event as InputEvent).inputType?.startsWith('delete') === true;
      expiry.value = isDeleting ? expiry.value : shownExpiry(expiry.value, isDeleting);
      this.#settle('expiry');
    });
    cvv.addEventListener('input', () => {
      cvv.value = cvv.value.replace(/\D/g, '').slice(0, cvvLengthOf(this.#digits) ?? 4);
      this.#settle('cvv');
    });
    for (const name of FIELDS) {
      // What is left empty on the way is no mistake yet.
      this.#inputs[name].addEventListener('blur', () => {
        if (this.#inputs[name].value !== '') this.#show(name);
      });
    }
  }

  get #digits(): string {
    return digitsOf(this.#inputs.number.value);
  }

  begin(): void {
    this.#inputs.expiry.placeholder = this.#texts().of('expiryHint');
  }

  /** What is wrong has the focus. */
  async read(): Promise<Instrument | undefined> {
    const faulty = FIELDS.filter((name) => this.#show(name));
    const [first] = faulty;
    const { expiry, cvv, name } = this.#inputs;
    const date = expiryOf(expiry.value);
    if (first !== undefined || date === undefined) {
      this.#inputs[first ?? 'expiry'].focus();
      return undefined;
    }
    const holder = name.value.trim();
    const card = { number: this.#digits, ...date, cvv: cvv.value };
    return { card: { ...card, ...(holder !== '' && { holder }) } };
  }

  /** The name stays. */
  clear(): void {
    for (const name of FIELDS) {
      this.#inputs[name].value = '';
      this.#settle(name);
    }
    this.#showNetwork();
    this.#inputs.number.focus();
  }

  lock(isLocked: boolean): void {
    for (const input of Object.values(this.#inputs)) input.readOnly = isLocked;
  }

  #typeNumber(): void {
    const { number } = this.#inputs;
    const typed = number.value;
    const caret = number.selectionStart ?? typed.length;
    const before = digitsOf(typed.slice(0, caret)).length;
    const digits = digitsOf(typed).slice(0, longestOf(digitsOf(typed)));
    number.value = grouped(digits);
    // Behind the same digit as before.
    let place = 0;
    for (let count = 0; count < before && place < number.value.length; place += 1) {
      if (/\d/.test(number.value[place] ?? '')) count += 1;
    }
    number.setSelectionRange(place, place);
    this.#showNetwork();
    this.#settle('number');
  }

  #showNetwork(): void {
    const network = networkOf(this.#digits);
    byId('network').textContent = network === undefined ? '' : this.#texts().network(network);
  }

  #faultOf(name: FieldName): Fault | undefined {
    const { expiry, cvv } = this.#inputs;
    if (name === 'number') return numberFault(this.#digits);
    if (name === 'expiry') return expiryFault(expiry.value, new Date());
    return cvvFault(cvv.value, this.#digits);
  }

  /** Shows what is wrong with a field; returns whether something is. */
  #show(name: FieldName): boolean {
    const fault = this.#faultOf(name);
    const text = fault === undefined ? '' : this.#texts().of(`${name}.${fault}` as TextName);
    const error = byId(`${name}-error`);
    if (error.textContent !== text) error.textContent = text;
    this.#inputs[name].setAttribute('aria-invalid', String(fault !== undefined));
    return fault !== undefined;
  }

  /** Takes an error away while it is being mended, and shows no new one. */
  #settle(name: FieldName): void {
    const isInvalid = this.#inputs[name].getAttribute('aria-invalid') === 'true';
    if (isInvalid && (this.#faultOf(name) === undefined || this.#inputs[name].value === '')) {
      byId(`${name}-error`).textContent = '';
      this.#inputs[name].setAttribute('aria-invalid', 'false');
    }
  }
}
