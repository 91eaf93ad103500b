/** The spans of requests: within those of their callers, and named by the route, never by the URL. */
import { markFailed, type Operation, traced } from '@counterfoil/engine';
import { holdsCardNumber } from '@counterfoil/engine/gateways';
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { Answer } from './answer.ts';
import type { Exchange } from './request-context.ts';

const FIRST_SERVER_ERROR = 500;

/** What propagators read of a request. */
const HEADERS = {
  keys: ({ request }: Exchange) => Object.keys(request.headers),
  get({ request }: Exchange, name: string) {
    const value = request.headers[name.toLowerCase()];
    return holdsCardNumber(String(value)) ? undefined : value;
  },
};

/** Answers a request in its span. */
export function tracedRequest(exchange: Exchange, answer: () => Promise<Answer>): Promise<Answer> {
  return traced(
    () => operationOf(exchange),
    (span) => (span === undefined ? answer() : told(span, exchange, answer)),
  );
}

/** Tells a span that is recorded of the request and its answer. */
async function told(
  span: Span,
  exchange: Exchange,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const answered = await answer();
  const { request, endpoint, requestId, knownPrincipal } = exchange;
  const { status, code } = answered;
  if (endpoint !== undefined) span.updateName(`${request.method} ${endpoint.path}`);
  span.setAttributes({
    'http.route': endpoint?.path,
    'http.response.status_code': status,
    'counterfoil.request_id': requestId,
    'counterfoil.tenant_id': knownPrincipal?.tenantId,
    'counterfoil.environment': knownPrincipal?.environment,
    'counterfoil.refusal': code,
  });
  if (status >= FIRST_SERVER_ERROR) markFailed(span, String(status));
  return answered;
}

function operationOf(exchange: Exchange): Operation {
  const { method = '' } = exchange.request;
  // An instrumentation of node:http has read the headers already.
  const isWithin = trace.getActiveSpan() !== undefined;
  return {
    name: method,
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method },
    parent: isWithin ? context.active() : propagation.extract(ROOT_CONTEXT, exchange, HEADERS),
  };
}
