/** What users and their signing in are refused with, beside the rejections of the core. */
export type UserRefusal =
  /** Another password, an email that is not known, a wrong code, or a user who is not active. */
  | { readonly type: 'SignInRefused' }
  /** The password is right, and a code is missing. */
  | { readonly type: 'SecondFactorRequired' }
  /** It was used, has expired or was replaced. */
  | { readonly type: 'LinkUnknown' }
  | { readonly type: 'PasswordTooWeak'; readonly min: number; readonly max: number };

/** The same request may be accepted later. */
export type TransientUserRefusal =
  /** Too many failed sign-ins in a row. */
  { readonly type: 'SignInDelayed'; readonly retryAt: string };
