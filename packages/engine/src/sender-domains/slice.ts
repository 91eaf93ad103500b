/** The domains that a tenant may send mail from. */
import type { MerchantAccountParts } from '../merchant-accounts/index.ts';
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { SenderDomains } from './sender-domains.ts';
import {
  SENDER_DOMAIN_CALLS,
  SENDER_DOMAIN_INPUTS,
  TenantSenderDomains,
} from './tenant-sender-domains.ts';

export type SenderDomainParts = PartsOf<typeof SENDER_DOMAINS>;

export const SENDER_DOMAINS = slice({
  scopes: {
    'senderdomains:read': 'Read the domains that mail may be sent from',
    'senderdomains:write': 'Authorize, change and remove domains that mail may be sent from',
  },
  make: ({ commands, credentials }: Base & MerchantAccountParts) => ({
    senderDomains: new SenderDomains(commands, credentials),
  }),
  tenant: ({ senderDomains }) => ({
    senderDomains: tenantPart(
      SENDER_DOMAIN_INPUTS,
      (acting) => new TenantSenderDomains(senderDomains, acting),
      SENDER_DOMAIN_CALLS,
    ),
  }),
});
