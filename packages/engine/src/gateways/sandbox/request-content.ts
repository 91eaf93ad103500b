/** What makes two requests under one idempotency key the same request. */
import { hash } from 'node:crypto';
import type { ChargeRequest, FollowUpOperation, FollowUpRequest } from '../payment-gateway.ts';

/**
 * Without the cvv, whose thousand values a digest does not hide, and without the credentials,
 * which may be rotated between two tries.
 */
export function contentOfCharge(request: ChargeRequest): string {
  const { account, amountMinor, currency, token, capture, descriptor, avs } = request;
  return digestOf([
    'charge',
    account.merchantAccountId,
    amountMinor.toString(),
    currency,
    token,
    capture,
    descriptor,
    avs?.postalCode ?? null,
    avs?.address ?? null,
  ]);
}

export function contentOfFollowUp(
  operation: FollowUpOperation | 'confirm',
  { account, amountMinor, currency, gatewayTransactionId }: FollowUpRequest,
): string {
  return digestOf([
    operation,
    account.merchantAccountId,
    amountMinor.toString(),
    currency,
    gatewayTransactionId,
  ]);
}

/** A JSON list, so that no two lists of parts run together into one text. */
function digestOf(parts: readonly (string | number | boolean | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
