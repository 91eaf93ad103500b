/** Where the buyer enters the card: the fields of this form, or a frame of the gateway's own script. */
import type { Expiry } from './card.ts';

export interface TypedCard extends Expiry {
  readonly number: string;
  readonly cvv: string;
  readonly holder?: string;
}

/** What pays: a card, or what the gateway's script made of one. */
export type Instrument = { readonly card: TypedCard } | { readonly gatewayToken: string };

export interface CardEntry {
  /** Called once the form has its texts and its theme. */
  begin(locale: string | undefined): void;
  /** Undefined where something is wrong with the card, which is then shown. */
  read(): Promise<Instrument | undefined>;
  /** For another card. */
  clear(): void;
  lock(isLocked: boolean): void;
}

export function byId<Type extends HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found as Type;
}
