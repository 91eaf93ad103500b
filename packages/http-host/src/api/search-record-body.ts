/** The transaction record of search results (contract). */
import { counted } from '@counterfoil/engine';
import { z } from 'zod';
import {
  AlertSourceId,
  AlertSourceName,
  AlertTypeId,
  AlertTypeName,
  At,
  RefundSourceId,
  RefundSourceName,
  StatusId,
  StatusName,
  UuidText,
} from './answer-fields.ts';

/** Unknown texts are '', unknown numbers 0. */
export const SearchRecordBody = z
  .object({
    gateway: z.string(),
    transactionId: UuidText,
    orderId: z.int(),
    sent: At,
    email: z.string(),
    sandbox: z.boolean(),
    application: z.string(),
    applicationId: z.int(),
    status: StatusName,
    statusId: StatusId,
    success: z.boolean(),
    completed: At.nullable(),
    currency: z.string(),
    amount: z.number(),
    mid: z.string(),
    descriptor: z.string(),
    customerId: z.int(),
    authCode: z.string(),
    gatewayTransactionId: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    bin: z.string(),
    last4: z.string(),
    refunded: z.boolean(),
    refundable: z.boolean(),
    hasAlert: z.boolean(),
    chargedBack: z.boolean(),
    originalTransactionId: z.string(),
    application2: z.string(),
    applicationId2: z.int(),
    shopId: z.int(),
    storeName: z.string(),
    storeDomain: z.string(),
    storeRootDomain: z.string(),
    originalApplication: z.string(),
    originalApplicationId: z.int(),
    merchantAccountId: z.int(),
    midName: z.string(),
    companyId: z.int(),
    company: z.string(),
    parentCompanyId: z.int(),
    subId: z.int(),
    alertSource: AlertSourceName,
    alertSourceId: AlertSourceId,
    alertType: AlertTypeName,
    alertTypeId: AlertTypeId,
    refundSource: RefundSourceName,
    refundSourceId: RefundSourceId,
    binCountry: z.string(),
    ipCountry: z.string(),
    submitOrderId: z.int(),
    campaign: z.string(),
    campaignId: z.int(),
    affiliate: z.string(),
    affiliateId: z.int(),
    product: z.string(),
    productId: z.int(),
    paymentNumber: z.int(),
    attempt: z.int(),
  })
  .meta({ id: 'SearchTransactionRecord' });

/** The answer of a search, page by page. */
export function pageSchema<Each extends z.ZodType>(record: Each) {
  return z.object({
    success: z.literal(true),
    message: z.string(),
    count: z.int().meta({ description: 'Records in this page' }),
    pageNumber: z.int(),
    moreResults: z.boolean().meta({ description: 'Whether another page follows' }),
    transactions: z.array(record),
  });
}

export function pageBody<Each>(page: {
  readonly count: number;
  readonly pageNumber: number;
  readonly moreResults: boolean;
  readonly transactions: readonly Each[];
}) {
  const { count, pageNumber, moreResults, transactions } = page;
  return {
    success: true,
    message: foundMessage(count),
    count,
    pageNumber,
    moreResults,
    transactions,
  };
}

export function foundMessage(count: number): string {
  return count === 0 ? 'No transaction matches' : counted(count, 'transaction');
}
