/** Customer Service: register, list, read and replace customers and their payment methods. */
import { Customer } from '@counterfoil/core';
import type { CustomerView } from '@counterfoil/engine';
import { mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { checkId, sameId } from './collections.ts';
import { cursorOf, inCursor } from './cursor.ts';
import {
  AddedPaymentMethod,
  addedMethodBody,
  CustomerBody,
  CustomerRecord,
  customerBody,
  customerRecord,
} from './customer-body.ts';
import { checkIfMatch, etagOf } from './etag.ts';
import { AddressInput, CardInput } from './payment-request.ts';
import { apiSlice, rows } from './slice.ts';
import {
  Email,
  eitherOf,
  type FaceServices,
  Id,
  ledgerFor,
  optionalClaims,
  QueryBoolean,
  queryInteger,
  queryLimit,
  text,
  Uuid,
} from './wire.ts';

const TAG = 'Customer Service';
const MAX_LIMIT = 100;

const read = { kind: 'api-key', scope: 'customers:read', requiresUserEmail: true } as const;
const write = { kind: 'api-key', scope: 'customers:write', requiresUserEmail: true } as const;
const erase = { kind: 'api-key', scope: 'customers:erase', requiresUserEmail: true } as const;

const customerId = queryInteger(Id).meta({ description: 'The customer id' });
const IdParams = z.object({ id: customerId });
const MethodParams = z.object({
  id: customerId,
  methodId: Uuid.meta({ description: 'The id of the payment method' }),
});

const sandbox = { description: 'Absent: live data with a live key, test data with a test key' };
const EnvironmentQuery = z.object({ sandbox: QueryBoolean.optional().meta(sandbox) });

/** Optional members of every body of Customer Service. */
const claims = {
  ...optionalClaims,
  sandbox: z.boolean().optional().meta(sandbox),
};

const contactFields = {
  email: Email.meta({ description: 'Belongs to one customer at a time, whatever its case' }),
  firstName: text(200).default(''),
  lastName: text(200).default(''),
  phone: text(64).default(''),
  addresses: z.array(AddressInput).max(Customer.MAX_ADDRESSES).default([]),
};

const RegistrationInput = z
  .object({ ...claims, ...contactFields })
  .meta({ id: 'CustomerRegistration' });

const ignored = mayHoldCardNumber(z.unknown())
  .optional()
  .meta({ description: 'Ignored: here so that what was read can be sent back' });
/** Members that are read but cannot be replaced. */
const READ_ONLY = {
  success: ignored,
  message: ignored,
  id: sameId,
  paymentMethods: ignored,
  createdAt: ignored,
  updatedAt: ignored,
  erased: ignored,
};

const ReplacementInput = z
  .object({
    ...claims,
    ...contactFields,
    ...READ_ONLY,
    rowVersion: z.int().positive().meta({ description: 'Of the customer as it was read' }),
  })
  .meta({ id: 'CustomerReplacement' });
type ContactInput = Pick<z.output<typeof ReplacementInput>, 'sandbox' | keyof typeof contactFields>;

const PaymentMethodInput = z
  .object({
    ...claims,
    card: CardInput.optional(),
    token: text(255)
      .optional()
      .meta({ description: 'Of a card that this customer used before, instead of `card`' }),
    default: z
      .boolean()
      .default(false)
      .meta({ description: 'true: the one to use unless another is named' }),
    companyId: Id.optional().meta({
      description: 'Whose gateway keeps the card; needed where there are several companies',
    }),
  })
  .meta({ id: 'PaymentMethodInput', ...eitherOf('card', 'token') });

const CustomerList = z
  .object({
    success: z.literal(true),
    customers: z.array(CustomerRecord).meta({ description: 'The customers of this page' }),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page' }),
  })
  .meta({ id: 'CustomerList' });
/** Of the last customer of a page. */
export const CustomerPlace = z.strictObject({
  registeredMs: z.int().nonnegative(),
  customerId: Id,
});

const ErasureResult = z
  .object({ success: z.boolean(), message: z.string() })
  .meta({ id: 'ErasureResult' });

function customerEndpoints(services: FaceServices): Endpoint[] {
  return [
    createCustomer(services),
    listCustomers(services),
    getCustomer(services),
    replaceCustomer(services),
    eraseCustomer(services),
    addPaymentMethod(services),
    removePaymentMethod(services),
  ];
}

/** What replaces or registers: without the members that are only sent back. */
function contactOf({ sandbox, email, firstName, lastName, phone, addresses }: ContactInput) {
  return { sandbox, email, firstName, lastName, phone, addresses };
}

/** The Location of a customer; with a live key test data must be requested explicitly. */
function locationOf({ customerId, sandbox }: Customer.Customer): string {
  return `/customers/${customerId}${sandbox ? '?sandbox=true' : ''}`;
}

/** A response with a customer. */
function answer(
  { principal: { tenantId } }: RequestContext,
  shown: { status?: number; customer: CustomerView; message?: string },
) {
  const { status = 200, customer, message = '' } = shown;
  const { sandbox, customerId } = customer;
  return {
    status,
    headers: { ETag: etagOf(customer), ...(status === 201 && { Location: locationOf(customer) }) },
    body: customerBody(customer, { parentCompanyId: tenantId, message }),
    stream: Customer.streamOf({ tenantId, sandbox, customerId }),
    subject: { tenantId, sandbox, customerId },
  };
}

function createCustomer(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'createCustomer',
    action: 'customers.register',
    method: 'POST',
    path: '/customers',
    tag: TAG,
    summary: 'Register a customer',
    description:
      'An email belongs to one customer of an environment. A customer who has paid is registered already; an email that only payments without success have named is registered with the customerId that they carry.',
    access: write,
    body: RegistrationInput,
    responses: { 201: { description: 'The customer', schema: CustomerBody } },
    rejections: ['live_data_forbidden', 'duplicate', 'concurrent_update'],
    idempotency: 'money',
    version: 'sent',
    async handle(context, { body }) {
      const { idempotencyKey } = context;
      const { customers } = ledgerFor(services, context);
      const customer = await customers.register({ ...contactOf(body), idempotencyKey });
      return answer(context, { status: 201, customer, message: 'Registered' });
    },
  });
}

