/** The HTTP side: reads a request, asks the account's state, answers as Stripe does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Stripe from 'stripe';
import { answerScript } from './browser-script.ts';
import { answerChallenge } from './challenge.ts';
import { publishedDocument } from './document.ts';
import { expandAll } from './expand.ts';
import { Faults, type Met } from './faults.ts';
import { canonical, decodeForm, type FormObject } from './form.ts';
import { type Answer, type Asked, KeptAnswers } from './idempotency.ts';
import { type ApiKey, authorize, Keys } from './keys.ts';
import { readMultipart } from './multipart.ts';
import { forbidden, invalidRequest } from './refusal.ts';
import { failBefore, type Reply, refused, serverError } from './replies.ts';
import type { Prepared, Route, Upload } from './route.ts';
import { findRoute } from './router.ts';
import type { AccountState } from './state.ts';

/** The version of the API that the server speaks: that of the SDK. */
export const API_VERSION: Stripe.LatestApiVersion = '2026-10-28.endive';

const MAX_BODY_BYTES = 10 * 1_024 * 1_024;

export interface World {
  /** Seconds. */
  readonly now: () => number;
  readonly id: (prefix: string) => string;
  readonly stateOf: (account: string, livemode: boolean) => AccountState | undefined;
  /** Whether a key of the one account may act for the other (Connect). */
  readonly connected: (platform: string, account: string) => boolean;
  readonly states: () => Iterable<AccountState>;
}

/** A request as it came. */
interface Request {
  readonly id: string;
  readonly message: IncomingMessage;
  readonly url: URL;
  readonly route: Route;
  readonly pathId: string;
  readonly key: ApiKey;
  readonly state: AccountState;
  readonly form: FormObject;
  readonly upload: Upload | undefined;
}

export interface SeenRequest {
  readonly id: string;
  readonly endpoint: string;
  readonly idempotencyKey: string | null;
  readonly status: number | null;
}

export class Api {
  readonly keys = new Keys();
  readonly faults = new Faults();
  readonly kept = new KeptAnswers();
  readonly mismatches: string[] = [];
  readonly requests: SeenRequest[] = [];
  readonly #world: World;
  readonly #document = publishedDocument();

