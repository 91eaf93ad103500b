/** Admin: open, read, replace and amend merchant accounts. */
import { MerchantAccount } from '@counterfoil/core';
import { MAX_LISTED, type MerchantAccountView, Refused } from '@counterfoil/engine';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { checkId, pageBody, pageOf, seenVersion } from './collections.ts';
import { inCursor } from './cursor.ts';
import { etagOf } from './etag.ts';

import {
  ChangedMerchantAccount,
  MERCHANT_ACCOUNTS_PATH,
  MerchantAccountBody,
  MerchantAccountInput,
  MerchantAccountPatch,
  MerchantAccountReplacement,
  MERCHANT_ACCOUNT_READ as READ,
  MERCHANT_ACCOUNT_WRITE as WRITE,
  writableOf,
} from './merchant-account-body.ts';
import { apiSlice } from './slice.ts';
import {
  CurrencyCode,
  type FaceServices,
  Id,
  ledgerFor,
  queryInteger,
  queryLimit,
} from './wire.ts';

const TAG = 'Admin';
const PATH = MERCHANT_ACCOUNTS_PATH;

const IdParams = z.object({
  id: queryInteger(Id).meta({ description: 'The merchant account id' }),
});

const ListQuery = z.object({
  companyId: queryInteger(Id).optional(),
  gatewayId: queryInteger(Id).optional(),
  currency: CurrencyCode.optional().meta({ description: 'One of the currencies that it holds' }),
  limit: queryLimit({ max: MAX_LISTED, fallback: MAX_LISTED }),
  cursor: z.string().max(1_000).optional(),
});

const MerchantAccountPage = pageOf(MerchantAccountBody, 'MerchantAccount');

const MERGE_PATCH = { mediaType: 'application/merge-patch+json' };

function merchantAccountEndpoints(parts: FaceServices): Endpoint[] {
  return [list(parts), open(parts), get(parts), replace(parts), amend(parts)];
}

function answer(account: MerchantAccountView) {
  return { headers: { ETag: etagOf(account) }, stream: streamOf(account) };
}

function streamOf({ parentCompanyId, id }: MerchantAccountView) {
  const tenantId = parentCompanyId as Parameters<typeof MerchantAccount.streamOf>[0]['tenantId'];
  return MerchantAccount.streamOf({ tenantId, merchantAccountId: id });
}

function list(parts: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listMerchantAccounts',
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'List merchant accounts',
    description: 'In the order of their ids. They are the same for live and for test data.',
    access: READ,
    query: ListQuery,
    responses: { 200: { description: 'A page of accounts', schema: MerchantAccountPage } },
    rejections: ['invalid_request'],
    idempotency: 'none',
    async handle(context, { query: { cursor, ...filters } }) {
      const { items, moreResults } = await ledgerFor(parts, context).merchantAccounts.list({
        ...filters,
        ...(cursor !== undefined && {
          after: Number(inCursor(cursor, z.string().regex(/^\d{1,10}$/))),
        }),
      });
      const last = moreResults ? items.at(-1) : undefined;
      const page = { items, ...(last !== undefined && { next: String(last.id) }) };
      return { status: 200, body: pageBody(page) };
    },
  });
}

function open(parts: FaceServices): Endpoint {
  return endpoint({
    operationId: 'openMerchantAccount',
    action: 'merchantAccounts.open',
    method: 'POST',
    path: PATH,
    tag: TAG,
    summary: 'Open a merchant account',
    description:
      'The id is given by the ledger. What is left out is empty, zero, false or without limit; both networks are enabled. Under an Idempotency-Key one account is opened, however often the request is sent.',
    access: WRITE,
    body: MerchantAccountInput,
    responses: { 201: { description: 'The account', schema: ChangedMerchantAccount } },
    rejections: ['currency_unknown', 'amount_precision', 'reference_unknown', 'concurrent_update'],
    idempotency: 'money',
    version: 'sent',
    async handle(context, { body }) {
      const { idempotencyKey } = context;
      const account = await ledgerFor(parts, context).merchantAccounts.open({
        ...writableOf(body),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      const { headers, stream } = answer(account);
      return {
        status: 201,
        headers: { ...headers, Location: `${PATH}/${account.id}` },
        body: { success: true, message: 'Opened', returnVal: account },
        stream,
      };
    },
  });
}

function get(parts: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getMerchantAccount',
    method: 'GET',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Read a merchant account',
    description: 'Secrets of the gateway are masked. What is read can be sent back by PUT.',
    access: READ,
    params: IdParams,
    responses: { 200: { description: 'The account', schema: MerchantAccountBody } },
    rejections: ['not_found'],
    idempotency: 'none',
    version: 'sent',
    async handle(context, { params }) {
      const account = await ledgerFor(parts, context).merchantAccounts.get(params.id);
      return { status: 200, body: account, ...answer(account) };
    },
  });
}