function listCustomers(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listCustomers',
    action: 'customers.list',
    method: 'GET',
    path: '/customers',
    tag: TAG,
    summary: 'List customers',
    description:
      'All who were ever registered, the newest first, each as the events have them at this moment. Of one who is erased only ids and times are left. One whose events cannot be read is left out.',
    access: read,
    query: EnvironmentQuery.extend({
      limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
      cursor: z.string().max(1_000).optional(),
    }),
    responses: { 200: { description: 'A page of customers', schema: CustomerList } },
    rejections: ['live_data_forbidden', 'invalid_request'],
    idempotency: 'none',
    async handle(context, { query: { cursor, ...asked } }) {
      const { tenantId } = context.principal;
      const after = cursor === undefined ? {} : { after: inCursor(cursor, CustomerPlace) };
      const page = await ledgerFor(services, context).customers.list({ ...asked, ...after });
      const { moreResults: hasMore, end } = page;
      const customers = page.customers.map((each) => customerRecord(each, tenantId));
      const nextCursor = hasMore && end !== undefined ? cursorOf(end) : null;
      return { status: 200, body: { success: true, customers, hasMore, nextCursor } };
    },
  });
}

function getCustomer(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getCustomer',
    action: 'customers.get',
    method: 'GET',
    path: '/customers/{id}',
    tag: TAG,
    summary: 'Read a customer',
    description:
      'The customer as the events have it at this moment. Of one who is erased only ids and times are left.',
    access: read,
    params: IdParams,
    query: EnvironmentQuery,
    responses: { 200: { description: 'The customer', schema: CustomerBody } },
    rejections: ['live_data_forbidden', 'not_found'],
    idempotency: 'none',
    version: 'sent',
    async handle(context, { params, query }) {
      const customer = await ledgerFor(services, context).customers.get(params.id, query);
      return answer(context, { customer });
    },
  });
}

function replaceCustomer(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'replaceCustomer',
    action: 'customers.replace',
    method: 'PUT',
    path: '/customers/{id}',
    tag: TAG,
    summary: 'Replace the contact data of a customer',
    description:
      'All of it: what is left out is emptied. `rowVersion` says which version is replaced, and of two who saw the same one only the first succeeds. Another email moves the claim on it; orders and subscriptions of before keep the email that they were made with.',
    access: write,
    params: IdParams,
    body: ReplacementInput,
    responses: { 200: { description: 'The customer', schema: CustomerBody } },
    rejections: [
      'live_data_forbidden',
      'not_found',
      'limit_reached',
      'duplicate',
      'customer_erased',
      'stale_row_version',
      'concurrent_update',
      'precondition_failed',
    ],
    idempotency: 'none',
    version: 'checked',
    async handle(context, { params, body }) {
      checkId(params.id, body);
      const { customers } = ledgerFor(services, context);
      const { ifMatch } = context;
      const { rowVersion, sandbox } = body;
      if (ifMatch !== undefined) checkIfMatch(ifMatch, await customers.get(params.id, { sandbox }));
      const customer = await customers.replace(params.id, { ...contactOf(body), rowVersion });
      return answer(context, { customer, message: 'Replaced' });
    },
  });
}

