/** The pipeline of a request, from head to response; the order of the checks is part of the contract. */

import {
  type ActivityLog,
  type KeyDirectory,
  type KeyRecord,
  keyParts,
  Refused,
} from '@counterfoil/engine';
import { withoutNulls } from './absent-members.ts';
import { type Acceptance, acceptanceOf, codingOf } from './accept.ts';
import { recordActivity } from './activity.ts';
import { type Answer, answerOf, answerTo, refusalAnswer } from './answer.ts';
import {
  apiKeyOf,
  asKnownUser,
  boundPrincipalOf,
  checkClaimedTenant,
  checkClaimedUser,
  findLeadKey,
  findPaymentKey,
  findSigner,
  findTenantKey,
  isSigned,
  keyIn,
  principalOf,
  tenantPrincipalOf,
  type UserDirectory,
} from './authenticate.ts';
import { refuseCardNumbers } from './card-number-guard.ts';
import { withCors } from './cors.ts';
import { forEndpoint } from './email-errors.ts';
import { answersJson, type Endpoint, type Principal, type RawResult } from './endpoint.ts';
import { Refusal, refuse } from './errors.ts';
import { type Idempotency, idempotencyKeyOf } from './idempotency.ts';
import { allErrors, type Part, readInput } from './invalid-input.ts';
import type { RateLimits, RateUse } from './rate-limit.ts';
import { bodyViolation, readAs, startReading } from './request-body.ts';
import type { Exchange } from './request-context.ts';
import { announcesBody, headViolation } from './request-head.ts';
import { type EndpointRouter, parseQuery } from './router.ts';
import { Turn } from './turn.ts';
import { NOTHING_UPLOADED, receiveUpload } from './upload.ts';

export interface PipelineParts {
  readonly router: EndpointRouter;
  readonly keys: KeyDirectory;
  readonly users: UserDirectory;
  readonly rateLimits: RateLimits;
  readonly idempotency: Idempotency;
  /** Undefined: none is recorded. */
  readonly activity: ActivityLog | undefined;
  readonly maxBodyBytes: number;
  /** Whether to shed this request. */
  readonly isOverloaded: (exchange: Exchange) => boolean;
  /** The clock for key expiry, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Maps expected failures below the HTTP layer to refusals. */
  readonly refusalOf: (error: unknown) => Refusal | undefined;
  /** On a channel that only the operator can open: who that is, without a key. */
  readonly operator?: OperatorDirectory | undefined;
}

/** Makes the principal of an operator's request from its ClientId header. */
export type OperatorDirectory = (clientId: string | undefined) => Promise<Principal>;

interface ValidInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type KeyAccess = Extract<Endpoint['access'], { kind: 'api-key' }>;

const NO_BYTES = Buffer.alloc(0);

const OVERLOADED = { headers: { 'Retry-After': '1' } };

