/** A card in a frame of the gateway's own script: neither this form nor its host ever has it. */
import { byId, type CardEntry, type Instrument } from './card-entry.ts';
import type { Texts } from './texts.ts';

/** The script as the host names it. */
export interface CardScript {
  readonly src: string;
  /** The function that it makes. */
  readonly global: string;
  readonly publishableKey: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** What is used of it: that of Stripe, which the scripts of other gateways are to offer too. */
interface Gateway {
  elements(options: { readonly locale: string }): {
    create(type: 'card', options: { readonly style: object }): Element;
  };
  createPaymentMethod(given: {
    readonly type: 'card';
    readonly card: Element;
    readonly billing_details?: { readonly name: string };
  }): Promise<{
    readonly paymentMethod?: { readonly id: string };
    readonly error?: { readonly message?: string };
  }>;
}
interface Element {
  mount(into: HTMLElement): void;
  on(event: 'change', listener: () => void): void;
  update(options: { readonly disabled: boolean }): void;
  clear(): void;
  focus(): void;
}
type Open = (key: string, options?: CardScript['options']) => Gateway;

interface Mounted {
  readonly gateway: Gateway;
  readonly element: Element;
}

export class ScriptCard implements CardEntry {
  readonly #script: CardScript;
  readonly #texts: () => Texts;
  readonly #error = byId('gateway-error');
  readonly #name = byId<HTMLInputElement>('name');
  #locale = 'auto';
  #mounting: Promise<Mounted> | undefined;
  #mounted: Mounted | undefined;
  /** Of the card as it is now: it pays again where an answer was lost. */
  #token: string | undefined;

  constructor(script: CardScript, texts: () => Texts) {
    this.#script = script;
    this.#texts = texts;
  }

  begin(locale: string | undefined): void {
    this.#locale = locale ?? 'auto';
    this.#mount().catch(() => this.#say(this.#texts().of('offline')));
  }

  async read(): Promise<Instrument | undefined> {
    this.#say('');
    try {
      const { gateway, element } = await this.#mount();
      this.#token ??= await this.#tokenOf(gateway, element);
    } catch {
      this.#say(this.#texts().of('offline'));
    }
    return this.#token === undefined ? undefined : { gatewayToken: this.#token };
  }

  clear(): void {
    this.#token = undefined;
    this.#mounted?.element.clear();
    this.#mounted?.element.focus();
  }

  lock(isLocked: boolean): void {
    this.#name.readOnly = isLocked;
    this.#mounted?.element.update({ disabled: isLocked });
  }

  async #tokenOf(gateway: Gateway, card: Element): Promise<string | undefined> {
    const name = this.#name.value.trim();
    const billing = name === '' ? {} : { billing_details: { name } };
    const made = await gateway.createPaymentMethod({ type: 'card', card, ...billing });
    if (made.error !== undefined) this.#say(made.error.message ?? this.#texts().of('failed'));
    return made.paymentMethod?.id;
  }

  #say(text: string): void {
    this.#error.textContent = text;
  }

  /** Once; again where the script could not be loaded. */
  #mount(): Promise<Mounted> {
    this.#mounting ??= this.#load().catch((error) => {
      this.#mounting = undefined;
      throw error;
    });
    return this.#mounting;
  }

  async #load(): Promise<Mounted> {
    const { src, global, publishableKey, options } = this.#script;
    await loaded(src);
    const open = (globalThis as unknown as Readonly<Record<string, Open>>)[global];
    if (open === undefined) throw new Error(`no ${global} in ${src}`);
    const gateway = open(publishableKey, options);
    const into = byId('gateway-card');
    const { color, fontSize, fontFamily } = getComputedStyle(into);
    const invalid = { color: getComputedStyle(this.#error).color };
    const style = { base: { color, fontSize, fontFamily }, invalid };
    const element = gateway.elements({ locale: this.#locale }).create('card', { style });
    element.mount(into);
    element.on('change', () => {
      this.#token = undefined;
      this.#say('');
    });
    this.#mounted = { gateway, element };
    return this.#mounted;
  }
}

function loaded(src: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = src;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}
