/** Admin: the addresses that the tenant's mails are not sent to. */
import { SUPPRESSION_REASONS } from '@counterfoil/engine/input';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection } from './collections.ts';
import { apiSlice, rows } from './slice.ts';
import { Email, type FaceServices, QueryBoolean, text, Uuid } from './wire.ts';

const sandbox = z.boolean().meta({ description: 'Whether it is of the sandbox' });
const Suppression = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
    email: z.string().meta({ description: 'Empty once its person is erased: it stays suppressed' }),
    reason: z.enum(SUPPRESSION_REASONS).meta({
      description:
        '`bounce`: a mail server has refused it for good. `unsubscribe`: by its person; what the ledger mails by itself is still sent. `manual`: by the tenant',
    }),
    note: z.string().meta({ description: 'Of the tenant, or the code of the mail server' }),
    sandbox,
    createdAt: At,
  })
  .meta({ id: 'Suppression' });

const SuppressionInput = z
  .object({
    email: Email,
    note: text(200).optional().meta({ description: 'For the tenant' }),
    sandbox: sandbox.optional().meta({ description: 'Absent: live' }),
  })
  .meta({ id: 'SuppressionInput' });

function suppressionEndpoints(services: FaceServices): Endpoint[] {
  const suppressions = new Collection(
    services,
    {
      path: '/api/admin/suppressions',
      one: 'Suppression',
      many: 'Suppressions',
      words: { one: 'a suppression', many: 'suppressions' },
      scopes: { read: 'mails:read', write: 'mails:write' },
      item: Suppression,
      id: Uuid,
    },
    (ledger, id: string) => ledger.suppressions.get(id),
  );
  return [
    suppressions.list(
      'The addresses that emails are not sent to, by their ids.',
      (ledger, listing) => ledger.suppressions.list(listing),
      {
        email: Email.optional().meta({ description: 'This address alone' }),
        sandbox: QueryBoolean.optional().meta({ description: 'Absent: live ones' }),
      },
    ),
    suppressions.create({
      action: 'suppressions.create',
      description:
        'Emails to it fail from now on, with the reason `suppressed`. An address that is there stays as it is.',
      body: SuppressionInput,
      rejections: [],
      make: (ledger, body) => ledger.suppressions.create(body),
    }),
    suppressions.read('A suppression by its id.'),
    suppressions.remove(
      {
        action: 'suppressions.remove',
        summary: 'Remove a suppression',
        description: 'Emails to it are sent again. The answer has it as it was.',
      },
      (ledger, id: string) => ledger.suppressions.remove(id),
    ),
  ];
}

const REFUSALS = rows({ SuppressionUnknown: { code: 'not_found' } });

export const SUPPRESSIONS = apiSlice(suppressionEndpoints, REFUSALS);