/** Answers one request. Never rejects: errors become responses. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #turn = new Turn();

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  async answer(exchange: Exchange): Promise<Answer> {
    const made = await this.#answer(exchange);
    const shared = withCors(exchange, made);
    const answer = shared instanceof Promise ? await shared : shared;
    const recording = this.#record(exchange, answer);
    if (recording !== undefined) await recording;
    return answer;
  }

  /** Once for each request. */
  #record(exchange: Exchange, answer: Answer): Promise<void> | undefined {
    const { activity } = this.#parts;
    if (activity === undefined || exchange.endpoint?.action === undefined) return undefined;
    exchange.recording ??= recordActivity(activity, exchange, answer);
    return exchange.recording;
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    const acceptance = acceptanceOf(exchange.head.accept);
    try {
      const loading = this.#parts.router.load(exchange.request.url ?? '');
      if (loading !== undefined) await loading;
      const endpoint = this.#route(exchange, acceptance);
      const { access } = endpoint;
      if (access.kind === 'api-key' && !isSigned(exchange.head, access)) {
        await this.#authenticate(exchange, access);
      } else if (access.kind === 'lead-key' || access.kind === 'payment-key') {
        const { keys, now, rateLimits } = this.#parts;
        const find = access.kind === 'lead-key' ? findLeadKey : findPaymentKey;
        const key = await this.#used(exchange, await find(exchange.head, keys, now));
        exchange.principal = boundPrincipalOf(key, exchange.head);
        const tooMany = access.kind === 'payment-key' && (await rateLimits.visit(exchange));
        if (tooMany) throw tooMany;
      }
      return await this.#serve(exchange, endpoint, acceptance);
    } catch (error) {
      return this.#answerOfError(exchange, error, acceptance);
    }
  }

  /** Framing (400), path (404), method (405), overload (503), Accept and Accept-Encoding (406). */
  #route(exchange: Exchange, acceptance: Acceptance): Endpoint {
    const { head, request } = exchange;
    const violation = headViolation(head, request.httpVersion);
    if (violation !== undefined) {
      exchange.mustClose = true;
      throw violation;
    }
    if (exchange.expects === 'unknown') throw refuse('expectation_failed');
    const match = this.#parts.router.find(request.method ?? '', request.url ?? '');
    if ('refusal' in match) {
      exchange.refusalPage = match.of?.refusalPage;
      throw match.refusal;
    }
    const { endpoint } = match;
    exchange.endpoint = endpoint;
    exchange.refusalPage = endpoint.refusalPage;
    exchange.params = match.params;
    exchange.queryText = match.queryText;
    if (!endpoint.answeredUnderOverload && this.#parts.isOverloaded(exchange)) {
      throw refuse('overloaded', undefined, OVERLOADED);
    }
    if (acceptance.refusesJson && answersJson(endpoint)) throw refuse('not_acceptable');
    const { coding, refusesIdentity } = codingOf(head.acceptEncoding);
    if (refusesIdentity && (coding === undefined || endpoint.holdsSecrets === true)) {
      throw refuse('not_acceptable', 'Accept-Encoding admits no coding that this answer can have');
    }
    return endpoint;
  }

  /** The key (401, 429 for failures), the rate limit (429), then tenant, scope and user. */
  async #authenticate(exchange: Exchange, access: KeyAccess): Promise<void> {
    const { keys, users, now, operator } = this.#parts;
    if (operator !== undefined) {
      exchange.principal = await operator(exchange.head.clientId);
      exchange.requester = exchange.principal;
      return;
    }
    const sent = keyIn(exchange.head);
    const found =
      sent instanceof Refusal
        ? sent
        : apiKeyOf(await keys.find(exchange.callerHeaders.digestOf(sent)), now);
    const used = this.#used(exchange, found);
    const key = used instanceof Promise ? await used : used;
    const principal = principalOf(key, exchange, access);
    exchange.principal =
      key.requireKnownUsers === true ? await asKnownUser(principal, access, users) : principal;
  }

  /** The key may be in the body, which is then read first. */
  async #authenticateTenant(exchange: Exchange, body: unknown): Promise<void> {
    const { keys, now } = this.#parts;
    const key = await findTenantKey(exchange.head, body, { keys, now });
    exchange.principal = tenantPrincipalOf(await this.#used(exchange, key), exchange.head);
  }

  /** Signed without a key: the signature (401, 429 for failures), then the rate limit (429). */
  async #verify(exchange: Exchange, access: KeyAccess, body: Buffer): Promise<void> {
    const query = parseQuery(exchange.queryText);
    const { params = {} } = exchange;
    const signer = await findSigner(exchange.head, access, { params, query, body });
    const { tenantId, environment, keyId, scopes } = await this.#used(exchange, signer);
    exchange.principal = { tenantId, environment, keyId, scopes, actor: keyId };
  }

  /** At once where requests are counted in memory. */
  #used(exchange: Exchange, key: KeyRecord | Refusal): KeyRecord | Promise<KeyRecord> {
    if (key instanceof Refusal) return this.#failed(exchange, key);
    const use = this.#parts.rateLimits.use(key);
    return use instanceof Promise
      ? use.then((counted) => admitted(exchange, key, counted))
      : admitted(exchange, key, use);
  }

  async #failed({ remoteAddress }: Exchange, refusal: Refusal): Promise<never> {
    throw (await this.#parts.rateLimits.failed(remoteAddress)) ?? refusal;
  }

  /** Idempotency-Key, body, claims of the body, input, stray card numbers; then the handler. */
  async #serve(exchange: Exchange, endpoint: Endpoint, acceptance: Acceptance): Promise<Answer> {
    if (endpoint.idempotency === 'money') {
      exchange.idempotencyKey = idempotencyKeyOf(exchange.head.idempotencyKey);
    }
    const hasBody = announcesBody(exchange.head) && endpoint.upload === undefined;
    const bytes = hasBody ? await this.#readBody(exchange, endpoint) : undefined;
    await this.#turn.end();
    const { access } = endpoint;
    if (access.kind === 'api-key' && exchange.knownPrincipal === undefined) {
      await this.#verify(exchange, access, bytes ?? NO_BYTES);
    }
    const body = bytes && parsed(exchange, endpoint, bytes);
    if (access.kind === 'tenant-key') await this.#authenticateTenant(exchange, body);
    const input = checked(exchange, endpoint, body);
    if (endpoint.upload !== undefined) return this.#serveUpload(exchange, endpoint, input);
    if (exchange.idempotencyKey !== undefined && exchange.knownPrincipal !== undefined) {
      return this.#serveOnce(exchange, endpoint, { input, body, acceptance });
    }
    return answerOf(await endpoint.handle(exchange, input));
  }

  /** Repetitions under the same Idempotency-Key get the first answer. */
  async #serveOnce(
    exchange: Exchange,
    endpoint: Endpoint,
    { input, body, acceptance }: { input: ValidInput; body: unknown; acceptance: Acceptance },
  ): Promise<Answer> {
    const { principal, idempotencyKey = '' } = exchange;
    const request = {
      scope: keyParts(principal, endpoint.operationId, idempotencyKey),
      fingerprint: this.#parts.idempotency.fingerprint(exchange.params, body),
    };
    const answer = await this.#parts.idempotency.run(request, async () => {
      // A refusal of the handler is stored for replay, so it becomes a response here.
      const made = await endpoint
        .handle(exchange, input)
        .then(answerOf, (error: unknown) => this.#answerOfError(exchange, error, acceptance));
      // While the answer is kept.
      void this.#record(exchange, made);
      return made;
    });
    return answerTo(answer, exchange.requestId);
  }

  /** A refusal is sent as it is; an unexpected error is logged, and the response has only the request id. */
  #answerOfError(
    exchange: Exchange,
    error: unknown,
    acceptance: Acceptance,
  ): Answer | Promise<Answer> {
    const { requestId, logger, endpoint, refusalPage } = exchange;
    const answered = (refusal: Refusal) => {
      if (refusalPage === undefined) {
        return refusalAnswer(forEndpoint(endpoint, refusal), requestId, acceptance.errorForm);
      }
      const request = { context: exchange, params: exchange.params ?? {} };
      const shown = refusalPage(refusal, requestId, request);
      const withCode = (page: RawResult) => ({ ...answerOf(page), code: refusal.code });
      return shown instanceof Promise ? shown.then(withCode) : withCode(shown);
    };
    if (error instanceof Refusal) return answered(error);
    const foreseen = this.#parts.refusalOf(error);
    if (foreseen === undefined) logger.error({ err: error }, 'unexpected error');
    else if (!(error instanceof Refused))
      logger.warn({ err: error }, 'a request could not be served for now');
    return answered(foreseen ?? refuse('internal_error'));
  }

  /** All of the body is received first: a slow handler does not hold up the sender. */
  async #serveUpload(exchange: Exchange, endpoint: Endpoint, input: ValidInput): Promise<Answer> {
    const { request, head } = exchange;
    let upload = NOTHING_UPLOADED;
    if (endpoint.upload !== undefined && announcesBody(head)) {
      const { upload: only } = endpoint;
      const { maxBytes } = only;
      await endpoint.admit?.(exchange);
      beginBody(exchange, { maxBytes, only });
      upload = await receiveUpload(request, maxBytes, (fail) => {
        exchange.failBody = fail;
      });
      exchange.failBody = undefined;
    }
    exchange.upload = upload;
    try {
      return answerOf(await endpoint.handle(exchange, input));
    } finally {
      exchange.upload = undefined;
      await upload.close();
    }
  }

  async #readBody(exchange: Exchange, endpoint: Endpoint): Promise<Buffer> {
    const { maxBodyBytes } = this.#parts;
    if (endpoint.body === undefined) throw refuse('body_not_allowed');
    beginBody(exchange, { maxBytes: maxBodyBytes, types: endpoint.bodyTypes });
    const reading = startReading(exchange.request, maxBodyBytes);
    exchange.failBody = reading.fail;
    const bytes = await reading.bytes;
    exchange.failBody = undefined;
    return bytes;
  }
}

