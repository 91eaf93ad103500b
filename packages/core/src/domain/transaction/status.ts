/** Every status of a transaction, and the transitions between them. */

/** The ids are part of the contract: stored, searched and shown, never renumbered. */
export const STATUS_ID = {
  Created: 10,
  Processing: 20,
  RequiresAction: 30,
  Authorized: 40,
  Captured: 50,
  Settled: 60,
  Declined: 70,
  Failed: 71,
  Blocked: 72,
  Expired: 73,
  Unknown: 74,
  Voided: 80,
  RefundPending: 90,
  Refunded: 91,
  RefundFailed: 92,
  ChargebackOpen: 100,
  ChargebackUnderReview: 101,
  ChargebackWon: 102,
  ChargebackLost: 103,
  ChargebackAccepted: 104,
  ChargebackWithdrawn: 105,
  AlertOpen: 110,
  AlertResolved: 111,
  AlertDeclined: 112,
  AlertExpired: 113,
} as const;

export type Status = keyof typeof STATUS_ID;

/** The transitions of each status; a status without any is final. */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  Created: ['Processing', 'Blocked'],
  Processing: ['RequiresAction', 'Authorized', 'Captured', 'Declined', 'Failed', 'Unknown'],
  RequiresAction: ['Processing', 'Declined', 'Expired'],
  Authorized: ['Captured', 'Expired', 'Voided'],
  Captured: ['Settled', 'Voided'],
  Settled: [],
  Declined: [],
  Failed: [],
  Blocked: [],
  Expired: [],
  /** Left only by asking the gateway. */
  Unknown: ['Authorized', 'Captured', 'Declined', 'Failed'],
  Voided: [],
  RefundPending: ['Refunded', 'RefundFailed'],
  /** A bank may send the money back. */
  Refunded: ['RefundFailed'],
  RefundFailed: [],
  ChargebackOpen: [
    'ChargebackUnderReview',
    'ChargebackLost',
    'ChargebackAccepted',
    'ChargebackWithdrawn',
  ],
  ChargebackUnderReview: ['ChargebackWon', 'ChargebackLost'],
  ChargebackWon: [],
  ChargebackLost: [],
  ChargebackAccepted: [],
  ChargebackWithdrawn: [],
  AlertOpen: ['AlertResolved', 'AlertDeclined', 'AlertExpired'],
  AlertResolved: [],
  AlertDeclined: [],
  AlertExpired: [],
};

export function mayMove(from: Status, to: Status): boolean {
  return TRANSITIONS[from].includes(to);
}

/**
 * Whether a status ends the attempt to take the money: `completed` is the time of the first of these.
 * A capture completes a payment though it may still be settled or voided, and a paid refund is complete
 * though its bank may send it back.
 */
export function completes(status: Status): boolean {
  return status === 'Captured' || status === 'Refunded' || TRANSITIONS[status].length === 0;
}

/**
 * Whether a record in this status counts as `success`: the payment was authorized or taken, or the
 * child did what it is for (the refund was paid, the chargeback took the money, the alert was resolved).
 */
export function succeeded(status: Status): boolean {
  return SUCCESSES.has(status);
}

const SUCCESSES: ReadonlySet<Status> = new Set([
  'Authorized',
  'Captured',
  'Settled',
  'Refunded',
  'ChargebackLost',
  'ChargebackAccepted',
  'AlertResolved',
]);

const NAME_OF_ID: ReadonlyMap<number, Status> = new Map(
  (Object.keys(STATUS_ID) as Status[]).map((status) => [STATUS_ID[status], status]),
);

/** The status of an id; undefined when there is none. */
export function statusOfId(id: number): Status | undefined {
  return NAME_OF_ID.get(id);
}
