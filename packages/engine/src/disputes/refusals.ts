/** What the calls about disputes may refuse with. */
export type DisputeRefusal =
  /** A search for mitigation needs one of these groups of filters. */
  | { readonly type: 'SearchTooBroad' }
  /** Nothing can be done about a report that matches no payment, but to match it. */
  | { readonly type: 'DisputeUnmatched' }
  | { readonly type: 'EvidenceTooLarge'; readonly max: number }
  /** By its first bytes, a file is of none of the types that evidence may have. */
  | { readonly type: 'EvidenceTypeUnknown' };
