/** The small closed lists of the contract: kinds of application, sources and types, brands, masks. */

/** What kind of act a record is. 1 to 5 start a payment, the others are children. */
export const APPLICATION_KIND = {
  Checkout: 1,
  Ecommerce: 2,
  Rebill: 3,
  RebillRetry: 4,
  Manual: 5,
  Refund: 10,
  Void: 11,
  Chargeback: 20,
  Alert: 30,
} as const;

/** Name shown for a kind, by id. */
export const APPLICATION_KIND_NAME: Readonly<Record<number, string>> = {
  1: 'Checkout',
  2: 'Ecommerce',
  3: 'Rebill',
  4: 'Rebill retry',
  5: 'Manual',
  10: 'Refund',
  11: 'Void',
  20: 'Chargeback',
  30: 'Alert',
};

/** A tenant's own applications start here; ids below are the kinds themselves. */
export const FIRST_OWN_APPLICATION_ID = 100;

/** The note of a failed payment that was to be sent, and that its gateway does not know. */
export const NEVER_RECEIVED = 'the gateway never received the payment';

/** `declineCode` of an attempt that the gateway did not make, since it refused the account's credentials. */
export const CREDENTIALS_REFUSED = 'credentials_refused';

export const REFUND_SOURCE = {
  None: 0,
  CustomerService: 1,
  Admin: 2,
  CardApi: 3,
  AlertProvider: 4,
  CDRN: 5,
  RDR: 6,
  System: 7,
  Gateway: 8,
} as const;
export type RefundSource = Exclude<keyof typeof REFUND_SOURCE, 'None'>;

export const ALERT_TYPE = {
  None: 0,
  ConfirmedFraud: 1,
  CustomerDispute: 2,
  EarlyFraudWarning: 3,
  AutoResolved: 4,
  OrderInquiry: 5,
  Cancellation: 6,
} as const;
export type AlertType = Exclude<keyof typeof ALERT_TYPE, 'None'>;

export const ALERT_SOURCE = {
  None: 0,
  AlertProvider: 1,
  CDRN: 2,
  RDR: 3,
  OrderInquiry: 4,
  Acquirer: 5,
  Manual: 6,
} as const;
export type AlertSource = Exclude<keyof typeof ALERT_SOURCE, 'None'>;

/** Bits of `blackListing`: what of the payer was on the list. */
export const BLACK_LISTING = {
  email: 1,
  cardFingerprint: 2,
  bin: 4,
  extendedBin: 8,
  ip: 16,
  customer: 32,
} as const;

/** Card network names by `cardBrandId`. */
export const CARD_BRAND: readonly string[] = [
  'Unknown',
  'NetworkA',
  'NetworkB',
  'NetworkC',
  'NetworkD',
  'NetworkE',
  'NetworkF',
];

/** Days in which a chargeback must be answered, by network, unless a tenant says otherwise. */
export const ANSWER_DAYS = {
  Unknown: 20,
  NetworkA: 30,
  NetworkB: 45,
  NetworkC: 20,
  NetworkD: 30,
  NetworkE: 30,
  NetworkF: 30,
} as const;
