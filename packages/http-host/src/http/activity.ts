/** The activity of a request: what is recorded of it, before it is answered. */
import { isEmail } from '@counterfoil/core';
import type { Activity, ActivityLog, KeyRecord } from '@counterfoil/engine';
import { holdsCardNumber } from '@counterfoil/engine/gateways';
import type { Answer } from './answer.ts';
import { keyActor, OPERATOR } from './caller.ts';
import { utf8Of } from './caller-headers.ts';
import type { Endpoint } from './endpoint.ts';
import { REPLAYED } from './idempotency.ts';
import type { Exchange } from './request-context.ts';

const FIRST_ERROR = 400;
const FIRST_SERVER_ERROR = 500;

/**
 * Records the request, unless it is one that is not recorded, or of a caller who is not known. Resolves
 * when it is written, and never rejects.
 */
export async function recordActivity(
  activity: ActivityLog,
  exchange: Exchange,
  answer: Answer,
): Promise<void> {
  const { endpoint, requester, requestId, remoteAddress } = exchange;
  const action = endpoint?.action;
  if (endpoint === undefined || action === undefined || requester === undefined) return;
  if (endpoint.recorded === 'exports' && !isExport(answer)) return;
  const { tenantId, environment, keyId } = requester;
  // A page sends leads and cards from a person's browser: its address and its claims are that person's.
  const isOfPerson = 'knowsOrigin' in endpoint.access;
  await activity.record(
    { tenantId, environment },
    {
      actor: isOfPerson ? keyActor(keyId) : actorOf(exchange, requester),
      keyId,
      requestId,
      action,
      subject: exchange.subject ?? subjectInPath(exchange, endpoint),
      outcome: outcomeOf(answer),
      code: answer.code ?? null,
      remoteAddress: (isOfPerson ? undefined : remoteAddress) ?? null,
    },
  );
}

/** A file rather than an answer to a program. */
function isExport({ status, contentType }: Answer): boolean {
  return status < FIRST_ERROR && !contentType.startsWith('application/json');
}

/** A decline of the gateway has no code: the command was carried out. */
function outcomeOf({ status, headers, code }: Answer): Activity['outcome'] {
  if (headers?.[REPLAYED] !== undefined) return 'replayed';
  if (code === undefined && status < FIRST_SERVER_ERROR) return 'done';
  return status < FIRST_SERVER_ERROR ? 'refused' : 'failed';
}

/** As events name them. One who was refused early may have claimed anything. */
function actorOf({ head, knownPrincipal }: Exchange, { keyId }: Pick<KeyRecord, 'keyId'>): string {
  if (keyId === OPERATOR.keyId) return OPERATOR.actor;
  const claimed = knownPrincipal?.actor ?? (head.userEmail && utf8Of(head.userEmail));
  if (!claimed || !isEmail(claimed) || holdsCardNumber(claimed)) return keyActor(keyId);
  return claimed;
}

/** Of a request that was refused before its handler. */
function subjectInPath({ params }: Exchange, endpoint: Endpoint): string | null {
  if (params?.['id'] === undefined) return null;
  const read = endpoint.params?.safeParse(params);
  const { id } = (read?.success ? read.data : {}) as { readonly id?: unknown };
  if (id === undefined || holdsCardNumber(String(id))) return null;
  return `${endpoint.subjectPrefix ?? ''}${id}`;
}
