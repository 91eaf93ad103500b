/** The equivalent mutants of the core, each with the reason. */
import type { EquivalentMutant } from './survivors.ts';

const ROUTED =
  'What was captured, or is asked of a gateway, has an attempt and so a route: the check is for the compiler.';
const HANDED_OVER = '`decide` hands over these commands alone: the compiler wants the last branch.';
const ZERO_EITHER_WAY = 'At zero both branches give zero.';

const customer = 'domain/customer.ts';
const dispute = 'domain/transaction/dispute.ts';
const monthlyCap = 'domain/monthly-cap.ts';
const payment = 'domain/transaction/payment.ts';
const refund = 'domain/transaction/refund.ts';
const state = 'domain/transaction/state.ts';
const schedule = 'domain/subscription/schedule.ts';
const subscription = 'domain/subscription/decide.ts';
const tenant = 'domain/tenant.ts';

const NO_ROUTE = { from: 'route === undefined', to: 'false', reason: ROUTED };
const UNHANDLED = {
  line: 'default:',
  from: 'default: return never(command);',
  to: 'default:',
  reason: HANDED_OVER,
};

export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    file: customer,
    line: 'if (card === null) return { paymentMethods, defaultPaymentMethodId };',
    from: '{ paymentMethods, defaultPaymentMethodId }',
    to: '{}',
    reason: 'It is laid over the customer, where what is not named stays as it is.',
  },
  {
    file: customer,
    line: 'return erasureRequestedAt !== null || erasedAt !== null;',
    from: 'erasedAt !== null',
    to: 'false',
    reason: 'Erases only who requested it: the request stays on record beside the end.',
  },
  {
    file: customer,
    line: 'return paymentMethods.find((each) => each.paymentMethodId !== defaultPaymentMethodId)',
    from: 'paymentMethods.find((each) => each.paymentMethodId !== defaultPaymentMethodId) ?.paymentMethodId',
    to: 'paymentMethods.find(each => each.paymentMethodId !== defaultPaymentMethodId).paymentMethodId',
    reason: 'It is asked of a full list, of which one at most is the default: there is a spare.',
  },
  {
    file: monthlyCap,
    line: "const [transactionId = '', attempt = ''] = id.split('/');",
    from: "''",
    to: '"Stryker was here!"',
    reason: 'The name of a reservation has both parts: the defaults are for the compiler.',
  },
  {
    file: monthlyCap,
    line: 'if (payment === null || made === undefined) {',
    from: 'payment === null',
    to: 'false',
    reason: 'Where there is no payment, there is no attempt either: the check is for the compiler.',
  },
  {
    file: 'domain/reference.ts',
    line: "if (command.type === 'DefineApplication' && command.applicationId < FIRST_OWN_APPLICATION_ID) {",
    from: "command.type === 'DefineApplication'",
    to: 'true',
    reason: 'No other command has an `applicationId`, and undefined is not below any number.',
  },
  {
    file: 'domain/reference.ts',
    line: 'return right(state !== null && sameContent(state, defined) ? [] : [defined]);',
    from: 'state !== null',
    to: 'true',
    reason: 'Nothing at all has other content than any event: the check is for the compiler.',
  },
  {
    file: subscription,
    line: "if (rebillAt === null || rebillAt > at) return left({ type: 'RebillNotDue', rebillAt });",
    from: 'rebillAt === null',
    to: 'false',
    reason: 'What has no date is inactive or frozen, and was refused before: for the compiler.',
  },
  {
    file: subscription,
    line: 'if (state.pending?.withFormerCard === true || !wasAsked(command)) {',
    from: 'state.pending?.withFormerCard',
    to: 'state.pending.withFormerCard',
    reason: 'An outcome that is news has a try that waits for it: the check is for the compiler.',
  },
  {
    file: subscription,
    line: 'return planned > earliest ? { retryAt: planned } : { retryAt: earliest };',
    from: 'planned > earliest',
    to: 'planned >= earliest',
    reason: 'When both are the same, it does not matter which is taken.',
  },
  {
    file: schedule,
    line: 'if (first === undefined) return { charges: [], nextFailure: null, ifDeclined: [] };',
    from: 'first === undefined',
    to: 'false',
    reason: 'Without a first try both loops end before they begin.',
  },
  {
    file: schedule,
    line: 'while (begun !== undefined && charges.length < count) {',
    from: 'begun !== undefined',
    to: 'true',
    reason:
      'After a charge that was approved there is always a next one: the check is for the compiler.',
  },
  {
    file: schedule,
    line: 'const at = rebillAt > now ? rebillAt : now;',
    from: 'rebillAt > now',
    to: 'rebillAt >= now',
    reason: 'When both are the same, it does not matter which is taken.',
  },
  {
    file: schedule,
    line: 'while (begun !== undefined && steps.length < MAX_STEPS) {',
    from: 'steps.length < MAX_STEPS',
    to: 'true',
    reason: 'No policy has so many steps: the bound is there so that no fault makes it endless.',
  },
  {
    file: schedule,
    line: 'while (begun !== undefined && steps.length < MAX_STEPS) {',
    from: 'steps.length < MAX_STEPS',
    to: 'steps.length <= MAX_STEPS',
    reason: 'No policy has so many steps: the bound is there so that no fault makes it endless.',
  },
  {
    file: schedule,
    line: "const SOFT = 'declined';",
    from: "'declined'",
    to: '""',
    reason: 'Any code but that of insufficient funds is a soft decline like the others.',
  },
  {
    file: schedule,
    line: 'retryInsufficientFunds: true,',
    from: 'true',
    to: 'false',
    reason: 'It is asked for insufficient funds alone, and these are not imagined.',
  },
  {
    file: schedule,
    line: 'return { ...IMAGINED, transactionId: pending?.transactionId ?? IMAGINED.transactionId };',
    from: 'pending?.transactionId',
    to: 'pending.transactionId',
    reason: 'Only a try that is under way is given an outcome: the check is for the compiler.',
  },
  {
    file: schedule,
    line: 'return isLeft(decision) ? [] : decision.right;',
    from: '[]',
    to: '["Stryker was here"]',
    reason:
      'Only what fits the state is asked for, and never refused: the check is for the compiler.',
  },
  {
    file: 'domain/routing.ts',
    line: 'if (maxPrice === null || payment.currency !== defaultCurrency) return false;',
    from: 'maxPrice === null',
    to: 'false',
    reason: 'Null is no amount to `toMinor`, and so no limit: the check is for the compiler.',
  },
  {
    file: tenant,
    line: 'if (key.expiresAt !== null && key.expiresAt <= at) {',
    from: 'key.expiresAt !== null',
    to: 'true',
    reason: 'Null is neither before nor after a text: the check is for the compiler.',
  },
  {
    file: tenant,
    line: 'key.expiresAt !== null && key.expiresAt < overlapEnd ? key.expiresAt : overlapEnd;',
    from: 'key.expiresAt !== null',
    to: 'true',
    reason: 'Null is neither before nor after a text: the check is for the compiler.',
  },
  {
    file: tenant,
    line: 'key.expiresAt !== null && key.expiresAt < overlapEnd ? key.expiresAt : overlapEnd;',
    from: 'key.expiresAt < overlapEnd',
    to: 'key.expiresAt <= overlapEnd',
    reason: 'When both ends are the same, it does not matter which is taken.',
  },
  {
    file: 'domain/transaction/balance.ts',
    line: 'return rest > 0n ? rest : 0n;',
    from: 'rest > 0n',
    to: 'rest >= 0n',
    reason: ZERO_EITHER_WAY,
  },
  { file: dispute, ...UNHANDLED },
  {
    file: dispute,
    line: "if ((status !== 'Captured' && status !== 'Settled') || route === undefined) {",
    ...NO_ROUTE,
  },
  {
    file: dispute,
    line: 'beyondCapturedMinor: beyond > 0n ? beyond : 0n,',
    from: 'beyond > 0n',
    to: 'beyond >= 0n',
    reason: ZERO_EITHER_WAY,
  },
  {
    file: dispute,
    line: 'if (chargeback === undefined || route === undefined) {',
    ...NO_ROUTE,
  },
  {
    file: dispute,
    line: 'if (route === undefined || payment.capturedMinor === 0n) {',
    from: 'route === undefined',
    to: 'false',
    reason: 'Where there is no route, nothing was captured either, and that is checked beside it.',
  },
  {
    file: 'domain/transaction/order.ts',
    line: 'return total < 0n ? 0n : total;',
    from: 'total < 0n',
    to: 'total <= 0n',
    reason: ZERO_EITHER_WAY,
  },
  {
    file: payment,
    line: "status === 'Created' || (status === 'Processing' && attempts.at(-1)?.outcome === 'declined');",
    from: 'attempts.at(-1)?.outcome',
    to: 'attempts.at(-1).outcome',
    reason: 'A payment is processed from its first attempt on: there is a last one.',
  },
  {
    file: payment,
    line: "const expected = payment.status === 'Processing' && isOpenTo(last, outcome);",
    from: "payment.status === 'Processing'",
    to: 'true',
    reason:
      'In any other status the last attempt is open to nothing but a decline of what is declined, which is known before.',
  },
  {
    file: payment,
    line: "(attempt.outcome === 'declined' && outcome.result === 'declined')",
    from: "attempt.outcome === 'declined'",
    to: 'true',
    reason: 'While a payment is processed, its last attempt is pending or declined.',
  },
  {
    file: payment,
    line: 'if (pending?.captureId !== command.captureId || route === undefined) {',
    ...NO_ROUTE,
  },
  {
    file: payment,
    line: 'if (payment.pendingVoid?.voidId !== voidId || route === undefined) {',
    ...NO_ROUTE,
  },
  {
    file: payment,
    line: "if (!mayMove(payment.status, 'Settled') || route === undefined)",
    ...NO_ROUTE,
  },
  {
    file: payment,
    line: 'if (amountMinor > heldMinor || route === undefined) {',
    from: 'route === undefined',
    to: 'false',
    reason: 'Without a route nothing is held, and any amount is more than that.',
  },
  {
    file: payment,
    line: 'if (dueAt !== undefined && expiryOf(payment)?.at !== dueAt) return right([]);',
    from: 'expiryOf(payment)?.at',
    to: 'expiryOf(payment).at',
    reason:
      'What may expire and has no request under way waits for an end: the check is for the compiler.',
  },
  { file: refund, ...UNHANDLED },
  {
    file: refund,
    line: "if (amountMinor < 0n) return left({ type: 'AmountNotPositive', amountMinor, currency });",
    from: 'amountMinor < 0n',
    to: 'amountMinor <= 0n',
    reason: 'Zero asks for the whole: here it has become what remains, which is more than nothing.',
  },
  {
    file: refund,
    line: 'if (variant === undefined) continue;',
    from: 'variant === undefined',
    to: 'false',
    reason: 'A refund is only asked for with variants of the order: the check is for the compiler.',
  },
  {
    file: refund,
    line: "if (refund === undefined || route === undefined) return left({ type: 'RefundUnknown', refundId });",
    ...NO_ROUTE,
  },
  {
    file: refund,
    line: "if ((status !== 'Captured' && status !== 'Settled') || route === undefined) {",
    ...NO_ROUTE,
  },
  {
    file: state,
    line: 'if (made.has(list)) return list;',
    from: 'made.has(list)',
    to: 'false',
    reason: 'A list of its own is copied once more: the payment is the same, only dearer to fold.',
  },
  {
    file: state,
    line: 'made.add(copy);',
    from: 'made.add(copy);',
    to: ';',
    reason: 'A list of its own is copied once more: the payment is the same, only dearer to fold.',
  },
];
