/** Why a payment cannot be refunded, captured or voided as it is now. The domain decides; here it is in words. */
import { Transaction } from '@counterfoil/core';
import { type PaymentView, refused } from '@counterfoil/engine';
import type { Visit } from '../slice.ts';
import type { Action } from './detail.ts';

/** The engine has looked at the refund window, which is the tenant's: see `refundableMinor`. */
const ANY_TIME = { refundWindowDays: 0, forceAllowRefunds: true };
const TOO_LATE = 'It was captured too long ago: the refund window of the company has passed';

function refusalOf(
  action: Action,
  payment: Transaction.Payment,
  now: string,
): Transaction.Rejection | undefined {
  if (action === 'capture') return Transaction.captureRefusal(payment);
  if (action === 'void') return Transaction.voidRefusal(payment);
  return Transaction.refundRefusal(payment, ANY_TIME, now);
}

/** Undefined where it can be done. */
export function whyNot(
  { services }: Visit,
  action: Action,
  { payment, refundableMinor }: Pick<PaymentView, 'payment' | 'refundableMinor'>,
): string | undefined {
  const refusal = refusalOf(action, payment, services.now());
  if (refusal !== undefined) return services.refusalOf(refused(refusal))?.message;
  return action === 'refund' && refundableMinor <= 0n ? TOO_LATE : undefined;
}
