/** What callers may search and report of disputes. */
import { Dispute, DisputeEvidence, WebhookEndpoints } from '@counterfoil/core';
import { QUEUE_STATUS } from '@counterfoil/projections';
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import {
  bounded,
  CurrencyCode,
  Day,
  EmailText,
  IN_ORDER,
  inOrder,
  name,
  pattern,
  text,
  Uuid,
} from '../input/texts.ts';
import { AmountText } from '../payments/index.ts';
import { SigningSecret } from '../webhooks/index.ts';

// Filter values are neither stored nor logged, and references may have as many digits as a card.
const reference = mayHoldCardNumber(text(255));

/** All that is given must hold. Names, emails and descriptors: without regard to case. */
export const MitigationSearch = z
  .strictObject({
    email: EmailText.optional(),
    orderId: mayHoldCardNumber(z.int()).optional(),
    bin: pattern(/^(\d{6}|\d{8})$/, { max: 8, detail: 'must be 6 or 8 digits' }).optional(),
    last4: pattern(/^\d{4}$/, { max: 4, detail: 'must be 4 digits' }).optional(),
    firstName: text(200).optional(),
    lastName: text(200).optional(),
    authCode: text(64).optional(),
    /** The acquirer's reference of the payment, or of a refund. */
    arn: reference.optional(),
    /** `amount` of the search record, in major units, matched exactly. */
    amount: z.number().optional(),
    currencyCode: CurrencyCode.optional(),
    dateFrom: Day.optional(),
    dateTo: Day.optional(),
    mid: reference.optional(),
    descriptorExactMatch: text(100).optional(),
    descriptorContains: text(100).optional(),
  })
  .refine(inOrder, IN_ORDER);
export type MitigationSearch = z.input<typeof MitigationSearch>;

type Filter = keyof MitigationSearch;

/** A search must name all filters of one of these groups. */
const ENOUGH: readonly (readonly Filter[])[] = [
  ['email'],
  ['orderId'],
  ['arn'],
  ['authCode'],
  ['bin', 'last4'],
  ['mid', 'amount'],
  ['amount', 'dateFrom', 'dateTo'],
];

export function isNarrow(search: MitigationSearch): boolean {
  const isGiven = (filter: Filter) => search[filter] !== undefined && search[filter] !== '';
  return ENOUGH.some((group) => group.every(isGiven));
}

const Provider = WebhookEndpoints.SourceName;
const Instant = bounded(64).check(z.iso.datetime({ precision: 3 }));

const report = {
  /** A name of one's own for who reports. */
  provider: Provider,
  /** The provider's own: the same one reports the same dispute. */
  reference: mayHoldCardNumber(name(255)),
  /** In major units, as the network disputes it. */
  amount: AmountText,
  currency: CurrencyCode,
  /** A payment, or one of its children. */
  transactionId: Uuid.optional(),
  gatewayTransactionId: reference.optional(),
  arn: reference.optional(),
  orderId: mayHoldCardNumber(z.int()).optional(),
  /** When it began: at most a day from now; the time of the report when absent. */
  openedAt: Instant.optional(),
  note: text(1_000).optional(),
  /** Live when absent. */
  sandbox: z.boolean().optional(),
};

/** A report leads to a payment by at least one of these. */
const PLACES = ['transactionId', 'gatewayTransactionId', 'arn', 'orderId'] as const;

function namesPayment(given: { readonly [Name in (typeof PLACES)[number]]?: unknown }): boolean {
  return PLACES.some((place) => given[place] !== undefined && given[place] !== '');
}
const NAMELESS = { message: `must have one of ${PLACES.join(', ')}` };

const { alertType, alertSource } = Dispute.Claim.shape;

export const ChargebackReport = z
  .strictObject({
    ...report,
    /** `ChargebackOpen` when absent. */
    status: z.enum(Dispute.REPORTED.chargeback).optional(),
    reasonCode: text(64).optional(),
    /** By the rules of the card's network when absent. */
    respondBy: Instant.optional(),
  })
  .refine(namesPayment, NAMELESS);
export type ChargebackReport = z.input<typeof ChargebackReport>;

export const AlertReport = z
  .strictObject({
    ...report,
    /** `AlertOpen` when absent; of RDR `AlertResolved`, as the network has decided already. */
    status: z.enum(Dispute.REPORTED.alert).optional(),
    type: alertType.unwrap(),
    source: alertSource.unwrap(),
  })
  .refine(namesPayment, NAMELESS);
export type AlertReport = z.input<typeof AlertReport>;

export const ProviderSecret = z.strictObject({
  provider: Provider,
  /** 24 to 64 bytes in base64 behind `whsec_`; a new one when absent. */
  secret: SigningSecret.optional(),
});
export type ProviderSecret = z.input<typeof ProviderSecret>;
export { Provider };

const MAX_LIMIT = 100;

/** All that is given must hold. */
export const DisputeList = z.strictObject({
  /** Live when absent. */
  sandbox: z.boolean().optional(),
  /** Those that wait for something when absent: `Unmatched`, open ones and those under review. */
  statuses: z.array(z.enum(QUEUE_STATUS)).max(QUEUE_STATUS.length).optional(),
  kind: z.enum(['chargeback', 'alert']).optional(),
  merchantAccountIds: z.array(z.int().positive()).max(1_000).optional(),
  /** To be answered by then; chargebacks that exceed the capture besides. */
  dueBy: Instant.optional(),
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
  /** `end` of the page before. */
  after: mayHoldCardNumber(z.strictObject({ sort: z.number(), key: bounded(1_000) })).optional(),
});
export type DisputeList = z.input<typeof DisputeList>;

const note = text(1_000).optional();
export const DisputeNote = z.strictObject({ note });
export type DisputeNote = z.input<typeof DisputeNote>;

const MAX_FIELDS = 50;

const Digest = pattern(/^[0-9a-f]{64}$/, { max: 64, detail: 'must be a SHA-256 in hex' });

export const RepresentmentInput = z.strictObject({
  note,
  /** Of files that were kept for this dispute; all of them when absent. */
  digests: z.array(Digest).max(DisputeEvidence.MAX_FILES).optional(),
  /** What is said besides: such as `trackingNumber`, `customerCommunication`. */
  fields: z
    .record(pattern(/^[A-Za-z][A-Za-z0-9_]*$/, { max: 64, detail: 'must be a name' }), text(20_000))
    .refine((given) => Object.keys(given).length <= MAX_FIELDS, {
      message: `must have at most ${MAX_FIELDS} fields`,
    })
    .optional(),
});
export type RepresentmentInput = z.input<typeof RepresentmentInput>;

export const EvidenceInput = z.strictObject({
  name: name(255),
  content: z.instanceof(Uint8Array),
});
export type EvidenceInput = z.input<typeof EvidenceInput>;

export const DisputeMatch = z.strictObject({ transactionId: Uuid });
export type DisputeMatch = z.input<typeof DisputeMatch>;
/** What is no id names no dispute. */
export const DisputeId = bounded(255);
