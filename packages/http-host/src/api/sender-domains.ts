/** Admin: the domains that the tenant may send mail from. */
import { DkimPrivateKey, DkimSelector, DomainName } from '@counterfoil/engine';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection, patchOf, RowVersion } from './collections.ts';
import { apiSlice, rows } from './slice.ts';
import { type FaceServices, Uuid } from './wire.ts';

const domain = DomainName.meta({
  description: 'In letters of any script; compared in lower case and punycode',
  example: 'shop.example',
});
const settings = {
  includeSubdomains: z.boolean().meta({
    description:
      'Whether the domains below it are authorized too, but for those that are here themselves',
  }),
  status: z.enum(['authorized', 'disabled']).meta({
    description: '`disabled`: mails from it are refused, at once',
  }),
};
const dkim = {
  dkimSelector: DkimSelector.meta({
    description: 'Where the public key is: `<selector>._domainkey.<asciiDomain>`',
  }),
  dkimPrivateKey: DkimPrivateKey.meta({
    description:
      'RSA of 1024 to 4096 bits, in PEM; with a selector. Kept encrypted, and masked when it is read: a masked value written back is the one that is kept',
  }),
};

const SenderDomain = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The id of the item' }),
    domain,
    asciiDomain: z.string().meta({ description: 'The domain in lower case and punycode' }),
    ...settings,
    dkimSelector: z.string().nullable().meta({ description: 'null: mails are not signed' }),
    dkimPrivateKey: z.string().nullable().meta({ description: 'Masked; null: there is none' }),
    createdAt: At,
    rowVersion: RowVersion,
  })
  .meta({ id: 'SenderDomain' });

const SenderDomainInput = z
  .object({
    domain,
    includeSubdomains: settings.includeSubdomains.default(false),
    status: settings.status.default('authorized'),
    dkimSelector: dkim.dkimSelector.optional(),
    dkimPrivateKey: dkim.dkimPrivateKey.optional(),
  })
  .meta({ id: 'SenderDomainInput' });

const SenderDomainChange = z
  .object({
    includeSubdomains: settings.includeSubdomains.optional(),
    status: settings.status.optional(),
    ...patchOf(dkim),
    rowVersion: RowVersion.optional(),
  })
  .meta({ id: 'SenderDomainChange' });

function senderDomainEndpoints(services: FaceServices): Endpoint[] {
  const domains = new Collection(
    services,
    {
      path: '/api/admin/senderdomains',
      one: 'SenderDomain',
      many: 'SenderDomains',
      words: { one: 'a sender domain', many: 'sender domains' },
      scopes: { read: 'senderdomains:read', write: 'senderdomains:write' },
      item: SenderDomain,
      id: Uuid,
    },
    (ledger, id: string) => ledger.senderDomains.get(id),
  );
  return [
    domains.list('The domains that mail may be sent from, by their ids.', (ledger, listing) =>
      ledger.senderDomains.list(listing),
    ),
    domains.create({
      action: 'senderDomains.create',
      description:
        'Mail may be sent from its addresses, and with `includeSubdomains` from those of the domains below it. A domain below it that is here itself decides for itself.',
      body: SenderDomainInput,
      rejections: ['duplicate', 'limit_reached'],
      make: (ledger, body) => ledger.senderDomains.create(body),
    }),
    domains.read('A sender domain by its id. The private key is masked.'),
    domains.amend({
      action: 'senderDomains.change',
      description:
        'A JSON merge patch (RFC 7396); null takes the selector or the key away, which go together. It is in force at once, on every host.',
      body: SenderDomainChange,
      rejections: [],
      change: (ledger, id: string, { rowVersion: _, ...change }, rowVersion) =>
        ledger.senderDomains.change(id, { ...change, rowVersion }),
    }),
    domains.remove(
      {
        action: 'senderDomains.remove',
        summary: 'Remove a sender domain',
        description: 'Mails from it are refused from now on. The answer has it as it was.',
      },
      (ledger, id: string) => ledger.senderDomains.remove(id),
    ),
  ];
}

const REFUSALS = rows({
  SenderDomainUnknown: { code: 'not_found' },
  SenderDomainExists: { code: 'duplicate', text: 'The domain is among the sender domains' },
  SenderDomainInvalid: {
    code: 'invalid_request',
    errors: () => [{ pointer: '/domain', detail: 'must be a domain such as shop.example' }],
  },
  TooManySenderDomains: {
    code: 'limit_reached',
    text: ({ max }) => `A tenant has at most ${max} sender domains`,
  },
  DkimIncomplete: {
    code: 'invalid_request',
    errors: ({ missing }) => [
      { pointer: `/${missing}`, detail: 'is required: a selector and a private key go together' },
    ],
  },
  DkimKeyInvalid: {
    code: 'invalid_request',
    errors: () => [
      {
        pointer: '/dkimPrivateKey',
        detail: 'must be a private key of RSA in PEM, of 1024 to 4096 bits and without a password',
      },
    ],
  },
});

export const SENDER_DOMAINS = apiSlice(senderDomainEndpoints, REFUSALS);
