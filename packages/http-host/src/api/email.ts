/** Email service: mails that callers submit, and what became of them. */
import type { Refusal as EngineRefusal, TenantLedger } from '@counterfoil/engine';
import {
  HeaderName,
  HeaderValue,
  IN_ORDER,
  inOrder,
  MAIL_KINDS,
  MAIL_STATUS,
  MAX_BATCH,
  MAX_LISTED_MAILS,
  MAX_RECIPIENTS,
  MailAddressText,
  notACardNumber,
  Subject,
  TemplateContent,
  TemplateData,
  TemplateName,
  TemplateType,
} from '@counterfoil/engine/input';
import { z } from 'zod';
import { codeFor } from '../http/email-errors.ts';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { ERRORS, type ErrorDetail, type ErrorRow } from '../http/errors.ts';
import { strict } from '../http/input-schema.ts';
import { errorsOf, readInput } from '../http/invalid-input.ts';
import { At } from './answer-fields.ts';
import { pageOf } from './collections.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice, rows } from './slice.ts';
import {
  bounded,
  Day,
  Email,
  type FaceServices,
  ledgerFor,
  queryLimit,
  text,
  Uuid,
} from './wire.ts';

const PATH = '/api/email';
const TAG = 'Email service';
const ACCESS = { kind: 'tenant-key' } as const;

const TenantKey = notACardNumber(bounded(100)).optional().meta({
  description: 'The key of the email service; may be sent in the X-Tenant-Key header instead',
});

const AN_ADDRESS = '`ann@example.com` or `Ann <ann@example.com>`';
const Address = MailAddressText;
/** One, or a list: as a list of types, which generators of clients know. */
const Addresses = z.union([Address, z.array(Address).min(1).max(MAX_RECIPIENTS)]).meta({
  override: ({ jsonSchema }) => {
    delete jsonSchema.anyOf;
    const items = { type: 'string', maxLength: 500 } as const;
    const list = { items, minItems: 1, maxItems: MAX_RECIPIENTS };
    Object.assign(jsonSchema, { type: ['string', 'array'], maxLength: 500, ...list });
  },
});
const message = {
  from: Address.meta({
    description: `${AN_ADDRESS}, in a sender domain of the tenant`,
    example: 'Shop <post@shop.example>',
  }),
  to: Addresses.meta({ description: `${AN_ADDRESS}, or a list`, example: 'ann@example.com' }),
  cc: Addresses.optional().meta({ description: 'As `to`' }),
  bcc: Addresses.optional().meta({ description: 'As `to`; no header names them' }),
  replyTo: Address.optional().meta({ description: 'Where answers go' }),
  subject: Subject.meta({ description: 'As it is: no template', example: 'Your order 1042' }),
  templateType: TemplateType.meta({
    description: '`string`: `templateContent`. `react`: a bundled template, by `templateName`',
  }),
  templateName: TemplateName.optional().meta({ description: 'Required with `react`' }),
  templateContent: TemplateContent.optional().meta({
    description:
      'Required with `string`: HTML or text with `{{variable}}` and `{{#if variable}}…{{/if}}`. Values are escaped. At most 256 KiB',
    example: '<p>Hello {{name}},</p>{{#if order.paid}}<p>Thank you.</p>{{/if}}',
  }),
  templateData: TemplateData.optional().meta({
    description: 'What the template is filled with; members that it does not name are free',
  }),
  headers: z.record(HeaderName, HeaderValue).optional().meta({
    description:
      'Headers of your own: `X-…`, In-Reply-To, References, Keywords, Comments, Importance, Feedback-ID, List-ID. At most 20',
  }),
  listUnsubscribe: z.boolean().optional().meta({
    description: 'Adds the headers by which its only recipient can unsubscribe with one click',
  }),
};
const idempotencyKey = text(255).min(1).optional().meta({
  description:
    'Names the email for 7 days: a repetition is not sent again. Absent: derived from the content',
});

const EmailMessage = z.object({ ...message, idempotencyKey });
const EmailInput = z
  .object({ tenant_key: TenantKey, ...message, idempotencyKey })
  .meta({ id: 'EmailRequest' });
const BatchInput = z
  .object({
    tenant_key: TenantKey,
    emails: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(MAX_BATCH)
      .meta({ description: 'Each as the body of `POST /api/email`, without `tenant_key`' }),
  })
  .meta({ id: 'EmailBatchRequest' });

