/** Customer Leads: pages and servers write the lead of a session; administration lists and exports them. */
import { Lead, toMajor } from '@counterfoil/core';
import type { WrittenLead } from '@counterfoil/engine';
import { IN_ORDER, inOrder } from '@counterfoil/engine/input';
import { LEAD_STATUS, type LeadPage, type LeadRecord } from '@counterfoil/projections';
import { z } from 'zod';
import { preflightAnswer } from '../http/cors.ts';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { At } from './answer-fields.ts';
import { ADMIN, adminAccess, pageOf } from './collections.ts';
import { type Cell, CSV_TYPE, csvOf } from './csv.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import {
  CurrencyCode,
  Day,
  Email,
  type FaceServices,
  ledgerFor,
  QueryBoolean,
  queryLimit,
  text,
} from './wire.ts';

const PATH = '/api/public/customer-leads';
const LIST_PATH = '/api/admin/leads';
const MAX_LIMIT = 100;
/** Rows of one CSV file; `Link` leads to the next one. */
const MAX_ROWS = 10_000;
const ROWS_AT_A_TIME = 1_000;

const SessionId = text(255).min(1).meta({
  description: 'Identifies the lead; equals `partnerSession` of the payment',
  example: 'visit-7f3a',
});
const Scan = z
  .object({ page: text(2_000).meta({ description: 'A page that was seen' }) })
  .meta({ id: 'LeadScan' });
const contact = {
  first_name: text(200).meta({ description: 'The given name' }),
  last_name: text(200).meta({ description: 'The family name' }),
  cfa_device: text(500).meta({ description: 'The device, as the page names it' }),
  scans: z.array(Scan).max(Lead.MAX_SCANS).meta({ description: 'Pages that were seen, in order' }),
};

/** The service sets these: whoever sends them is wrong about what the request does. */
const SET_BY_SERVICE = [
  'tenant_id',
  'status',
  'paid',
  'paid_at',
  'payment',
  'payment_id',
  'payment_status',
  'transaction',
  'transaction_id',
  'order_id',
  'amount',
  'currency',
] as const;
const refused = z
  .never({ error: 'is set by the service' })
  .optional()
  .meta({ description: 'Refused: the service sets it' });
const notSettable = Object.fromEntries(SET_BY_SERVICE.map((name) => [name, refused]));

const LeadInput = z
  .object({
    email: Email,
    session_id: SessionId,
    first_name: contact.first_name.optional(),
    last_name: contact.last_name.optional(),
    cfa_device: contact.cfa_device.optional(),
    scans: contact.scans.optional(),
    ...notSettable,
  })
  .meta({ id: 'CustomerLeadInput' });

const LeadTransaction = z
  .object({
    id: z.string().meta({ description: 'The payment; of another gateway, its own id' }),
    source: z.string().meta({ description: 'Who reported it; empty for a payment of the ledger' }),
    orderId: z.string().nullable().meta({ description: 'The order; null when none was named' }),
    amount: z.number(),
    currency: CurrencyCode,
    applicationId: z.int(),
    capturedAt: At,
  })
  .nullable()
  .meta({ id: 'LeadTransaction' });
const LeadBody = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The id of the lead' }),
    session_id: z.string().meta({ description: 'The session' }),
    email: z.string().meta({ description: 'Empty once the person is erased' }),
    ...contact,
    status: z.enum(LEAD_STATUS).meta({ description: '`paid` is final' }),
    application_id: z.int().meta({ description: 'The application of the key that wrote it first' }),
    sandbox: z.boolean(),
    created_at: At,
    updated_at: At,
    paid_at: At.nullable().meta({ description: 'null: not paid' }),
    transaction: LeadTransaction,
  })
  .meta({ id: 'CustomerLead' });
const LeadAnswer = z
  .object({ success: z.literal(true), lead: LeadBody.meta({ description: 'As it is now kept' }) })
  .meta({ id: 'CustomerLeadAnswer' });

export interface LeadServices extends FaceServices {
  /** Whether a publishable key allows pages of an origin. */
  readonly knowsOrigin: (origin: string) => Promise<boolean>;
}

function leadEndpoints(services: LeadServices): Endpoint[] {
  return [writeLead(services), preflight(services), listLeads(services)];
}

