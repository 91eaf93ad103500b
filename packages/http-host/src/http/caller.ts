/** Who makes a request, as the ledger records it. */
import type { Actor, Caller } from '@counterfoil/engine';
import type { RequestContext } from './endpoint.ts';

/** Of a request that names no user. */
export function keyActor(keyId: string): string {
  return `key:${keyId}`;
}

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
