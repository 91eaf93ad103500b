/** What customers are refused with, beside the rejections of the core. */
export type CustomerRefusal = { readonly type: 'EmailTaken' } | { readonly type: 'EmailInvalid' };
