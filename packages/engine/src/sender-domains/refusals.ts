/** What the sender domains of a tenant are refused with, beside the rejections of the core. */
export type SenderDomainRefusal =
  /** A selector without a private key, or a key without a selector. */
  | { readonly type: 'DkimIncomplete'; readonly missing: 'dkimSelector' | 'dkimPrivateKey' }
  | { readonly type: 'DkimKeyInvalid' };
