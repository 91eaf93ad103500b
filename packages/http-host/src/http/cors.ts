/** Cross-origin requests of browsers: preflights, and the headers by which a page may read an answer. */
import type { Answer } from './answer.ts';
import type { HandlerResult } from './endpoint.ts';
import type { Exchange } from './request-context.ts';

const PREFLIGHT_SECONDS = 600;

/** The answer to a preflight of a page that may go on. Credentials are never admitted. */
export function preflightAnswer(origin: string): HandlerResult {
  return {
    status: 204,
    body: undefined,
    headers: {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers':
        'Content-Type, X-Service-Lead-Key, X-Service-Payment-Key, X-Request-Id',
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
      Vary: 'Origin',
    },
  };
}

/** The answer for a page of a known origin, which may read refusals too. */
export function withCors({ endpoint, head }: Exchange, answer: Answer): Answer | Promise<Answer> {
  if (endpoint === undefined || !('knowsOrigin' in endpoint.access)) return answer;
  return withOrigin(head.origin, endpoint.access.knowsOrigin, answer);
}

async function withOrigin(
  origin: string | undefined,
  knowsOrigin: (origin: string) => Promise<boolean>,
  answer: Answer,
): Promise<Answer> {
  // Where that cannot be told, the page learns nothing, and the answer is sent all the same.
  const isKnown = origin !== undefined && (await knowsOrigin(origin).catch(() => false));
  const shared = isKnown && {
    'Access-Control-Allow-Origin': String(origin),
    'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy',
  };
  return { ...answer, headers: { ...answer.headers, Vary: 'Origin', ...shared } };
}
