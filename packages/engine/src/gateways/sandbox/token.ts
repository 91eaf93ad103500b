/**
 * Sandbox tokens: what is known of a card travels in its token, so that a kept one goes on behaving
 * even for a sandbox with new books, and costs no write of its own.
 */
import { hash } from 'node:crypto';
import { uuidV7 } from '../../ids.ts';
import type { CardToken } from '../payment-gateway.ts';
import { type Behaviour, isBehaviour } from './outcomes.ts';

const TOKEN = /^(tok_sbx_([a-z-]+)_([\w-]+)\.([0-9a-f]{16}))([0-9a-f]{8})$/;
const CONTENT = /^(\d{6})\.(\d{4})\.(\d{1,2})\.(\d{4})\.(.*)$/s;
const RANDOM_FROM = -17;
const CHECK_LENGTH = 8;

/** A token of its own for every time it is asked, as a vault would give. */
export function newToken(behaviour: Behaviour, card: Omit<CardToken, 'token'>): CardToken {
  const { bin, last4, expMonth, expYear, fingerprint } = card;
  const content = `${bin}.${last4}.${expMonth}.${expYear}.${fingerprint}`;
  // The random end of a UUID: 16 hex digits once its last dash is gone.
  const random = uuidV7().slice(RANDOM_FROM).replace('-', '');
  const start = `tok_sbx_${behaviour}_${Buffer.from(content).toString('base64url')}.${random}`;
  return { token: start + checkOf(start), ...card };
}

/** Undefined when the sandbox never gave out such a token. */
export function behaviourOfToken(token: string): Behaviour | undefined {
  return partsOf(token)?.behaviour;
}

export function cardOfToken(token: string): CardToken | undefined {
  const encoded = partsOf(token)?.encoded ?? '';
  const content = CONTENT.exec(Buffer.from(encoded, 'base64url').toString());
  if (content === null) return undefined;
  const [, bin = '', last4 = '', expMonth, expYear, fingerprint = ''] = content;
  return { token, bin, last4, expMonth: Number(expMonth), expYear: Number(expYear), fingerprint };
}

function partsOf(token: string) {
  const [, start, behaviour, encoded, , check] = TOKEN.exec(token) ?? [];
  if (start === undefined || behaviour === undefined || encoded === undefined) return undefined;
  return isBehaviour(behaviour) && check === checkOf(start) ? { behaviour, encoded } : undefined;
}

/** Detects copying errors. Not a protection against forgery. */
function checkOf(start: string): string {
  return hash('sha256', start, 'hex').slice(0, CHECK_LENGTH);
}
