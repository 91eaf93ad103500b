/** What a decline of Stripe means for the ledger: one table of its codes, and the advice of the networks. */

/**
 * `hard`: not with this card again. `soft`: perhaps later, or at another account.
 * `insufficient-funds` is soft, `expired` and `new-card` are hard, with a reason that a customer can act on.
 * `customer`: only with the customer present, so hard for a rebill.
 */
export type DeclineKind =
  | 'soft'
  | 'hard'
  | 'insufficient-funds'
  | 'expired'
  | 'new-card'
  | 'customer';

/** By `decline_code`, else by `code`. Everything else is soft, as a refusal without a reason is. */
export const DECLINE_KINDS: Readonly<Record<string, DeclineKind>> = {
  authentication_not_handled: 'customer',
  authentication_required: 'customer',
  approve_with_id: 'soft',
  call_issuer: 'soft',
  card_not_supported: 'new-card',
  card_velocity_exceeded: 'soft',
  currency_not_supported: 'hard',
  do_not_honor: 'soft',
  do_not_try_again: 'hard',
  duplicate_transaction: 'hard',
  expired_card: 'expired',
  fraudulent: 'hard',
  generic_decline: 'soft',
  incorrect_address: 'new-card',
  incorrect_cvc: 'new-card',
  incorrect_number: 'new-card',
  incorrect_pin: 'customer',
  incorrect_zip: 'new-card',
  insufficient_funds: 'insufficient-funds',
  invalid_account: 'hard',
  invalid_amount: 'hard',
  invalid_cvc: 'new-card',
  invalid_expiry_month: 'new-card',
  invalid_expiry_year: 'new-card',
  invalid_number: 'new-card',
  invalid_pin: 'customer',
  issuer_not_available: 'soft',
  lost_card: 'hard',
  merchant_blacklist: 'hard',
  new_account_information_available: 'new-card',
  no_action_taken: 'soft',
  not_permitted: 'hard',
  offline_pin_required: 'customer',
  online_or_offline_pin_required: 'customer',
  payment_intent_authentication_failure: 'customer',
  setup_intent_authentication_failure: 'customer',
  pickup_card: 'hard',
  pin_try_exceeded: 'new-card',
  processing_error: 'soft',
  reenter_transaction: 'soft',
  restricted_card: 'hard',
  revocation_of_all_authorizations: 'hard',
  revocation_of_authorization: 'hard',
  security_violation: 'hard',
  service_not_allowed: 'hard',
  stolen_card: 'hard',
  stop_payment_order: 'hard',
  testmode_decline: 'hard',
  transaction_not_allowed: 'hard',
  try_again_later: 'soft',
  withdrawal_count_limit_exceeded: 'insufficient-funds',
};

/** Advice codes of Mastercard that end the use of a card, or ask for its new data. */
const NETWORK_ADVICE: Readonly<Record<string, DeclineKind>> = {
  '01': 'new-card',
  '03': 'hard',
  '21': 'hard',
  '40': 'hard',
  '41': 'hard',
};

/** Of an error of Stripe, or of `last_payment_error`. */
export interface DeclineFacts {
  readonly code?: string | undefined;
  readonly decline_code?: string | undefined;
  readonly advice_code?: string | undefined;
  readonly network_advice_code?: string | undefined;
}

export interface Decline {
  readonly kind: DeclineKind;
  /** For the record: `insufficient_funds` and `expired_card` are known to the ledger. */
  readonly declineCode: string;
  readonly hard: boolean;
}

const SOFT: ReadonlySet<DeclineKind> = new Set(['soft', 'insufficient-funds']);

/** Advice makes a decline harder, never softer. */
export function declineOf(facts: DeclineFacts): Decline {
  const given = facts.decline_code ?? facts.code ?? 'generic_decline';
  const told = DECLINE_KINDS[given] ?? 'soft';
  const kind = SOFT.has(told) ? (advised(facts) ?? told) : told;
  const declineCode = KNOWN_CODES[kind] ?? given;
  return { kind, declineCode, hard: !SOFT.has(kind) };
}

/** What the ledger calls them; the others keep Stripe's code. */
const KNOWN_CODES: Readonly<Partial<Record<DeclineKind, string>>> = {
  'insufficient-funds': 'insufficient_funds',
  expired: 'expired_card',
};

function advised({ advice_code, network_advice_code }: DeclineFacts): DeclineKind | undefined {
  if (advice_code === 'do_not_try_again') return 'hard';
  if (advice_code === 'confirm_card_data') return 'new-card';
  return NETWORK_ADVICE[network_advice_code ?? ''];
}
