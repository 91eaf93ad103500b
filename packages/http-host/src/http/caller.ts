/** Who makes a request, as the ledger records it. */
import type { Actor, Caller } from '@counterfoil/engine';
import type { RequestContext } from './endpoint.ts';

/** Of a request that names no user. */
export function keyActor(keyId: string): string {
  return `key:${keyId}`;
}

/** Who has the folder of the host needs neither a key nor a name. No key has such an id. */
export const OPERATOR = { keyId: 'operator', actor: 'operator@localhost' } as const;

export function callerOf({ principal, requestId, traceparent }: RequestContext): Caller {
  return {
    actor: principal.actor ?? keyActor(principal.keyId),
    keyId: principal.keyId,
    requestId,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** For endpoints of one's own: `engine.as(actorOf(context))`. */
export function actorOf(context: RequestContext): Actor {
  const { tenantId, environment } = context.principal;
  const { remoteAddress } = context;
  return {
    ...callerOf(context),
    tenantId,
    environment,
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}