const CHANGE_REJECTIONS = [
  'not_found',
  'currency_unknown',
  'amount_precision',
  'reference_unknown',
  'stale_row_version',
  'precondition_failed',
  'concurrent_update',
] as const;

function replace(parts: FaceServices): Endpoint {
  return endpoint({
    operationId: 'replaceMerchantAccount',
    action: 'merchantAccounts.replace',
    method: 'PUT',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Replace a merchant account',
    description:
      'All of it: what is left out takes its default. `rowVersion` or `If-Match` says which version is replaced; of two who saw the same one only the first succeeds. Payments made before keep the terms that they were made on.',
    access: WRITE,
    params: IdParams,
    body: MerchantAccountReplacement,
    responses: { 200: { description: 'The account', schema: ChangedMerchantAccount } },
    rejections: CHANGE_REJECTIONS,
    idempotency: 'none',
    version: 'checked',
    async handle(context, { params: { id }, body }) {
      checkId(id, body);
      const { merchantAccounts } = ledgerFor(parts, context);
      const rowVersion = await seenVersion(context, body, () => merchantAccounts.get(id));
      if (rowVersion === undefined) throw versionRequired();
      return changed(context, merchantAccounts.replace(id, { ...writableOf(body), rowVersion }));
    },
  });
}

function amend(parts: FaceServices): Endpoint {
  return endpoint({
    operationId: 'amendMerchantAccount',
    action: 'merchantAccounts.amend',
    method: 'PATCH',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Change a part of a merchant account',
    description:
      'A JSON merge patch (RFC 7396): members that are named are changed, null resets one to its default, `currencies` is replaced as a whole, but for secrets that it does not name. With `rowVersion` or `If-Match` only that version is changed.',
    access: WRITE,
    params: IdParams,
    body: MerchantAccountPatch,
    bodyTypes: [MERGE_PATCH],
    responses: { 200: { description: 'The account', schema: ChangedMerchantAccount } },
    rejections: CHANGE_REJECTIONS,
    idempotency: 'none',
    version: 'checked',
    async handle(context, { params: { id }, body }) {
      checkId(id, body);
      const { merchantAccounts } = ledgerFor(parts, context);
      const rowVersion = await seenVersion(context, body, () => merchantAccounts.get(id));
      const version = rowVersion === undefined ? {} : { rowVersion };
      return changed(context, merchantAccounts.amend(id, { patch: writableOf(body), ...version }));
    },
  });
}

function versionRequired() {
  return refuse('invalid_request', undefined, {
    errors: [{ pointer: '/rowVersion', detail: 'rowVersion is required, or If-Match' }],
  });
}

async function changed({ ifMatch }: RequestContext, change: Promise<MerchantAccountView>) {
  try {
    const account = await change;
    const body = { success: true, message: 'Changed', returnVal: account };
    return { status: 200, body, ...answer(account) };
  } catch (error) {
    // Another change came between the check of If-Match and this one.
    const isStale = error instanceof Refused && error.code === 'StaleRowVersion';
    throw isStale && ifMatch !== undefined ? refuse('precondition_failed') : error;
  }
}

export const MERCHANT_ACCOUNTS = apiSlice(merchantAccountEndpoints);