function writeLead(services: LeadServices): Endpoint {
  return endpoint({
    operationId: 'writeCustomerLead',
    action: 'leads.write',
    method: 'POST',
    path: PATH,
    tag: 'Customer Leads',
    summary: 'Create or update a lead',
    description:
      'From a page by `X-Service-Lead-Key` with a publishable key, from an origin that the key allows, exactly; from a server by `Authorization: Bearer` with a secret key. The first request with a `session_id` makes the lead (201), later ones update it (200): what they leave out stays. A payment that is captured with the session as its `partnerSession`, by the same application and in the same environment, makes the lead paid, if one comes within 30 days of the other. Unknown members are ignored. A page is answered with what it has sent, not with what is known besides.',
    access: { kind: 'lead-key', knowsOrigin: services.knowsOrigin },
    body: LeadInput,
    unknownMembers: 'ignored',
    responses: {
      200: { description: 'It is updated', schema: LeadAnswer },
      201: { description: 'It is made', schema: LeadAnswer },
    },
    rejections: ['reference_unknown', 'concurrent_update'],
    idempotency: 'none',
    async handle(context, { body }) {
      const { email, session_id: sessionId, scans } = body;
      const { applicationId, isPublishable } = leadKeyOf(context);
      const { lead, created } = await ledgerFor(services, context).leads.write({
        email,
        sessionId,
        applicationId,
        firstName: body.first_name,
        lastName: body.last_name,
        cfaDevice: body.cfa_device,
        scans,
      });
      const shown = isPublishable ? asSent(lead, body) : writtenOf(lead);
      const answer = { body: { success: true, lead: shown } };
      if (!created) return { status: 200, ...answer };
      const asked = new URLSearchParams({ sessionId, sandbox: String(lead.sandbox) });
      return { status: 201, headers: { Location: `${LIST_PATH}?${asked}` }, ...answer };
    },
  });
}

function leadKeyOf({ principal }: RequestContext) {
  if (principal.bound === undefined) throw new Error('a lead without a lead key');
  return principal.bound;
}

function preflight({ knowsOrigin }: LeadServices): Endpoint {
  return endpoint({
    operationId: 'preflightCustomerLead',
    method: 'OPTIONS',
    path: PATH,
    tag: 'Customer Leads',
    summary: 'Ask whether a page may write leads',
    description:
      'What browsers ask before they send a lead from another origin (CORS): answered for every origin that a publishable key allows. The POST checks key and origin together.',
    access: { kind: 'public' },
    responses: { 204: { description: 'It may' } },
    rejections: ['origin_not_allowed'],
    idempotency: 'none',
    handle: async ({ origin }) => {
      if (origin === undefined || !(await knowsOrigin(origin))) {
        throw refuse('origin_not_allowed', undefined, { headers: { Vary: 'Origin' } });
      }
      return preflightAnswer(origin);
    },
  });
}

const ListQuery = z
  .object({
    status: z.enum(LEAD_STATUS).optional().meta({ description: 'Leads of this status' }),
    dateFrom: Day.optional().meta({ description: 'Created on this day (GMT) or later' }),
    dateTo: Day.optional().meta({ description: 'Created on this day (GMT) or before' }),
    email: Email.optional(),
    sessionId: SessionId.optional(),
    sandbox: QueryBoolean.optional().meta({ description: 'Absent: live leads' }),
    limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
    cursor: z.string().max(1_000).optional(),
  })
  .refine(inOrder, IN_ORDER);
const Anchor = z.tuple([z.number(), z.string()]);

function listLeads(services: LeadServices): Endpoint {
  return endpoint({
    operationId: 'listLeads',
    action: 'leads.list',
    recorded: 'exports',
    method: 'GET',
    path: LIST_PATH,
    tag: ADMIN,
    summary: 'List or export leads',
    description: `Leads by what the query asks for, the newest first. With \`Accept: text/csv\` all of them, ${MAX_ROWS} in a file: \`Link\` with \`rel="next"\` leads to the next file.`,
    access: adminAccess('leads:read'),
    query: ListQuery,
    responses: {
      200: {
        description: 'A page of leads',
        schema: pageOf(LeadBody, 'Leads'),
        orElse: CSV_TYPE,
      },
    },
    rejections: ['not_acceptable'],
    idempotency: 'none',
    async handle(context, { query: { cursor, limit, ...asked } }) {
      const as = context.accepted(['application/json', CSV_TYPE, 'application/problem+json']);
      if (as === undefined) throw refuse('not_acceptable');
      const [sort, key] = cursor === undefined ? [] : inCursor(cursor, Anchor);
      const from = sort === undefined || key === undefined ? {} : { after: { sort, key } };
      const { leads } = ledgerFor(services, context);
      if (as === CSV_TYPE) {
        const page = await allOf(from, (place) =>
          leads.list({ ...asked, ...place, limit: ROWS_AT_A_TIME }),
        );
        const raw = leadsHeader() + leadRows(page.leads);
        const contentType = `${CSV_TYPE}; charset=utf-8; header=present`;
        return { status: 200, raw, contentType, headers: linkTo(page, asked) };
      }
      const page = await leads.list({ ...asked, ...from, limit });
      const items = page.leads.map(recordOf);
      const more = { moreResults: page.moreResults, next: nextOf(page) };
      return { status: 200, body: { success: true, count: items.length, ...more, items } };
    },
  });
}

