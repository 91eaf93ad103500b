/** Holds one answer to the document, to the shape of all answers, and to what its request deserves. */
import { type Documented, mediaTypeOf, type Operation } from '../http-host/documented.ts';
import type { Answer } from './client.ts';
import type { FuzzRequest } from './requests.ts';
import type { Json } from './schema-arbitrary.ts';

const RETRIED: ReadonlySet<string> = new Set([
  'rate_limited',
  'too_many_failed_authentications',
  'overloaded',
  'idempotency_in_flight',
  'concurrent_update',
]);

/** For answers that no browser should ever render, store or sniff. */
const SAFE_HEADERS = {
  'x-content-type-options': /^nosniff$/,
  'cache-control': /./,
  'content-security-policy': /default-src 'none'/,
  'referrer-policy': /^no-referrer$/,
};

const USABLE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const JSON_POINTER = /^(\/([^~/]|~[01])*)*$/;

interface Judged {
  readonly answer: Answer;
  /** The body, parsed if it is JSON. */
  readonly body: Json;
}

export class Judge {
  readonly #documented: Documented;

  constructor(documented: Documented) {
    this.#documented = documented;
  }

  /** All that is wrong with an answer; nothing when it is as it should be. */
  faultsOf(request: FuzzRequest, answer: Answer): string[] {
    const { status, headers, text } = answer;
    const type = mediaTypeOf(headers['content-type'] ?? '');
    const parsed = parsedBody(type, text);
    if (parsed === undefined && request.method !== 'HEAD') return [`the body is not ${type}`];
    const judged = { answer, body: parsed?.value };
    const faults = [
      ...faultsOfHead(request, answer),
      ...leaks(request, answer),
      ...this.#faultsOfExpectation(request, judged),
    ];
    if (status >= 500) faults.push(`${status} is never an answer to what a caller sends`);
    if (request.method === 'HEAD') {
      if (text !== '') faults.push('HEAD was answered with a body');
    } else {
      faults.push(...this.#faultsOfContent(request, judged));
    }
    return faults;
  }

  #faultsOfContent(request: FuzzRequest, { answer, body }: Judged): string[] {
    const { status, headers } = answer;
    const contentType = headers['content-type'] ?? '';
    const isRefusal = body?.success === false && 'code' in body;
    const { operation } = request;
    if (operation === undefined) {
      return [
        ...this.#faultsOfRefusal(request, { answer, body }, undefined),
        ...this.#faultsOfComponent(contentType, body),
      ];
    }
    const faults = this.#documented.faultsOfAnswer(operation, { status, contentType, body });
    if (!isRefusal) return faults;
    return [...faults, ...this.#faultsOfRefusal(request, { answer, body }, operation)];
  }

  #faultsOfComponent(contentType: string, body: Json): string[] {
    const name = mediaTypeOf(contentType) === PROBLEM_TYPE ? 'Problem' : 'Error';
    return this.#documented.faultsAt(['components', 'schemas', name], body);
  }