const status = z.enum(MAIL_STATUS).meta({
  description: '`accepted`, then `deferred` while it is tried again, then `sent` or `failed`',
});
const accepted = {
  success: z.literal(true),
  id: z.string().meta({ format: 'uuid', description: 'The id of the email' }),
  status,
  deduplicated: z.boolean().meta({
    description: 'Whether its key named an email already: that one, and nothing is sent again',
  }),
};
const AcceptedAnswer = z.object(accepted).meta({ id: 'EmailAccepted' });
const BatchResult = z
  .object({
    success: z.boolean().meta({ description: 'Whether it is accepted' }),
    id: accepted.id.optional(),
    status: status.optional(),
    deduplicated: accepted.deduplicated.optional(),
    code: z.string().optional().meta({ description: 'Why it is not accepted' }),
    error: z.string().optional().meta({ description: 'What the contract calls the case' }),
    message: z.string().optional().meta({ description: 'For a reader' }),
    errors: z
      .array(
        z
          .object({
            pointer: z.string().meta({ description: 'JSON Pointer into the email' }),
            detail: z.string().meta({ description: 'What is wrong' }),
          })
          .meta({ id: 'EmailFault' }),
      )
      .optional()
      .meta({ description: 'The fields at fault' }),
  })
  .meta({ id: 'EmailBatchResult' });
const BatchAnswer = z
  .object({
    success: z.literal(true),
    results: z.array(BatchResult).meta({ description: 'One for each, in the order of `emails`' }),
  })
  .meta({ id: 'EmailBatchAnswer' });
const PreviewAnswer = z
  .object({
    success: z.literal(true),
    subject: z.string().meta({ description: 'The subject, filled in' }),
    text: z.string().meta({ description: 'The text part' }),
    html: z.string().meta({ description: 'The HTML part' }),
  })
  .meta({ id: 'EmailPreview' });

const person = {
  name: z.string().meta({ description: 'May be empty' }),
  address: z.string().meta({ description: 'The email address' }),
};
const Person = z.object(person).meta({ id: 'EmailAddress' });
const Sender = z.object(person).nullable().meta({ id: 'EmailSender' });
const Try = z
  .object({
    at: At,
    outcome: z
      .enum(['sent', 'deferred', 'failed', 'kept', 'suppressed', 'opened', 'clicked'])
      .meta({
        description: '`kept`: it was handed to no server',
      }),
    recipient: z.string().meta({ description: 'Whom it is about; empty: all that were left' }),
    reason: z.string().meta({ description: 'A code, such as that of the server' }),
    response: z.string().meta({ description: 'The words of the server' }),
  })
  .meta({ id: 'EmailAttempt' });
export const EmailRecord = z
  .object({
    id: accepted.id,
    kind: z.enum(MAIL_KINDS).meta({
      description: '`submitted`, or what the ledger mailed about by itself',
    }),
    status,
    reason: z.string().meta({ description: 'Why it is deferred or failed; empty for none' }),
    kept: z.boolean().meta({ description: 'Whether it was handed to no server, and kept instead' }),
    sandbox: z.boolean(),
    from: Sender.meta({ description: 'null once nothing is kept of it' }),
    to: z.array(Person).meta({ description: 'The recipients' }),
    cc: z.array(Person).meta({ description: 'Those of a copy' }),
    bcc: z.array(Person).meta({ description: 'Those of a hidden copy' }),
    subject: z.string().meta({ description: 'The subject line' }),
    template: z.string().meta({ description: '`string`, or the name of a template' }),
    createdAt: At,
    changedAt: At,
    nextTryAt: At.nullable().meta({ description: 'null: it has ended' }),
    resentFrom: z
      .string()
      .nullable()
      .meta({ format: 'uuid', description: 'The email that it sends again; null for none' }),
    history: z.array(Try).meta({ description: 'Each try, the first first' }),
  })
  .meta({ id: 'Email' });
const EmailAnswer = z
  .object({
    success: z.literal(true),
    email: EmailRecord.meta({ description: 'The email and what became of it' }),
  })
  .meta({ id: 'EmailAnswer' });

function emailEndpoints(services: FaceServices): Endpoint[] {
  return [
    send(services),
    sendBatch(services),
    preview(services),
    list(services),
    read(services),
    resend(services),
  ];
}

