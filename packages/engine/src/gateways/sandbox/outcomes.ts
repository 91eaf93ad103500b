/** What the sandbox does for each card number: the table that its users read. */

/** What the issuer says to a charge, or after the customer did what was asked. */
type Verdict =
  | { readonly says: 'approve' }
  | { readonly says: 'decline'; readonly declineCode: string; readonly hard: boolean }
  | { readonly says: 'fail' };

/** Of one charge in `oneIn`, by its key; the others are approved. */
type Recurring = { readonly oneIn: number } & Pick<Outcome, 'verdict' | 'actionRequired'>;

export interface Outcome {
  /** What a user of the sandbox sees happen. */
  readonly meaning: string;
  readonly verdict: Verdict;
  /** The customer has to act first; the verdict is that of `confirm`. */
  readonly actionRequired?: true;
  /** What becomes of a charge for a subscription after the first; absent: the same as of any other. */
  readonly recurring?: Recurring;
  /** How the charge's answer comes back; absent: at once. */
  readonly chargeAnswer?: 'slow' | 'lost' | 'never-received';
  /** How refunds end; absent: done at once. */
  readonly refund?: 'fails' | 'answer-lost';
  /** The notice after the capture. */
  readonly notice?: 'chargeback' | 'alert';
}

const APPROVE = { says: 'approve' } as const;

/** The name of a behaviour stands in tokens that are kept for years: never rename one. */
export const OUTCOMES = {
  approve: { meaning: 'approved', verdict: APPROVE },
  'insufficient-funds': {
    meaning: 'declined: insufficient funds',
    verdict: { says: 'decline', declineCode: 'insufficient_funds', hard: false },
  },
  'do-not-honour': {
    meaning: 'declined: do not honour',
    verdict: { says: 'decline', declineCode: 'do_not_honor', hard: false },
  },
  stolen: {
    meaning: 'declined: stolen card',
    verdict: { says: 'decline', declineCode: 'stolen_card', hard: true },
  },
  expired: {
    meaning: 'declined: expired card',
    verdict: { says: 'decline', declineCode: 'expired_card', hard: true },
  },
  'processing-error': { meaning: 'failed: processing error', verdict: { says: 'fail' } },
  'action-approve': {
    meaning: '3-D Secure required, then approved',
    verdict: APPROVE,
    actionRequired: true,
  },
  'action-decline': {
    meaning: '3-D Secure required, then declined',
    verdict: { says: 'decline', declineCode: 'do_not_honor', hard: false },
    actionRequired: true,
  },
  'timeout-approve': {
    meaning: 'no answer; found approved when asked',
    verdict: APPROVE,
    chargeAnswer: 'lost',
  },
  'timeout-decline': {
    meaning: 'no answer; found declined when asked',
    verdict: { says: 'decline', declineCode: 'do_not_honor', hard: false },
    chargeAnswer: 'lost',
  },
  'timeout-nothing': {
    meaning: 'no answer; the gateway never received the charge',
    verdict: { says: 'fail' },
    chargeAnswer: 'never-received',
  },
  slow: { meaning: 'approved after a delay', verdict: APPROVE, chargeAnswer: 'slow' },
  'refund-fails': { meaning: 'approved; refunds fail', verdict: APPROVE, refund: 'fails' },
  'refund-timeout': {
    meaning: 'approved; refunds get no answer and are found done when asked',
    verdict: APPROVE,
    refund: 'answer-lost',
  },
  chargeback: {
    meaning: 'approved; a chargeback after the capture',
    verdict: APPROVE,
    notice: 'chargeback',
  },
  alert: { meaning: 'approved; an alert after the capture', verdict: APPROVE, notice: 'alert' },
  'recurring-insufficient-funds': {
    meaning: 'approved; rebills are declined: insufficient funds',
    verdict: APPROVE,
    recurring: {
      oneIn: 1,
      verdict: { says: 'decline', declineCode: 'insufficient_funds', hard: false },
    },
  },
  'recurring-stolen': {
    meaning: 'approved; rebills are declined: stolen card',
    verdict: APPROVE,
    recurring: { oneIn: 1, verdict: { says: 'decline', declineCode: 'stolen_card', hard: true } },
  },
  'recurring-sometimes': {
    meaning: 'approved; one rebill in four is declined: do not honour',
    verdict: APPROVE,
    recurring: { oneIn: 4, verdict: { says: 'decline', declineCode: 'do_not_honor', hard: false } },
  },
  'recurring-action': {
    meaning: 'approved; rebills require 3-D Secure',
    verdict: APPROVE,
    recurring: { oneIn: 1, verdict: APPROVE, actionRequired: true },
  },
} as const satisfies Readonly<Record<string, Outcome>>;

export type Behaviour = keyof typeof OUTCOMES;

export function outcomeOf(behaviour: Behaviour): Outcome {
  return OUTCOMES[behaviour];
}

export function isBehaviour(text: string): text is Behaviour {
  return Object.hasOwn(OUTCOMES, text);
}

export interface SandboxCard {
  readonly number: string;
  readonly behaviour: Behaviour;
}

/**
 * Numbers that mean something like it elsewhere (Stripe's test cards above all) mean it here too.
 * Every other valid number is approved.
 */
export const SANDBOX_CARDS: readonly SandboxCard[] = [
  { number: '4242424242424242', behaviour: 'approve' }, // NetworkA
  { number: '5555555555554444', behaviour: 'approve' }, // NetworkB
  { number: '378282246310005', behaviour: 'approve' }, // NetworkC
  { number: '6011111111111117', behaviour: 'approve' }, // NetworkD
  { number: '3566002020360505', behaviour: 'approve' }, // NetworkE
  { number: '3056930009020004', behaviour: 'approve' }, // NetworkF
  { number: '4000000000009995', behaviour: 'insufficient-funds' },
  { number: '4000000000000002', behaviour: 'do-not-honour' },
  { number: '4000000000009979', behaviour: 'stolen' },
  { number: '4000000000000069', behaviour: 'expired' },
  { number: '4000000000000119', behaviour: 'processing-error' },
  { number: '4000000000003220', behaviour: 'action-approve' },
  { number: '4000008400001629', behaviour: 'action-decline' },
  { number: '4000000000040818', behaviour: 'timeout-approve' },
  { number: '4000000000040826', behaviour: 'timeout-decline' },
  { number: '4000000000040834', behaviour: 'timeout-nothing' },
  { number: '4000000000002024', behaviour: 'slow' },
  { number: '4000000000005126', behaviour: 'refund-fails' },
  { number: '4000000000007726', behaviour: 'refund-timeout' },
  { number: '4000000000000259', behaviour: 'chargeback' },
  { number: '4000000000005423', behaviour: 'alert' },
  { number: '4000000000000341', behaviour: 'recurring-insufficient-funds' },
  { number: '4000000000000358', behaviour: 'recurring-stolen' },
  { number: '4000000000000366', behaviour: 'recurring-sometimes' },
  { number: '4000002760003184', behaviour: 'recurring-action' },
];

const BEHAVIOUR_OF_NUMBER: ReadonlyMap<string, Behaviour> = new Map(
  SANDBOX_CARDS.map(({ number, behaviour }) => [number, behaviour]),
);

export function behaviourOfNumber(digits: string): Behaviour {
  return BEHAVIOUR_OF_NUMBER.get(digits) ?? 'approve';
}
