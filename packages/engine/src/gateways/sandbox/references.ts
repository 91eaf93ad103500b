/** Ids and codes derived from the idempotency key alone. */
import { hash } from 'node:crypto';
import { luhnCheckDigit } from '../card-number.ts';

const TRANSACTION_ID = /^sbx_([0-7][0-9a-f]{15})$/;
const AUTH_CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const AUTH_CODE_LENGTH = 6;
/** Of pages that no host has: interfaces with a page of their own show that. */
export const ACTION_URL = 'https://acs.sandbox.example/3ds/';

/** The 63 bits by which the books know a request: an SQLite integer that is never negative. */
export type RequestId = bigint;

export interface References {
  readonly requestId: RequestId;
  readonly gatewayTransactionId: string;
  /** Six characters, as issuers give them. */
  readonly authCode: string;
  /** Acquirer reference number: 23 digits, the last of them a check digit. */
  readonly arn: string;
}

export function referencesOf(idempotencyKey: string): References {
  const digest = hash('sha256', idempotencyKey, 'buffer');
  const requestId = requestIdIn(digest);
  const body = `7${sevenDigits(digest, 16)}${sevenDigits(digest, 20)}${sevenDigits(digest, 24)}`;
  let authCode = '';
  for (let index = 8; index < 8 + AUTH_CODE_LENGTH; index += 1) {
    authCode += AUTH_CODE_ALPHABET[digest.readUInt8(index) % AUTH_CODE_ALPHABET.length];
  }
  return {
    requestId,
    gatewayTransactionId: gatewayTransactionIdOf(requestId),
    authCode,
    arn: body + luhnCheckDigit(body),
  };
}

export function requestIdOf(idempotencyKey: string): RequestId {
  return requestIdIn(hash('sha256', idempotencyKey, 'buffer'));
}

function requestIdIn(digest: Buffer): RequestId {
  return digest.readBigUInt64BE(0) >> 1n;
}

function sevenDigits(digest: Buffer, offset: number): string {
  return String(digest.readUInt32BE(offset) % 10_000_000).padStart(7, '0');
}

export function gatewayTransactionIdOf(requestId: RequestId): string {
  return `sbx_${requestId.toString(16).padStart(16, '0')}`;
}

/** Undefined when the sandbox cannot have given out such an id. */
export function requestIdOfTransaction(gatewayTransactionId: string): RequestId | undefined {
  const hex = TRANSACTION_ID.exec(gatewayTransactionId)?.[1];
  return hex === undefined ? undefined : BigInt(`0x${hex}`);
}

/** Where the customer would be sent to prove who they are: a name reserved for examples. */
export function actionUrl(gatewayTransactionId: string): string {
  return ACTION_URL + gatewayTransactionId;
}