function send(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'sendEmail',
    action: 'mails.submit',
    method: 'POST',
    path: PATH,
    tag: TAG,
    summary: 'Send an email',
    description:
      'Accepted durably, and sent soon after. A repetition of the same content, or under the same `idempotencyKey`, within 7 days is answered with the first email (`deduplicated`) and sends nothing. A temporary refusal of the mail server is tried again after 1 min, 5 min, 30 min, 2 h and 8 h; a permanent one fails the email and suppresses the address.',
    access: ACCESS,
    body: EmailInput,
    responses: { 202: { description: 'It is accepted', schema: AcceptedAnswer } },
    rejections: ['unauthorized_domain', 'idempotency_conflict', 'invalid_request_format'],
    idempotency: 'money',
    async handle(context, { body: { tenant_key: _, ...body } }) {
      const made = await ledgerFor(services, context).mails.submit(body);
      const headers = { Location: `${PATH}/${made.id}` };
      return { status: 202, headers, body: { success: true, ...made } };
    },
  });
}

function sendBatch(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'sendEmails',
    action: 'mails.submitBatch',
    method: 'POST',
    path: `${PATH}/batch`,
    tag: TAG,
    summary: 'Send several emails',
    description: `At most ${MAX_BATCH}, each accepted or refused by itself: the answer has a result for each, in order.`,
    access: ACCESS,
    body: BatchInput,
    responses: { 200: { description: 'A result for each', schema: BatchAnswer } },
    rejections: [],
    idempotency: 'money',
    async handle(context, { body: { emails } }) {
      const { mails } = ledgerFor(services, context);
      const results = await submitAll(mails, emails);
      return { status: 200, body: { success: true, results } };
    },
  });
}

type Result = z.input<typeof BatchResult>;

/** Those that are not valid are not among what is submitted. */
async function submitAll(
  mails: TenantLedger['mails'],
  emails: readonly unknown[],
): Promise<readonly Result[]> {
  const read = emails.map((email) => readInput(MESSAGE, email, 'body'));
  const valid = read.flatMap(({ data, errors }) =>
    errors.length === 0 ? [data as z.output<typeof EmailMessage>] : [],
  );
  const done = valid.length === 0 ? [] : await mails.submitBatch(valid);
  const rest = done.values();
  return read.map(({ errors }): Result => {
    if (errors.length > 0) return failed('invalid_request_format', errors);
    const result = rest.next().value;
    if (result === undefined) throw new Error('an email of a batch has no result');
    return 'refusal' in result ? refusedResult(result.refusal) : { success: true, ...result };
  });
}

const MESSAGE = strict(EmailMessage);

function refusedResult(refusal: EngineRefusal): Result {
  switch (refusal.type) {
    case 'SenderUnauthorized':
      return failed('unauthorized_domain');
    case 'MailKeyConflict':
      return failed('idempotency_conflict');
    case 'MailInvalid':
    case 'InputInvalid':
      return failed('invalid_request_format', errorsOf(refusal));
    default:
      return failed('server_error');
  }
}

type EmailCode =
  | 'invalid_request_format'
  | 'unauthorized_domain'
  | 'idempotency_conflict'
  | 'server_error';

function failed(code: EmailCode, errors?: readonly ErrorDetail[]): Result {
  const { title, caseName = '' }: ErrorRow = ERRORS[codeFor({ access: ACCESS }, code)];
  const faults = errors?.map(({ pointer, detail }) => ({ pointer, detail }));
  const problem = { code, error: caseName, message: title };
  return { success: false, ...problem, ...(faults && { errors: faults }) };
}

function preview(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'previewEmail',
    method: 'POST',
    path: `${PATH}/preview`,
    tag: TAG,
    summary: 'Render an email',
    description:
      'Renders both parts as they would be sent. Nothing is sent or kept, and the sender is not checked.',
    access: ACCESS,
    body: EmailInput,
    responses: { 200: { description: 'Both parts', schema: PreviewAnswer } },
    rejections: ['invalid_request_format'],
    idempotency: 'none',
    async handle(context, { body: { tenant_key: _, ...body } }) {
      const rendered = await ledgerFor(services, context).mails.preview(body);
      return { status: 200, body: { success: true, ...rendered } };
    },
  });
}

function read(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getEmail',
    method: 'GET',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Read an email and its history',
    description:
      'Its status, and each try with the words of the server. Kept for 90 days after it has ended; of one whose person was erased only the status is left.',
    access: ACCESS,
    params: z.object({ id: Uuid.meta({ description: 'The id of the email' }) }),
    responses: { 200: { description: 'The email', schema: EmailAnswer } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params }) {
      const email = await ledgerFor(services, context).mails.get(params.id);
      return { status: 200, body: { success: true, email } };
    },
  });
}