/** Within the limit of its tenant. */
function admitted(exchange: Exchange, key: KeyRecord, { headers, refusal }: RateUse): KeyRecord {
  exchange.rateHeaders = headers;
  if (refusal !== undefined) throw refusal;
  exchange.requester = key;
  return key;
}

function parsed(
  { head }: Exchange,
  { body: schema, bodyTypes, method }: Endpoint,
  bytes: Buffer,
): unknown {
  const body = readAs(head.contentType, bodyTypes, bytes);
  // In a merge patch null removes a member.
  return method === 'PATCH' || schema === undefined ? body : withoutNulls(schema, body);
}

/** Refuses a body that is not to be read; else asks a caller that waits to send it. */
function beginBody(exchange: Exchange, expected: Parameters<typeof bodyViolation>[1]): void {
  const violation = bodyViolation(exchange.head, expected);
  if (violation !== undefined) throw violation;
  if (exchange.broken !== undefined) throw exchange.broken;
  if (exchange.expects !== 'continue') return;
  exchange.response.writeContinue();
  exchange.expects = 'none';
}

/** Claims of the body, input, stray card numbers. */
function checked(exchange: Exchange, endpoint: Endpoint, body: unknown): ValidInput {
  const principal = exchange.knownPrincipal;
  if (principal !== undefined) checkClaimedTenant(body, principal);
  const input = validate(exchange, endpoint, body);
  if (principal !== undefined) checkClaimedUser(body, principal);
  refuseCardNumbers(endpoint, input, {
    'Idempotency-Key': exchange.idempotencyKey,
    UserEmail: principal?.actor,
  });
  return input;
}

/** Reports all errors in path, query and body at once. */
function validate(exchange: Exchange, endpoint: Endpoint, body: unknown): ValidInput {
  const query = endpoint.query && parseQuery(exchange.queryText);
  const params = check(endpoint.params, exchange.params, 'path');
  const asked = check(endpoint.query, query, 'query');
  const content = check(endpoint.body, body, 'body');
  const errors = allErrors(params, asked, content);
  if (errors.length > 0) throw refuse('invalid_request', undefined, { errors });
  return { params: params.data, query: asked.data, body: content.data };
}

function check(schema: Endpoint['body'], value: unknown, part: Part) {
  return schema === undefined ? { errors: [] } : readInput(schema, value, part);
}
