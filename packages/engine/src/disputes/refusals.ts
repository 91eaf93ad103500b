/** What disputes are refused with, beside the rejections of the core. */
export type DisputeRefusal =
  /** A search for mitigation needs one of these groups of filters. */
  { readonly type: 'SearchTooBroad' };
