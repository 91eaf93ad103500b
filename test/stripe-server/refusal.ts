/** Errors in Stripe's shape; handlers throw them. */
import type Stripe from 'stripe';

export interface ErrorFacts {
  readonly param?: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly advice_code?: string;
  readonly network_advice_code?: string;
  readonly network_decline_code?: string;
  readonly charge?: string;
  readonly payment_intent?: Stripe.PaymentIntent;
  readonly payment_method?: Stripe.PaymentMethod;
  readonly setup_intent?: Stripe.SetupIntent;
}

export type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export class StripeRefusal extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly facts: ErrorFacts;

  constructor(status: number, type: ErrorType, message: string, facts: ErrorFacts = {}) {
    super(message);
    this.name = 'StripeRefusal';
    this.status = status;
    this.type = type;
    this.facts = facts;
  }

  body(): object {
    const { code } = this.facts;
    return {
      error: {
        type: this.type,
        message: this.message,
        ...this.facts,
        ...(code === undefined
          ? {}
          : { doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }),
      },
    };
  }
}

export function invalidRequest(message: string, facts: ErrorFacts = {}): StripeRefusal {
  return new StripeRefusal(400, 'invalid_request_error', message, facts);
}

/** An object named in the path is 404, one named by a parameter is 400. */
export function missing(kind: string, id: string, param: string, status = 404): StripeRefusal {
  return new StripeRefusal(status, 'invalid_request_error', `No such ${kind}: '${id}'`, {
    code: 'resource_missing',
    param,
  });
}

export function unauthorized(message: string, code?: string): StripeRefusal {
  return new StripeRefusal(
    401,
    'invalid_request_error',
    message,
    code === undefined ? {} : { code },
  );
}

export function forbidden(message: string, code?: string): StripeRefusal {
  return new StripeRefusal(
    403,
    'invalid_request_error',
    message,
    code === undefined ? {} : { code },
  );
}