  #faultsOfRefusal(
    request: FuzzRequest,
    { answer, body }: Judged,
    operation: Operation | undefined,
  ): string[] {
    const { status, headers } = answer;
    const faults: string[] = [];
    const row = this.#documented.document['x-error-codes'][body?.code];
    if (row === undefined) return [`${body?.code} is no documented code`];
    if (row.status !== status) faults.push(`${body.code} is ${row.status}, not ${status}`);
    if (
      operation !== undefined &&
      !this.#documented.codesOf(operation, status).includes(body.code)
    ) {
      faults.push(`${body.code} is not documented for ${operation.method} ${operation.path}`);
    }
    if (body.requestId !== headers['x-request-id']) {
      faults.push('requestId is not X-Request-Id');
    }
    if (RETRIED.has(body.code) && !/^\d+$/.test(headers['retry-after'] ?? '')) {
      faults.push('Retry-After is missing');
    }
    if (status === 401 && headers['www-authenticate'] === undefined) {
      faults.push('WWW-Authenticate is missing');
    }
    for (const { pointer } of body.errors ?? []) {
      if (!JSON_POINTER.test(pointer)) faults.push(`${pointer} is no JSON Pointer`);
    }
    // An answer that was given before is given in the form of then.
    const isReplayed = headers['idempotency-replayed'] === 'true';
    const asksForProblem = ASKS_FOR_PROBLEM.test(request.header('Accept') ?? '');
    const isProblem = mediaTypeOf(headers['content-type'] ?? '') === PROBLEM_TYPE;
    if (!isReplayed && asksForProblem !== isProblem) {
      faults.push(`${PROBLEM_TYPE}: ${asksForProblem ? '' : 'not '}asked for`);
    }
    return faults;
  }

  #faultsOfExpectation({ expected, method }: FuzzRequest, { answer, body }: Judged): string[] {
    const { status } = answer;
    const { statuses, codes, rules = [], pointer } = expected;
    if (!statuses.includes(status)) return [`${status} instead of ${statuses.join(' or ')}`];
    const code = body?.success === false ? body.code : undefined;
    if (method === 'HEAD' || codes === undefined || code === undefined) return [];
    if (!codes.includes(code)) return [`${code} instead of ${codes.join(' or ')}`];
    if (code !== 'invalid_request') return [];
    if (pointer !== undefined && !pointsAt(body.errors ?? [], pointer)) {
      return [`nothing points at ${pointer}: ${JSON.stringify(body.errors)}`];
    }
    if (rules.length === 0) return [];
    return (body.errors ?? [])
      .filter(({ pointer }: Json) => !rules.some((rule) => rule.test(pointer)))
      .map(
        ({ pointer, detail }: Json) => `the document admits what is refused: ${pointer} ${detail}`,
      );
  }
}

function pointsAt(errors: readonly Json[], pointer: string): boolean {
  const isWithin = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`);
  return errors.some((each) => isWithin(each.pointer, pointer) || isWithin(pointer, each.pointer));
}

const PROBLEM_TYPE = 'application/problem+json';
const ASKS_FOR_PROBLEM = /application\/problem\+json(?!;q=0)/;

function parsedBody(type: string, text: string): { value: Json } | undefined {
  if (!type.includes('json')) return { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function faultsOfHead(request: FuzzRequest, { status, headers }: Answer): string[] {
  const faults: string[] = [];
  const allow = (headers.allow ?? '').split(', ').sort();
  if (request.expected.allow !== undefined && `${allow}` !== `${request.expected.allow}`) {
    faults.push(`Allow is ${allow}, not ${request.expected.allow}`);
  }
  for (const [name, pattern] of Object.entries(SAFE_HEADERS)) {
    const value = String(headers[name] ?? '');
    if (!pattern.test(value)) faults.push(`${name} is ${value}`);
  }
  const id = String(headers['x-request-id'] ?? '');
  const sent = request.header('X-Request-Id');
  if (!USABLE_REQUEST_ID.test(id)) faults.push(`X-Request-Id is ${id}`);
  if (sent !== undefined && USABLE_REQUEST_ID.test(sent) && sent !== id) {
    faults.push(`X-Request-Id is ${id}, not ${sent}`);
  }
  const isLimited = headers['ratelimit'] !== undefined && headers['ratelimit-policy'] !== undefined;
  const { operation } = request;
  const isLetIn = operation !== undefined && operation.node.security.length > 0 && status < 400;
  if (isLetIn && !isLimited) faults.push('RateLimit is missing');
  if (status === 201 && headers.location === undefined) faults.push('Location is missing');
  return faults;
}

/** What was sent in confidence must not come back. */
function leaks(request: FuzzRequest, { text }: Answer): string[] {
  const faults: string[] = [];
  const key = request.header('Authorization') ?? '';
  if (/^cf_\w{20,}/.test(key) && text.includes(key)) faults.push('the answer shows the API key');
  const sent = typeof request.body === 'string' ? request.body : '';
  const number = /"number":"(\d{12,19})"/.exec(sent)?.[1];
  if (number !== undefined && text.includes(number))
    faults.push('the answer shows the card number');
  return faults;
}
