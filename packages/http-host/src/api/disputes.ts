/** The disputes queue, and what is done about chargebacks and alerts. */
import { DisputeEvidence } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { mayHoldCardNumber } from '@counterfoil/engine/input';
import { QUEUE_STATUS } from '@counterfoil/projections';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type ErrorCode, refuse } from '../http/errors.ts';
import { At, UuidText } from './answer-fields.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { apiSlice } from './slice.ts';
import {
  bounded,
  type FaceServices,
  Id,
  Instant,
  ledgerFor,
  optionalClaims,
  pattern,
  QueryBoolean,
  queryIntegers,
  queryLimit,
  queryTexts,
  text,
  Uuid,
} from './wire.ts';

const TAG = 'Admin';
const PATH = '/api/admin/disputes';
const READ = { kind: 'api-key', scope: 'disputes:read', requiresUserEmail: true } as const;
const WRITE = { kind: 'api-key', scope: 'disputes:write', requiresUserEmail: true } as const;
const MAX_LIMIT = 100;
const MAX_FILE_BYTES = 5 * 2 ** 20;

const Digest = pattern(/^[0-9a-f]{64}$/, { max: 64, detail: 'must be a SHA-256 in hex' });

const QueueStatus = z.enum(QUEUE_STATUS).meta({
  id: 'DisputeStatus',
  description: 'The status in the books; `Unmatched`: reported, and in none',
});

const DisputeBody = z
  .object({
    disputeId: UuidText.meta({ description: 'The id of the chargeback or alert' }),
    transactionId: UuidText.nullable().meta({ description: 'The payment; null without one' }),
    kind: z.enum(['chargeback', 'alert']).meta({ description: 'What it is' }),
    provider: z.string().meta({ description: 'Who reported it; empty for the gateway' }),
    reference: z.string().meta({ description: 'The reference of the provider' }),
    sandbox: z.boolean(),
    status: QueueStatus,
    merchantAccountId: z.int().nullable(),
    mid: z.string(),
    midName: z.string(),
    currency: z.string(),
    amount: z.number(),
    exceedsCaptured: z.boolean().meta({
      description: 'Whether it took money that had been given back already, or was on its way',
    }),
    refundedBefore: z.number().meta({ description: 'What had been refunded when it came' }),
    reasonCode: z.string().meta({ description: 'Of the card network' }),
    arn: z.string(),
    alertType: z.string().meta({ description: 'What the alert warns of; empty of a chargeback' }),
    alertSource: z.string().meta({ description: 'Where the alert came from' }),
    openedAt: At.meta({ description: 'When it began' }),
    deadline: At.nullable().meta({ description: 'When an answer must have been given' }),
    orderId: z.int().nullable(),
    email: z.string(),
    note: z.string().meta({ description: 'What was said of it last' }),
    changedAt: At.meta({ description: 'When its status changed last' }),
  })
  .meta({ id: 'Dispute' });

const EvidenceFile = z
  .object({
    digest: z.string().meta({ description: 'SHA-256 of the content, in hex' }),
    name: z.string().meta({ description: 'As it was given; empty once the customer is erased' }),
    mediaType: z.enum(DisputeEvidence.MEDIA_TYPES).meta({ description: 'By its first bytes' }),
    bytes: z.int().meta({ description: 'The size' }),
    keptAt: At.meta({ description: 'When it was kept' }),
  })
  .meta({ id: 'EvidenceFile' });

const SentAnswer = z
  .object({
    answer: z.enum(['evidence', 'acceptance']).meta({ description: 'What was answered' }),
    submission: z.int().meta({ description: 'Counts what was handed in; 0 of an acceptance' }),
    result: z.enum(['taken', 'refused']).meta({
      description: '`refused`: see `note`. Evidence may then be handed in again',
    }),
    note: z.string().meta({ description: 'Why it was refused' }),
    at: At.meta({ description: 'When the gateway said so' }),
  })
  .meta({ id: 'SentAnswer' });

