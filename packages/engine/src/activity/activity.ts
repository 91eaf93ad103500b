/** The activity of a tenant: a record for each command, each refused one, and certain reads. */
import type { TenantId } from '@counterfoil/core';

export const OUTCOMES = ['done', 'refused', 'failed', 'replayed'] as const;
/**
 * `done`: carried out, also where the gateway declined. `refused`: for a reason of the request's.
 * `failed`: for another reason; it may have been carried out. `replayed`: answered as the request
 * before it under the same idempotency key.
 */
export type Outcome = (typeof OUTCOMES)[number];

/** Whose data a call is about: that of live or of test keys. */
export interface Owner {
  readonly tenantId: TenantId;
  readonly environment: 'live' | 'test';
}

/** What was done, by whom. */
export interface Activity {
  /** As the metadata of events name the caller. */
  readonly actor: string;
  readonly keyId: string | null;
  readonly requestId: string | null;
  /** The part of the ledger and its call: `payments.refund`. */
  readonly action: string;
  /** The id that it is about; null where there is none, or none is known. */
  readonly subject: string | null;
  readonly outcome: Outcome;
  /** Why it was refused or failed, as the caller was answered. */
  readonly code: string | null;
  readonly remoteAddress: string | null;
}

export interface ActivityRecord extends Activity {
  /** A UUIDv7 of the instant `at`: records sort by it. */
  readonly id: string;
  /** ISO 8601, GMT. */
  readonly at: string;
  readonly environment: Owner['environment'];
}

export interface ActivityFilter {
  readonly actor?: string | undefined;
  readonly keyId?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** Inclusive days, GMT. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

const LONGEST_SUBJECT = 100;
const SUBJECT = /^[\w.:/-]+$/;

/** An id as text; null for what is none. */
export function subjectText(id: unknown): string | null {
  if (typeof id === 'number') return String(id);
  if (typeof id !== 'string' || id.length > LONGEST_SUBJECT) return null;
  return SUBJECT.test(id) ? id : null;
}
