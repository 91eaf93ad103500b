/** Answers that are errors, and what planned faults answer. */
import type { Met } from './faults.ts';
import type { Answer } from './idempotency.ts';
import { StripeRefusal } from './refusal.ts';

export interface Reply extends Answer {
  readonly replayed?: boolean;
  /** The connection breaks instead. */
  readonly cut?: boolean;
}

/** Faults that come before anything is done or kept. */
export function failBefore({ fault }: Met, id: string): Reply | undefined {
  switch (fault.kind) {
    case 'cut':
      return fault.when === 'before'
        ? { status: 0, body: '', requestId: id, cut: true }
        : undefined;
    case 'error':
      return fault.when === 'before' && fault.kept === false
        ? serverError(fault.status, id)
        : undefined;
    case 'rateLimit':
      return refused(
        new StripeRefusal(
          429,
          'invalid_request_error',
          'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
          { code: 'rate_limit' },
        ),
        id,
      );
    case 'lockTimeout':
      return refused(
        new StripeRefusal(
          429,
          'invalid_request_error',
          'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request.',
          { code: 'lock_timeout' },
        ),
        id,
      );
    case 'stall':
      return undefined;
  }
}

export function serverError(status: number | undefined, id: string): Answer {
  const error = new StripeRefusal(
    status ?? 500,
    'api_error',
    'Sorry! There was an error while talking to one of our backends. Support has been notified.',
  );
  return refused(error, id);
}

export function refused(error: unknown, requestId: string): Answer {
  if (!(error instanceof StripeRefusal)) throw error;
  return { status: error.status, body: JSON.stringify(error.body()), requestId };
}