const EvidenceBody = z
  .object({
    files: z.array(EvidenceFile).meta({ description: 'What was kept, in its order' }),
    fields: z
      .record(z.string(), z.string())
      .meta({ description: 'What was said beside the files' }),
    submittedAt: At.nullable().meta({ description: 'When it was handed in' }),
    submittedDigests: z
      .array(Digest)
      .meta({ description: 'Of the files that were handed in last' }),
    sent: z.array(SentAnswer).meta({
      description: 'What the gateway of the payment said to the answers that it was given',
    }),
  })
  .meta({ id: 'DisputeEvidence', description: 'What the chargeback is represented with' });

const ListAnswer = z
  .object({
    success: z.literal(true),
    count: z.int().meta({ description: 'Items in this page' }),
    moreResults: z.boolean().meta({ description: 'Whether another page follows' }),
    next: z.string().nullable().meta({ description: '`cursor` of the next page' }),
    items: z.array(DisputeBody),
  })
  .meta({ id: 'Disputes' });

const ShownAnswer = z
  .object({ success: z.literal(true), item: DisputeBody, evidence: EvidenceBody })
  .meta({ id: 'DisputeShown' });

const Answered = z
  .object({ success: z.literal(true), message: z.string(), item: DisputeBody })
  .meta({ id: 'DisputeAnswered' });

const NoteInput = z
  .object({
    ...optionalClaims,
    note: text(1_000).optional().meta({ description: 'Why; kept with the dispute' }),
  })
  .meta({ id: 'DisputeNote' })
  .optional();

const RepresentInput = z
  .object({
    ...optionalClaims,
    note: text(1_000).optional().meta({ description: 'Why; kept with the dispute' }),
    digests: z
      .array(Digest)
      .max(DisputeEvidence.MAX_FILES)
      .optional()
      .meta({ description: 'Of files that were kept for this dispute; all of them when absent' }),
    fields: z
      .record(
        pattern(/^[A-Za-z][A-Za-z0-9_]*$/, { max: 64, detail: 'must be a name' }),
        text(20_000),
      )
      .optional()
      .meta({ description: 'What is said besides, at most 50 fields of free names' }),
  })
  .meta({ id: 'Representment' })
  .optional();

const MatchInput = z
  .object({ ...optionalClaims, transactionId: Uuid })
  .meta({ id: 'DisputeMatch' });

const params = z.object({
  id: Uuid.meta({ description: 'The id of the chargeback or alert' }),
});

const Place = z.object({ sort: z.number(), key: z.string() });

function disputeEndpoints(services: FaceServices): Endpoint[] {
  return [
    list(services),
    read(services),
    ...ACTIONS.map((each) => action(services, each)),
    represent(services),
    match(services),
    keepEvidence(services),
    readEvidence(services),
  ];
}

function list(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'listDisputes',
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'List disputes',
    description:
      'Chargebacks that took money which had been given back come first, whatever is asked for by date; then the nearest deadline. Without `status`: those that wait for something (`Unmatched`, `ChargebackOpen`, `ChargebackUnderReview`, `AlertOpen`).',
    access: READ,
    query: z.object({
      status: queryTexts(z.array(z.string()).max(QUEUE_STATUS.length)).optional().meta({
        description: 'Of any of these statuses',
      }),
      kind: z.enum(['chargeback', 'alert']).optional().meta({ description: 'Of this kind alone' }),
      merchantAccountIds: queryIntegers(z.array(Id).max(MAX_LIMIT)).optional(),
      dueBy: Instant.optional().meta({ description: 'To be answered by then' }),
      sandbox: QueryBoolean.optional(),
      limit: queryLimit({ max: MAX_LIMIT, fallback: 25 }),
      cursor: mayHoldCardNumber(z.string().max(1_000)).optional(),
    }),
    responses: { 200: { description: 'A page of disputes', schema: ListAnswer } },
    rejections: ['live_data_forbidden'],
    idempotency: 'none',
    async handle(context, { query }) {
      const { status, cursor, ...given } = query;
      const page = await ledgerFor(services, context).disputes.list({
        ...given,
        ...(status !== undefined && { statuses: statusesOf(status) }),
        ...(cursor !== undefined && { after: inCursor(cursor, Place) }),
      });
      const { disputes: items, moreResults, end } = page;
      const next = moreResults && end !== undefined ? cursorOf(end) : null;
      return {
        status: 200,
        body: { success: true, count: items.length, moreResults, next, items },
      };
    },
  });
}

