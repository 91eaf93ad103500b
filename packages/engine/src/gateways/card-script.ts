/** The script of a gateway with which a card is typed into the gateway's own frame, in the browser. */
import { z } from 'zod';

const MAX_LENGTH = 2_048;
const MAX_SOURCES = 20;

/** An origin as a Content-Security-Policy has it. */
const source = z
  .string()
  .max(MAX_LENGTH)
  .regex(/^(https:\/\/(\*\.)?|http:\/\/)[A-Za-z0-9.-]+(:\d{1,5})?$/);
const sources = z.array(source).max(MAX_SOURCES).readonly();
const text = z.string().min(1).max(MAX_LENGTH);

export const CardScript = z.object({
  /** https, or http on this machine. */
  src: z.url({ protocol: /^https?$/ }).max(MAX_LENGTH),
  /**
   * The global function that the script makes. Of the key and the options it makes an object with
   * `elements({ locale })`, whose `create('card', { style })` makes the element with `mount`, `on('change')`,
   * `update({ disabled })`, `clear` and `focus`; and with `createPaymentMethod({ type: 'card', card: element,
   * billing_details: { name } })`, which resolves with `paymentMethod.id`, the token, or `error.message`.
   */
  global: z.string().regex(/^[A-Za-z]\w{0,63}$/),
  /** Shown to the browser: no secret. */
  publishableKey: text,
  options: z.record(z.string(), text).optional(),
  /** What the script needs of the policy of its page: scripts, frames (3-D Secure among them), requests. */
  scriptSources: sources,
  frameSources: sources,
  connectSources: sources,
});
export type CardScript = z.output<typeof CardScript>;