type Place = Pick<Parameters<LeadReader>[0], 'after'>;
type LeadReader = (place: { readonly after?: LeadPage['end'] & object }) => Promise<LeadPage>;

/** Pages together, as many rows as a file has. */
async function allOf(from: Place, read: LeadReader): Promise<LeadPage> {
  let page = await read(from);
  const leads = [...page.leads];
  while (page.moreResults && page.end !== undefined && leads.length < MAX_ROWS) {
    page = await read({ after: page.end });
    leads.push(...page.leads);
  }
  return { ...page, leads };
}

function nextOf({ moreResults, end }: LeadPage): string | null {
  return moreResults && end !== undefined ? cursorOf([end.sort, end.key]) : null;
}

function linkTo(page: LeadPage, asked: object): Record<string, string> {
  const cursor = nextOf(page);
  if (cursor === null) return {};
  const given = Object.entries({ ...asked, cursor }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(Object.fromEntries(given) as Record<string, string>);
  return { Link: `<${LIST_PATH}?${query}>; rel="next"` };
}

function recordOf({ sessionId, firstName, lastName, cfaDevice, ...lead }: LeadRecord) {
  const { id, email, scans, status, applicationId, sandbox, createdAt, updatedAt, paidAt } = lead;
  return {
    id,
    session_id: sessionId,
    email,
    first_name: firstName,
    last_name: lastName,
    cfa_device: cfaDevice,
    scans,
    status,
    application_id: applicationId,
    sandbox,
    created_at: createdAt,
    updated_at: updatedAt,
    paid_at: paidAt,
    transaction: lead.transaction && transactionOf(lead.transaction),
  };
}

function writtenOf({ leadId: id, paid, ...lead }: WrittenLead) {
  return recordOf({
    id,
    ...lead,
    scans: [...lead.scans],
    paidAt: paid?.at ?? null,
    transaction: paid?.transaction ?? null,
  });
}

/** Pages are public: they learn nothing that they have not sent themselves, but the status. */
function asSent(lead: WrittenLead, body: z.output<typeof LeadInput>) {
  const { email, first_name = '', last_name = '', cfa_device = '', scans = [] } = body;
  const sent = { email, first_name, last_name, cfa_device, scans };
  return { ...writtenOf(lead), ...sent, paid_at: null, transaction: null };
}

function transactionOf({
  transactionId: id,
  amountMinor,
  ...transaction
}: Lead.SeenTransaction): object {
  return { id, ...transaction, amount: toMajor(amountMinor, transaction.currency) };
}

const COLUMNS = [
  'id',
  'session_id',
  'status',
  'email',
  'first_name',
  'last_name',
  'cfa_device',
  'pages',
  'application_id',
  'created_at',
  'updated_at',
  'paid_at',
  'transaction_id',
  'order_id',
  'amount',
  'currency',
] as const;

export function leadsHeader(): string {
  return csvOf(COLUMNS, []);
}

export function leadRows(leads: readonly LeadRecord[]): string {
  return csvOf(undefined, leads.map(rowOf));
}

function rowOf(record: LeadRecord): Cell[] {
  const { transaction } = record;
  const amount = transaction && toMajor(transaction.amountMinor, transaction.currency);
  return [
    record.id,
    record.sessionId,
    record.status,
    record.email,
    record.firstName,
    record.lastName,
    record.cfaDevice,
    record.scans.map(({ page }) => page).join(' '),
    record.applicationId,
    record.createdAt,
    record.updatedAt,
    record.paidAt ?? '',
    transaction?.transactionId ?? '',
    transaction?.orderId ?? '',
    amount ?? '',
    transaction?.currency ?? '',
  ];
}

export const CUSTOMER_LEADS = apiSlice(leadEndpoints);
