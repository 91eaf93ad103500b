/** Admin: the black list, which blocks payments before any gateway is asked. */
import { BlackList } from '@counterfoil/core';
import { notACardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At, UuidText } from './answer-fields.ts';
import { Collection, ignored, patchOf, RowVersion, sameId } from './collections.ts';
import { apiSlice, rows } from './slice.ts';
import { bounded, eitherOf, type FaceServices, Instant, QueryBoolean, text, Uuid } from './wire.ts';

const Kind = z.enum(BlackList.KINDS).meta({
  id: 'BlackListKind',
  description: 'What of a payer is listed. A BIN has six digits, an extended one eight',
});
const Value = notACardNumber(bounded(320)).meta({
  description:
    'An email, an IP address, six or eight digits of a card, a customer id, or a fingerprint. Kept as a keyed digest, and never in the clear',
  example: 'eve@example.com',
});
const Sandbox = z.boolean().meta({ description: 'Test data has a list of its own. Default: live' });

const Reason = text(500).meta({ description: 'Why it is listed' });
const ExpiresAt = Instant.nullable().meta({
  description: 'From then on it blocks nothing; null for never',
});
const changeable = { reason: Reason.optional(), expiresAt: ExpiresAt.optional() };

const Entry = z
  .object({
    id: z.string().meta({
      format: 'uuid',
      description: 'Always the same of the same value, in one environment of one tenant',
    }),
    sandbox: z.boolean(),
    kind: Kind,
    value: z.string().meta({ description: 'Masked, but for BINs', example: 'e***@***' }),
    reason: z.string().meta({ description: 'Why it is listed' }),
    source: z.enum(BlackList.SOURCES).meta({
      description: 'Who put it on the list: an admin, or what the settings say of disputes',
    }),
    transactionId: UuidText.nullable().meta({
      description: 'The payment that the value was taken from; null without one',
    }),
    createdAt: At.meta({ description: 'When it was put on the list' }),
    expiresAt: At.nullable().meta({ description: 'From then on it blocks nothing' }),
    rowVersion: RowVersion,
  })
  .meta({ id: 'BlackListEntry' });

const EntryInput = z
  .object({
    kind: Kind,
    value: Value.optional(),
    transactionId: Uuid.optional().meta({
      description: 'Takes the value from this payment, or the payment of this child',
    }),
    ...changeable,
    sandbox: Sandbox.optional(),
  })
  .meta({ id: 'BlackListEntryInput', ...eitherOf('value', 'transactionId') });

const EntryChange = z
  .object({
    ...patchOf(changeable),
    rowVersion: RowVersion.optional(),
    id: sameId,
    ...ignored('sandbox', 'kind', 'value', 'source', 'transactionId', 'createdAt'),
  })
  .meta({ id: 'BlackListEntryChange' });

const FILTERS = {
  kind: Kind.optional().meta({ description: 'Entries of this kind' }),
  value: Value.optional().meta({
    description: 'Entries of exactly this value, of any kind that it can be',
  }),
  sandbox: QueryBoolean.optional().meta({ description: 'Absent: the live list' }),
};

function blackListEndpoints(services: FaceServices): Endpoint[] {
  const entries = new Collection(
    services,
    {
      path: '/api/admin/blacklist',
      one: 'BlackListEntry',
      many: 'BlackListEntries',
      words: { one: 'an entry of the black list', many: 'entries of the black list' },
      scopes: { read: 'blacklist:read', write: 'blacklist:write' },
      item: Entry,
      id: text(64),
    },
    (ledger, id: string) => ledger.blackList.get(id),
  );
  return [
    entries.list(
      'Newest first. What has expired is listed until it is removed.',
      (ledger, listing) => ledger.blackList.list(listing),
      FILTERS,
    ),
    entries.create({
      action: 'blackList.add',
      description:
        'The next payment with this value is answered 402 with the status Blocked, on every host, and no gateway is asked. The same value again is the same entry. A rebill is blocked by an email, a card fingerprint or a customer, and its subscription is frozen.',
      body: EntryInput,
      rejections: ['duplicate', 'not_found'],
      make: (ledger, body) => ledger.blackList.add(body),
    }),
    entries.read('As the events have it at this moment.'),
    entries.amend({
      action: 'blackList.change',
      description: 'A JSON merge patch (RFC 7396) of reason and expiry.',
      body: EntryChange,
      rejections: [],
      change: (ledger, id: string, { reason, expiresAt }, rowVersion) =>
        ledger.blackList.change(id, {
          reason: reason === null ? '' : reason,
          expiresAt,
          rowVersion,
        }),
    }),
    entries.remove(
      {
        action: 'blackList.remove',
        summary: 'Remove an entry of the black list',
        description: 'Payments with the value are taken again. The answer shows it as it was.',
      },
      (ledger, id: string) => ledger.blackList.remove(id),
    ),
  ];
}

const FORM: Readonly<Record<BlackList.Kind, string>> = {
  email: 'must be an email address',
  cardFingerprint: 'must be a card fingerprint; name a payment with the card instead',
  bin: 'must be six digits',
  extendedBin: 'must be eight digits',
  ip: 'must be an IP address',
  customer: 'must be a customer id',
};

const REFUSALS = rows({
  BlackListEntryUnknown: { code: 'not_found' },
  BlackListEntryExists: {
    code: 'duplicate',
    text: ({ entryId }) => `The value is listed as ${entryId}, with another reason or expiry`,
  },
  BlackListValueInvalid: {
    code: 'invalid_request',
    errors: ({ kind }) => [{ pointer: '/value', detail: FORM[kind] }],
  },
  ValueOrTransaction: {
    code: 'invalid_request',
    errors: () =>
      ['/value', '/transactionId'].map((pointer) => ({
        pointer,
        detail: 'Send either value or transactionId',
      })),
  },
  PayerValueUnknown: {
    code: 'invalid_request',
    errors: () => [
      { pointer: '/kind', detail: 'The payment has no such value, or its customer is erased' },
    ],
  },
});

export const BLACK_LIST = apiSlice(blackListEndpoints, REFUSALS);