function eraseCustomer(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'eraseCustomer',
    action: 'customers.erase',
    method: 'DELETE',
    path: '/customers/{id}',
    tag: TAG,
    summary: 'Erase a customer',
    description:
      'For good: subscriptions end, emails are free again, and the key is destroyed under which names, addresses, emails and cards are kept, in the log too. Ids, times and amounts stay as they are. Erasing again changes nothing.',
    access: erase,
    params: IdParams,
    query: EnvironmentQuery,
    responses: { 200: { description: 'The personal data is unreadable', schema: ErasureResult } },
    rejections: ['live_data_forbidden', 'not_found', 'concurrent_update'],
    idempotency: 'none',
    async handle(context, { params, query }) {
      await ledgerFor(services, context).customers.erase(params.id, query);
      return { status: 200, body: { success: true, message: `Customer ${params.id} is erased` } };
    },
  });
}

function addPaymentMethod(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'addPaymentMethod',
    action: 'customers.addPaymentMethod',
    method: 'POST',
    path: '/customers/{id}/payment-methods',
    tag: TAG,
    summary: 'Add a payment method',
    description:
      'Keeps a card for later payments, typed in or by the token of an earlier one. A card that the customer has already keeps its id, and takes over a later expiry. At most 20 a customer.',
    access: write,
    params: IdParams,
    body: PaymentMethodInput,
    responses: { 201: { description: 'The payment method', schema: AddedPaymentMethod } },
    rejections: [
      'card_invalid',
      'token_unknown',
      'reference_unknown',
      'no_merchant_account',
      'limit_reached',
      'live_data_forbidden',
      'not_found',
      'duplicate',
      'customer_erased',
      'concurrent_update',
      'gateway_error',
    ],
    idempotency: 'money',
    version: 'sent',
    async handle(context, { params, body }) {
      const { card, token, companyId, sandbox, default: makeDefault } = body;
      const { customer, paymentMethodId } = await ledgerFor(
        services,
        context,
      ).customers.addPaymentMethod(params.id, {
        idempotencyKey: context.idempotencyKey,
        card,
        token,
        companyId,
        sandbox,
        makeDefault,
      });
      return {
        ...answer(context, { status: 201, customer }),
        body: addedMethodBody(customer, paymentMethodId, 'Added'),
      };
    },
  });
}

function removePaymentMethod(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'removePaymentMethod',
    action: 'customers.removePaymentMethod',
    method: 'DELETE',
    path: '/customers/{id}/payment-methods/{methodId}',
    tag: TAG,
    summary: 'Remove a payment method',
    description:
      'The card added last takes the place of a default that is removed. Its tokens are unknown from then on. Subscriptions with that card no longer charge it: their next charge fails with `card_removed` and freezes them, until they are given a card.',
    access: write,
    params: MethodParams,
    query: EnvironmentQuery,
    responses: { 200: { description: 'The customer', schema: CustomerBody } },
    rejections: ['live_data_forbidden', 'not_found', 'customer_erased', 'concurrent_update'],
    idempotency: 'none',
    version: 'sent',
    async handle(context, { params, query }) {
      const { id, methodId } = params;
      const { customers } = ledgerFor(services, context);
      const customer = await customers.removePaymentMethod(id, methodId, query);
      return answer(context, { customer, message: 'Removed' });
    },
  });
}

const REFUSALS = rows({
  CustomerUnknown: { code: 'not_found' },
  CustomerExists: { code: 'duplicate' },
  CustomerErased: { code: 'customer_erased' },
  EmailTaken: {
    code: 'duplicate',
    text: 'The email belongs to another customer',
    errors: () => [{ pointer: '/email', detail: 'Belongs to another customer' }],
  },
  TooManyEmails: {
    code: 'limit_reached',
    text: ({ max }) => `A customer can have ${max} emails in all`,
  },
  PaymentMethodUnknown: { code: 'not_found' },
  PaymentMethodExists: { code: 'duplicate' },
  TooManyPaymentMethods: {
    code: 'limit_reached',
    text: ({ max }) => `A customer can have ${max} payment methods; remove one first`,
  },
  ErasureNotRequested: { code: 'internal_error' },
});

export const CUSTOMERS = apiSlice(customerEndpoints, REFUSALS);
