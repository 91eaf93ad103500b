/** What merchant accounts are refused with, beside the rejections of the core. */
export type MerchantAccountRefusal =
  /** A masked secret stands where none is kept that it could mean. */
  {
    readonly type: 'CredentialMasked';
    readonly currency: string;
    readonly field: 'apiKey' | 'username' | 'password' | 'emailAddress';
  };
