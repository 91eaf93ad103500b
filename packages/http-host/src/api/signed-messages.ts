/** Messages of other systems: by an API key, or without one signed as Standard Webhooks. */
import type { TenantId } from '@counterfoil/core';
import type { TenantLedger } from '@counterfoil/engine';
import { z } from 'zod';
import type { Access, RequestContext, SignedRequest } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import { type FaceServices, Id, ledgerFor, queryInteger } from './wire.ts';

type OrSigned = NonNullable<Extract<Access, { kind: 'api-key' }>['orSigned']>;

/** Who has signed a message is found out before there is a caller. */
export interface SigningServices extends FaceServices {
  readonly webhookEndpoints: {
    signerOf(
      whose: { readonly tenantId: TenantId; readonly source: string },
      message: Omit<SignedRequest, 'query'>,
      scopes: ReadonlySet<string>,
    ): ReturnType<OrSigned>;
  };
}

/** The tenant of a message that has no key. */
export const signedFor = {
  clientId: queryInteger(Id).optional().meta({
    description: 'The tenant id, of messages that are signed and have no ClientId header',
  }),
};

const SignedFor = z.object(signedFor);
type SignedFor = z.output<typeof SignedFor>;

/** `source` is the parameter of the query that names whose secrets a message is signed with. */
export function signedBy(
  { webhookEndpoints }: SigningServices,
  { source, scope }: { readonly source: string; readonly scope: string },
): OrSigned {
  const scopes = new Set([scope]);
  return async ({ query, ...message }) => {
    const { [source]: name } = query;
    const { clientId } = SignedFor.safeParse(query).data ?? {};
    if (clientId === undefined || typeof name !== 'string') return undefined;
    return webhookEndpoints.signerOf(
      { tenantId: clientId as TenantId, source: name },
      message,
      scopes,
    );
  };
}

/** The ledger of a message's tenant: the query names no other one than the key. */
export function ledgerOfMessage(
  services: FaceServices,
  context: RequestContext,
  { clientId = context.principal.tenantId }: SignedFor,
): TenantLedger {
  if (clientId !== context.principal.tenantId) throw refuse('tenant_mismatch');
  return ledgerFor(services, context);
}
