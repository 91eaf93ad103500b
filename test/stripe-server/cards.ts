/** Stripe's published test cards, by number and by token, with their documented outcomes. */

export interface Decline {
  readonly code: string;
  readonly declineCode: string;
  readonly message: string;
  readonly adviceCode?: 'confirm_card_data' | 'do_not_try_again' | 'try_again_later';
  readonly networkDeclineCode?: string;
  readonly networkAdviceCode?: string;
  /** Blocked by Stripe's own rules: the bank was not asked. */
  readonly blocked?: true;
}

export type CheckResult = 'pass' | 'fail' | 'unavailable' | 'unchecked';

export interface TestCard {
  readonly number: string;
  readonly tokens: readonly string[];
  readonly brand: string;
  readonly funding: 'credit' | 'debit' | 'prepaid';
  readonly country: string;
  readonly decline?: Decline;
  /** Attaches to a customer although charges fail. */
  readonly attaches?: true;
  /**
   * `always`: on-session with 3-D Secure, off-session refused. `unlessSetUp`: also, until it was set up.
   * `onSession`: off-session charges pass. `onRequest`: only where the caller asks for it.
   */
  readonly authentication?: 'always' | 'unlessSetUp' | 'onSession' | 'onRequest';
  readonly cvcCheck?: CheckResult;
  readonly line1Check?: CheckResult;
  readonly postalCodeCheck?: CheckResult;
  readonly risk?: 'elevated' | 'highest';
  readonly dispute?: { readonly reason: string; readonly inquiry: boolean };
  readonly earlyFraudWarning?: true;
  readonly refunds?: 'pending' | 'failLater';
  /** Funds are available at once. */
  readonly bypassesPending?: true;
}