  constructor(world: World) {
    this.#world = world;
  }

  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? '/', 'http://localhost');
    const body = await readBody(message);
    if (url.pathname.startsWith('/challenge/')) {
      this.runDue();
      answerChallenge(this.#world.states(), { url, method: message.method, body }, response);
      return;
    }
    if (message.method === 'GET' && answerScript(url.pathname, response)) return;
    if (message.method === 'OPTIONS') {
      response.writeHead(204, CORS).end();
      return;
    }
    const id = this.#world.id('req');
    let endpoint = `${message.method} ${url.pathname}`;
    let reply: Reply;
    try {
      const request = await this.#read(message, { url, body, id });
      endpoint = `${request.route.method} ${request.route.path}`;
      reply = await this.#answer(request, endpoint);
    } catch (error) {
      reply = refused(error, id);
    }
    this.requests.push({
      id,
      endpoint,
      idempotencyKey: header(message, 'idempotency-key') ?? null,
      status: reply.cut ? null : reply.status,
    });
    send(message, response, reply);
  }

  runDue(): void {
    for (const state of this.#world.states()) state.runDue();
  }

  async #read(
    message: IncomingMessage,
    {
      url,
      body,
      id,
    }: { readonly url: URL; readonly body: Buffer<ArrayBuffer>; readonly id: string },
  ): Promise<Request> {
    const version = header(message, 'stripe-version');
    if (version !== undefined && version !== API_VERSION) {
      throw invalidRequest(`Invalid Stripe API version: ${version}`);
    }
    const { route, id: pathId } = findRoute(message.method ?? '', url.pathname);
    const key = this.keys.authenticate(message.headers);
    authorize(key, route.method, route.path);
    const state = this.#stateFor(key, header(message, 'stripe-account'));
    const type = header(message, 'content-type') ?? '';
    const multipart = type.startsWith('multipart/form-data');
    const read = multipart
      ? await readMultipart(body, type)
      : {
          form: decodeForm(route.method === 'GET' ? url.search : body.toString('utf8')),
          upload: undefined,
        };
    return { id, message, url, route, pathId, key, state, ...read };
  }

  #stateFor(key: ApiKey, connected: string | undefined): AccountState {
    const account = connected ?? key.account;
    const allowed = account === key.account || this.#world.connected(key.account, account);
    const state = allowed ? this.#world.stateOf(account, key.livemode) : undefined;
    if (state === undefined) {
      throw forbidden(
        `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
        'account_invalid',
      );
    }
    return state;
  }

  async #answer(request: Request, endpoint: string): Promise<Reply> {
    const met = this.faults.meet(endpoint, this.#world.now());
    const early = met === undefined ? undefined : failBefore(met, request.id);
    if (early !== undefined) return early;
    const { route, form, upload } = request;
    if (this.#document !== undefined) {
      const found = this.#document.checkRequest(
        route.method,
        route.path,
        form,
        upload !== undefined,
      );
      this.mismatches.push(...found);
    }
    const prepared = route.prepare(form);
    const asked = askedOf(request, endpoint);
    const kept = asked === undefined ? null : this.kept.begin(asked, this.#world.now());
    const reply =
      kept === null ? this.#perform(request, prepared, met) : { ...kept, replayed: true };
    return this.#fail(request, reply, { met, asked, replayed: kept !== null });
  }

  /** What a planned fault makes of an answer, which is kept under its key. */
  async #fail(
    { id }: Request,
    reply: Reply,
    how: {
      readonly met: Met | undefined;
      readonly asked: Asked | undefined;
      readonly replayed: boolean;
    },
  ): Promise<Reply> {
    const { met, asked } = how;
    const fault = met?.fault;
    const broken = fault?.kind === 'error' && !how.replayed ? serverError(fault.status, id) : reply;
    const keeps = asked !== undefined && !how.replayed;
    if (fault?.kind === 'stall') await met?.released();
    if (keeps)
      this.kept.keep(asked.scope, fault?.kind === 'error' && fault.kept === false ? reply : broken);
    return fault?.kind === 'cut' ? { ...broken, cut: true } : broken;
  }

  #perform(request: Request, prepared: Prepared, met: Met | undefined): Answer {
    const { state, route, id, pathId, url, upload } = request;
    const fault = met?.fault;
    if (fault?.kind === 'error' && fault.when === 'before') return serverError(fault.status, id);
    this.runDue();
    const idempotencyKey = header(request.message, 'idempotency-key') ?? null;
    state.request = { id, idempotencyKey, publishable: request.key.kind === 'publishable' };
    let answer: Answer;
    try {
      const object = prepared.handle({ state, id: pathId, path: url.pathname, upload });
      answer = this.#shown(request, object, prepared.expand);
    } catch (error) {
      answer = refused(error, id);
      this.#check(route, answer.status, JSON.parse(answer.body));
    } finally {
      state.request = null;
    }
    this.runDue();
    return answer;
  }

  #shown({ state, route, id }: Request, object: object, expand: readonly string[]): Answer {
    const body = JSON.stringify(object);
    if (this.#document === undefined && expand.length === 0) {
      return { status: 200, body, requestId: id };
    }
    const copy = JSON.parse(body) as Record<string, unknown>;
    this.#check(route, 200, copy);
    expandAll(state, copy, expand);
    return { status: 200, body: JSON.stringify(copy), requestId: id };
  }

  #check(route: Route, status: number, body: unknown): void {
    if (this.#document === undefined) return;
    this.mismatches.push(...this.#document.checkAnswer(route.method, route.path, status, body));
  }
}

/** Only POST is kept: GET and DELETE change nothing when they are repeated. */
function askedOf(
  { message, key, state, url, form, upload }: Request,
  endpoint: string,
): Asked | undefined {
  const given = header(message, 'idempotency-key');
  if (given === undefined || message.method !== 'POST') return undefined;
  return {
    key: given,
    scope: `${state.account.id} ${key.livemode} ${given}`,
    endpoint: `${endpoint.split(' ')[0]} ${url.pathname}`,
    params: `${canonical(form)} ${upload?.bytes.length ?? ''}`,
  };
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers': '*',
};

function send(message: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (reply.cut) {
    message.socket.destroy();
    return;
  }
  const account = header(message, 'stripe-account');
  const key = header(message, 'idempotency-key');
  response.writeHead(reply.status, {
    ...CORS,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(reply.body),
    'Request-Id': reply.requestId,
    'Stripe-Version': API_VERSION,
    ...(reply.replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    ...(account === undefined ? {} : { 'Stripe-Account': account }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  });
  response.end(reply.body);
}

function header(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function readBody(message: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
