/** Who makes a request, as the ledger records it. */
import type { Actor, Caller } from '@counterfoil/engine';
import type { RequestContext } from './endpoint.ts';

export function callerOf({ principal, requestId, traceparent }: RequestContext): Caller {
  return {
    actor: principal.actor ?? `key:${principal.keyId}`,
    keyId: principal.keyId,
    requestId,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** For endpoints of one's own: `engine.as(actorOf(context))`. */
export function actorOf(context: RequestContext): Actor {
  const { tenantId, environment } = context.principal;
  return { ...callerOf(context), tenantId, environment };
}