export const DECLINES = {
  generic: {
    code: 'card_declined',
    declineCode: 'generic_decline',
    message: 'Your card was declined.',
    adviceCode: 'try_again_later',
    networkDeclineCode: '05',
  },
  insufficientFunds: {
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
    adviceCode: 'try_again_later',
    networkDeclineCode: '51',
  },
  lost: {
    code: 'card_declined',
    declineCode: 'lost_card',
    message: 'Your card was declined.',
    adviceCode: 'do_not_try_again',
    networkDeclineCode: '41',
  },
  stolen: {
    code: 'card_declined',
    declineCode: 'stolen_card',
    message: 'Your card was declined.',
    adviceCode: 'do_not_try_again',
    networkDeclineCode: '43',
  },
  expired: {
    code: 'expired_card',
    declineCode: 'expired_card',
    message: 'Your card has expired.',
    adviceCode: 'confirm_card_data',
    networkDeclineCode: '54',
  },
  incorrectCvc: {
    code: 'incorrect_cvc',
    declineCode: 'incorrect_cvc',
    message: "Your card's security code is incorrect.",
    adviceCode: 'confirm_card_data',
    networkDeclineCode: 'N7',
  },
  processingError: {
    code: 'processing_error',
    declineCode: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
    adviceCode: 'try_again_later',
    networkDeclineCode: '96',
  },
  velocity: {
    code: 'card_declined',
    declineCode: 'card_velocity_exceeded',
    message:
      'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
    adviceCode: 'try_again_later',
    networkDeclineCode: '61',
  },
  fraudulent: {
    code: 'card_declined',
    declineCode: 'fraudulent',
    message: 'Your card was declined.',
    blocked: true,
  },
  authenticationRequired: {
    code: 'authentication_required',
    declineCode: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
  liveModeTestCard: {
    code: 'card_declined',
    declineCode: 'live_mode_test_card',
    message:
      'Your card was declined. Your request was in live mode, but used a known test card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
  },
  testModeLiveCard: {
    code: 'card_declined',
    declineCode: 'test_mode_live_card',
    message:
      'Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
  },
} satisfies Record<string, Decline>;

type Traits = Partial<Omit<TestCard, 'number' | 'tokens'>>;

function card(number: string, tokens: string, traits: Traits = {}): TestCard {
  return {
    number,
    tokens: tokens.split(' '),
    brand: 'visa',
    funding: 'credit',
    country: 'US',
    ...traits,
  };
}

export const TEST_CARDS: readonly TestCard[] = [
  card('4242424242424242', 'pm_card_visa pm_card_us'),
  card('4000056655665556', 'pm_card_visa_debit', { funding: 'debit' }),
  card('5555555555554444', 'pm_card_mastercard', { brand: 'mastercard' }),
  card('2223003122003222', 'pm_card_mastercard_2series', { brand: 'mastercard' }),
  card('5200828282828210', 'pm_card_mastercard_debit', { brand: 'mastercard', funding: 'debit' }),
  card('5105105105105100', 'pm_card_mastercard_prepaid', {
    brand: 'mastercard',
    funding: 'prepaid',
  }),
  card('378282246310005', 'pm_card_amex', { brand: 'amex' }),
  card('6011111111111117', 'pm_card_discover', { brand: 'discover' }),
  card('3056930009020004', 'pm_card_diners', { brand: 'diners' }),
  card('3566002020360505', 'pm_card_jcb', { brand: 'jcb', country: 'JP' }),
  card('6200000000000005', 'pm_card_unionpay', { brand: 'unionpay', country: 'CN' }),
  card('4000008260000000', 'pm_card_gb', { country: 'GB' }),
  card('4000002760000016', 'pm_card_de', { country: 'DE' }),

  card('4000000000000002', 'pm_card_visa_chargeDeclined pm_card_chargeDeclined', {
    decline: DECLINES.generic,
  }),
  card('4000000000009995', 'pm_card_visa_chargeDeclinedInsufficientFunds', {
    decline: DECLINES.insufficientFunds,
  }),
  card('4000000000009987', 'pm_card_visa_chargeDeclinedLostCard', { decline: DECLINES.lost }),
  card('4000000000009979', 'pm_card_visa_chargeDeclinedStolenCard', { decline: DECLINES.stolen }),
  card('4000000000000069', 'pm_card_chargeDeclinedExpiredCard', { decline: DECLINES.expired }),
  card('4000000000000127', 'pm_card_chargeDeclinedIncorrectCvc', {
    decline: DECLINES.incorrectCvc,
    cvcCheck: 'fail',
  }),
  card('4000000000000119', 'pm_card_chargeDeclinedProcessingError', {
    decline: DECLINES.processingError,
  }),
  card('4000000000006975', 'pm_card_visa_chargeDeclinedVelocityLimitExceeded', {
    decline: DECLINES.velocity,
  }),
  card('4000000000000341', 'pm_card_chargeCustomerFail', {
    decline: DECLINES.generic,
    attaches: true,
  }),
  card('4100000000000019', 'pm_card_radarBlock', {
    decline: DECLINES.fraudulent,
    attaches: true,
    risk: 'highest',
  }),
  card('4000000000004954', 'pm_card_riskLevelHighest', { risk: 'highest' }),
  card('4000000000009235', 'pm_card_riskLevelElevated', { risk: 'elevated' }),

  card('4000000000000101', 'pm_card_cvcCheckFail', { cvcCheck: 'fail' }),
  card('4000000000000036', 'pm_card_avsZipFail', { postalCodeCheck: 'fail' }),
  card('4000000000000028', 'pm_card_avsLine1Fail', { line1Check: 'fail' }),
  card('4000000000000010', 'pm_card_avsFail', { line1Check: 'fail', postalCodeCheck: 'fail' }),
  card('4000000000000044', 'pm_card_avsUnchecked', {
    line1Check: 'unavailable',
    postalCodeCheck: 'unavailable',
  }),

  card('4000000000003220', 'pm_card_threeDSecure2Required', { authentication: 'always' }),
  card('4000000000003063', 'pm_card_threeDSecureRequired', { authentication: 'always' }),
  card('4000000000003055', 'pm_card_threeDSecureOptional', { authentication: 'onRequest' }),
  card('4000002760003184', 'pm_card_authenticationRequired', { authentication: 'always' }),
  card('4000002500003155', 'pm_card_authenticationRequiredOnSetup', {
    authentication: 'unlessSetUp',
  }),
  card('4000003800000446', 'pm_card_authenticationRequiredSetupForOffSession', {
    authentication: 'onSession',
  }),
  card('4000008260003178', 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds', {
    authentication: 'always',
    decline: DECLINES.insufficientFunds,
    attaches: true,
  }),
  card('4000008400001629', 'pm_card_threeDSecureRequiredChargeDeclined', {
    authentication: 'always',
    decline: DECLINES.generic,
    attaches: true,
  }),

  card('4000000000000259', 'pm_card_createDispute', {
    dispute: { reason: 'fraudulent', inquiry: false },
  }),
  card('4000000000002685', 'pm_card_createDisputeProductNotReceived', {
    dispute: { reason: 'product_not_received', inquiry: false },
  }),
  card('4000000000001976', 'pm_card_createDisputeInquiry', {
    dispute: { reason: 'fraudulent', inquiry: true },
  }),
  card('4000000000005423', 'pm_card_createIssuerFraudRecord', { earlyFraudWarning: true }),
  card('4000000000007726', 'pm_card_pendingRefund', { refunds: 'pending' }),
  card('4000000000005126', 'pm_card_refundFail', { refunds: 'failLater' }),
  card('4000000000000077', 'pm_card_bypassPending', { bypassesPending: true }),
];

const byNumber = new Map(TEST_CARDS.map((each) => [each.number, each]));
const byToken = new Map(TEST_CARDS.flatMap((each) => each.tokens.map((token) => [token, each])));

export const cardOfNumber = (number: string): TestCard | undefined => byNumber.get(number);
export const cardOfToken = (token: string): TestCard | undefined => byToken.get(token);

/** The check digit of a card number (ISO/IEC 7812-1). */
export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
