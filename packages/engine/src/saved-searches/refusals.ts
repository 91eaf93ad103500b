/** What saved searches are refused with, beside the rejections of the core. */
export type SavedSearchRefusal =
  /** It would outlive the erasure of the person. */
  { readonly type: 'SearchOfOnePerson'; readonly filters: readonly string[] };