function statusesOf(given: readonly string[]) {
  const { success, data } = z.array(z.enum(QUEUE_STATUS)).safeParse(given);
  if (success) return data;
  throw refuse('invalid_request', undefined, {
    errors: [{ pointer: '/query/status', detail: `must be of ${QUEUE_STATUS.join(', ')}` }],
  });
}

function read(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getDispute',
    method: 'GET',
    path: `${PATH}/{id}`,
    tag: TAG,
    summary: 'Read a dispute',
    description: 'A chargeback or alert with its evidence.',
    access: READ,
    params,
    responses: { 200: { description: 'The dispute', schema: ShownAnswer } },
    rejections: ['not_found'],
    idempotency: 'none',
    async handle(context, { params: { id } }) {
      const shown = await ledgerFor(services, context).disputes.get(id.toLowerCase());
      const { dispute: item, evidence } = shown;
      return { status: 200, body: { success: true, item, evidence } };
    },
  });
}

const CHANGES = ['not_found', 'payment_state', 'concurrent_update'] satisfies ErrorCode[];

interface Action {
  readonly name: 'accept' | 'refund' | 'decline';
  readonly summary: string;
  readonly description: string;
  readonly rejections: readonly ErrorCode[];
  readonly message: string;
}

const ACTIONS: readonly Action[] = [
  {
    name: 'accept',
    summary: 'Accept a chargeback',
    description: 'The money is given up.',
    rejections: CHANGES,
    message: 'Accepted',
  },
  {
    name: 'refund',
    summary: 'Refund an alert',
    description:
      'Gives the amount of the alert back, by the same rule as every refund; the alert is resolved once that is paid. Repeated, it is the same refund.',
    rejections: [
      ...CHANGES,
      'not_refundable',
      'refund_exceeds_refundable',
      'refund_items_required',
      'gateway_error',
    ],
    message: 'Refunded',
  },
  {
    name: 'decline',
    summary: 'Decline an alert',
    description: 'The money is kept; a chargeback may follow.',
    rejections: CHANGES,
    message: 'Declined',
  },
];

function action(services: FaceServices, { name, message, ...words }: Action): Endpoint {
  return endpoint({
    operationId: `${name}Dispute`,
    action: `disputes.${name}`,
    method: 'POST',
    path: `${PATH}/{id}/${name}`,
    tag: TAG,
    ...words,
    access: WRITE,
    params,
    body: NoteInput,
    responses: { 200: { description: 'The dispute as it is now', schema: Answered } },
    idempotency: 'none',
    async handle(context, { params: { id }, body: { note } = {} }) {
      const { disputes } = ledgerFor(services, context);
      return answered(await disputes[name](id.toLowerCase(), { note }), message);
    },
  });
}

function answered(item: Awaited<ReturnType<TenantLedger['disputes']['accept']>>, message: string) {
  return { status: 200, body: { success: true, message, item } };
}

function represent(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'representDispute',
    action: 'disputes.represent',
    method: 'POST',
    path: `${PATH}/{id}/represent`,
    tag: TAG,
    summary: 'Represent a chargeback',
    description:
      'Hands in evidence: fields, and files that were kept before; at least one of them, for it is handed in once. Where the chargeback took money that had been given back, the refunds are added by themselves.',
    access: WRITE,
    params,
    body: RepresentInput,
    responses: { 200: { description: 'The dispute as it is now', schema: Answered } },
    rejections: [...CHANGES, 'evidence_invalid', 'customer_erased'],
    idempotency: 'none',
    async handle(context, { params: { id }, body = {} }) {
      const { parentCompanyId: _, userEmail: __, ...given } = body;
      const { disputes } = ledgerFor(services, context);
      return answered(await disputes.represent(id.toLowerCase(), given), 'Represented');
    },
  });
}

