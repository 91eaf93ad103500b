/** What a tenant's callers may know of the mails to customers. */
import { type Acting, sandboxOf } from '../acting.ts';
import type { MailSettings } from './mail-settings.ts';

export class TenantMails {
  readonly #settings: MailSettings | undefined;
  readonly #acting: Acting;

  constructor(settings: MailSettings | undefined, acting: Acting) {
    this.#settings = settings;
    this.#acting = acting;
  }

  /** Why no mail about these data is sent; undefined when it is. */
  whyNone(
    data: { readonly sandbox?: boolean | undefined } = {},
  ): 'no-settings' | 'sandbox' | undefined {
    if (this.#settings === undefined) return 'no-settings';
    return sandboxOf(this.#acting, data.sandbox) && !this.#settings.sandbox ? 'sandbox' : undefined;
  }
}
