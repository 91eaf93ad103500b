/** What calls about the black list refuse with, beside the rejections of the core. */
import type { BlackList } from '@counterfoil/core';

export type BlackListRefusal =
  /** No value of this kind has that form. */
  | { readonly type: 'BlackListValueInvalid'; readonly kind: BlackList.Kind }
  /** Either a value or a payment to take it from. */
  | { readonly type: 'ValueOrTransaction' }
  /** The payment has no such value, or none any more: its customer is erased. */
  | { readonly type: 'PayerValueUnknown'; readonly kind: BlackList.Kind };