function match(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'matchDispute',
    action: 'disputes.match',
    method: 'POST',
    path: `${PATH}/{id}/match`,
    tag: TAG,
    summary: 'Match a report',
    description: 'Says which payment a report is about that matched none by itself.',
    access: WRITE,
    params,
    body: MatchInput,
    responses: { 200: { description: 'The dispute as it is now', schema: Answered } },
    rejections: [...CHANGES, 'duplicate'],
    idempotency: 'none',
    async handle(context, { params, body: { transactionId } }) {
      const id = params.id.toLowerCase();
      const { disputes } = ledgerFor(services, context);
      await disputes.match(id, { transactionId });
      return answered((await disputes.get(id)).dispute, 'Matched');
    },
  });
}

const KeptAnswer = z
  .object({ success: z.literal(true), message: z.string(), item: EvidenceFile })
  .meta({ id: 'EvidenceKept' });

function keepEvidence(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'keepDisputeEvidence',
    action: 'disputes.keepEvidence',
    method: 'POST',
    path: `${PATH}/{id}/evidence`,
    tag: TAG,
    summary: 'Keep a file of evidence',
    description:
      'A PDF, PNG, JPEG or TIFF, or plain text in UTF-8: what it is is seen by its first bytes. At most 5 MiB, and 20 files a dispute. The same content again is the same file.',
    access: WRITE,
    params,
    query: z.object({
      name: text(255).min(1).default('evidence').meta({
        description: 'What the file is called',
        example: 'receipt.pdf',
      }),
    }),
    upload: {
      mediaType: 'application/octet-stream',
      maxBytes: MAX_FILE_BYTES,
      example: 'Delivered on 3 March, signed by A. Lovelace',
    },
    responses: { 200: { description: 'The file', schema: KeptAnswer } },
    rejections: [...CHANGES, 'evidence_invalid', 'customer_erased'],
    idempotency: 'none',
    async handle(context, { params: { id }, query: { name } }) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of context.content()) chunks.push(Uint8Array.from(chunk));
      const { disputes } = ledgerFor(services, context);
      const content = Buffer.concat(chunks);
      const item = await disputes.keepEvidence(id.toLowerCase(), { name, content });
      return { status: 200, body: { success: true, message: 'Kept', item } };
    },
  });
}

function readEvidence(services: FaceServices): Endpoint {
  return endpoint({
    operationId: 'getDisputeEvidence',
    action: 'disputes.evidence',
    method: 'GET',
    path: `${PATH}/{id}/evidence/{digest}`,
    tag: TAG,
    summary: 'Read a file of evidence',
    description: 'The content, with its own media type.',
    access: READ,
    params: params.extend({
      digest: bounded(64).meta({ description: 'SHA-256 of the content, in hex' }),
    }),
    responses: {
      200: { description: 'The content', contentType: 'application/octet-stream' },
    },
    rejections: ['not_found', 'payment_state'],
    idempotency: 'none',
    async handle(context, { params: { id, digest } }) {
      const { disputes } = ledgerFor(services, context);
      const found = await disputes.evidence(id.toLowerCase(), digest);
      if (found === undefined) throw refuse('not_found');
      // Never shown by a browser: whoever made the file may not be trusted.
      const headers = { 'Content-Disposition': 'attachment', 'X-Media-Type': found.mediaType };
      return {
        status: 200,
        raw: found.content,
        contentType: 'application/octet-stream',
        headers,
      };
    },
  });
}

export const DISPUTES = apiSlice(disputeEndpoints, {
  DisputeUnmatched: {
    code: 'payment_state',
    text: 'No payment matches this report: match it with one first',
  },
  TooMuchEvidence: { code: 'evidence_invalid', text: ({ max }) => `At most ${max} files` },
  EvidenceTooLarge: {
    code: 'evidence_invalid',
    text: ({ max }) => `A file may have at most ${max} bytes`,
  },
  EvidenceTypeUnknown: { code: 'evidence_invalid', text: 'The file cannot be evidence' },
  EvidenceUnknown: { code: 'not_found' },
  EvidenceMissing: {
    code: 'evidence_invalid',
    text: 'There is nothing to hand in: say what happened in fields, or keep a file first',
  },
});
