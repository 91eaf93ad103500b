/** What callers may pass to the leads of a tenant. */
import { isEmail, Lead } from '@counterfoil/core';
import { LEAD_STATUS } from '@counterfoil/projections';
import { z } from 'zod';
import { mayHoldCardNumber } from '../input/card-number-search.ts';
import {
  bounded,
  CurrencyCode,
  Day,
  EmailText,
  Id,
  IN_ORDER,
  inOrder,
  name,
  text,
} from '../input/texts.ts';
import { AmountText } from '../payments/index.ts';

export const MAX_LEADS = 1_000;

const Email = EmailText.refine(isEmail, 'must be an email address');
/** Equals `partnerSession` of the payment. */
export const SessionId = name(255);
const Scan = z.strictObject({ page: text(2_000) });

/** What is absent stays as it is. */
export const LeadInput = z.strictObject({
  sessionId: SessionId,
  /** Of a new lead. */
  applicationId: Id,
  email: Email,
  firstName: text(200).optional(),
  lastName: text(200).optional(),
  cfaDevice: text(500).optional(),
  /** Pages that were seen, in order. */
  scans: z.array(Scan).max(Lead.MAX_SCANS).optional(),
  /** Live when absent. */
  sandbox: z.boolean().optional(),
});
export type LeadInput = z.input<typeof LeadInput>;

const reference = mayHoldCardNumber(name(255));

/** A payment that another gateway has captured. */
export const TransactionReport = z.strictObject({
  /** Who reports it; a name of one's own. */
  source: name(64),
  transactionId: reference,
  orderId: reference.optional(),
  applicationId: Id,
  /** In major units. */
  amount: AmountText,
  currency: CurrencyCode,
  partnerSession: SessionId,
  /** The present when absent. */
  capturedAt: bounded(64)
    .check(z.iso.datetime({ precision: 3 }))
    .optional(),
  sandbox: z.boolean().optional(),
});
export type TransactionReport = z.input<typeof TransactionReport>;

/** All that is given must hold. */
const Filters = z.strictObject({
  status: z.enum(LEAD_STATUS).optional(),
  /** Days in GMT in which leads were created, both included. */
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
  email: EmailText.optional(),
  sessionId: SessionId.optional(),
  /** Live when absent. */
  sandbox: z.boolean().optional(),
});
export const LeadList = Filters.extend({
  /** 1 to 1,000; 100 when absent. */
  limit: z.int().min(1).max(MAX_LEADS).optional(),
  /** `end` of the page before. */
  after: mayHoldCardNumber(z.strictObject({ sort: z.number(), key: bounded(1_000) })).optional(),
}).refine(inOrder, IN_ORDER);
export type LeadList = z.input<typeof LeadList>;

/** All leads that match, without pages. */
export const LeadExport = Filters.refine(inOrder, IN_ORDER);
export type LeadExport = z.input<typeof LeadExport>;

export const EventId = name(255);