function resend(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'resendEmail',
    action: 'mails.resend',
    method: 'POST',
    path: `${PATH}/{id}/resend`,
    tag: TAG,
    summary: 'Send an email again',
    description:
      'One that was sent or has failed, as a new email with an id and a history of its own (`resentFrom`). What the ledger mails by itself is written again from its event; of one that was submitted what it said is kept where it failed, or was handed to no server. Under an Idempotency-Key it is sent once.',
    access: ACCESS,
    params: z.object({ id: Uuid.meta({ description: 'The id of the email' }) }),
    responses: { 202: { description: 'It is accepted', schema: AcceptedAnswer } },
    rejections: ['not_found', 'unauthorized_domain', 'email_not_resendable'],
    idempotency: 'money',
    async handle(context, { params: { id } }) {
      const { idempotencyKey } = context;
      const made = await ledgerFor(services, context).mails.resend(id, {
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      const headers = { Location: `${PATH}/${made.id}` };
      return { status: 202, headers, body: { success: true, ...made } };
    },
  });
}

const ListQuery = z
  .object({
    status: status.optional(),
    kind: z.enum(MAIL_KINDS).optional().meta({ description: 'Of this kind' }),
    to: Email.optional().meta({ description: 'To this recipient' }),
    dateFrom: Day.optional().meta({ description: 'Accepted on this day (GMT) or later' }),
    dateTo: Day.optional().meta({ description: 'Accepted on this day (GMT) or before' }),
    limit: queryLimit({ max: MAX_LISTED_MAILS, fallback: MAX_LISTED_MAILS }),
    cursor: z.string().max(1_000).optional().meta({ description: '`next` of the page before' }),
  })
  .refine(inOrder, IN_ORDER);
const Anchor = z.tuple([z.string().max(64), z.string().max(64)]);

function list(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listEmails',
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'List emails',
    description:
      'Emails by what the query asks for, the newest first: those that were submitted, and those that the ledger mails by itself. A live key lists live ones, a test key those of the sandbox.',
    access: ACCESS,
    query: ListQuery,
    responses: { 200: { description: 'A page of emails', schema: pageOf(EmailRecord, 'Emails') } },
    rejections: [],
    idempotency: 'none',
    handle: (context, { query }) => listed(services, context, query),
  });
}

async function listed(
  services: FaceServices,
  context: RequestContext,
  { cursor, ...asked }: z.output<typeof ListQuery>,
) {
  const [createdAt, id] = cursor === undefined ? [] : inCursor(cursor, Anchor);
  const after = createdAt === undefined || id === undefined ? {} : { after: { createdAt, id } };
  const page = await ledgerFor(services, context).mails.list({ ...asked, ...after });
  const { mails: items, moreResults, end } = page;
  const next = moreResults && end !== undefined ? cursorOf([end.createdAt, end.id]) : null;
  return { status: 200, body: { success: true, count: items.length, moreResults, next, items } };
}

type ResendFault = Extract<EngineRefusal, { readonly type: 'MailNotResendable' }>['reason'];

const NOT_RESENDABLE: Readonly<Record<ResendFault, string>> = {
  'not-ended': 'It is still to be sent',
  'sign-in': 'It holds a link that signs somebody in: ask for a new one',
  erased: 'Nothing is kept of what it said: its person was erased, or it is too old',
  'not-kept': 'What it said is not kept: that is dropped once an email is sent',
  'no-address': 'Its person has no email address any more',
  outdated: 'What it is about has changed since: it would say what is no longer so',
  'no-sender': 'No sender is set for what the ledger mails by itself',
  suppressed: 'All its recipients are on the list of suppressions',
};

const REFUSALS = rows({
  SenderUnauthorized: { code: 'unauthorized_domain' },
  MailKeyConflict: { code: 'idempotency_conflict' },
  MailInvalid: { code: 'invalid_request', errors: errorsOf },
  MailUnknown: { code: 'not_found' },
  MailNotResendable: {
    code: 'email_not_resendable',
    text: ({ reason }) => NOT_RESENDABLE[reason],
  },
});

export const EMAIL = apiSlice(emailEndpoints, REFUSALS);
