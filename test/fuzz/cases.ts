/** What is sent and judged as one: a request alone, or some whose answers are held against each other. */
import { METHODS } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Documented, Operation } from '../http-host/documented.ts';
import type { Answer } from './client.ts';
import type { Tenancy } from './fuzzed-host.ts';
import { CARD, type Inputs } from './inputs.ts';
import {
  collectionOf,
  honoursKeys,
  isPublic,
  JSON_TYPE,
  NOWHERE,
  nowhereFor,
  parametersIn,
} from './operations.ts';
import { namedIn, type Pool } from './pools.ts';
import type { FuzzRequest } from './requests.ts';
import type { Json } from './schema-arbitrary.ts';
import { requestOf, type Sender, type WellFormed } from './well-formed.ts';

/** Sends a request, and fails if its answer is not what it should be. */
export type Ask = (request: FuzzRequest) => Promise<Answer>;

export class Case {
  readonly requests: readonly FuzzRequest[];
  readonly #play: (ask: Ask) => Promise<void>;

  /** `play` says what is sent; `requests` are what a reader sees of it. */
  constructor(requests: readonly FuzzRequest[], play: (ask: Ask) => Promise<void>) {
    this.requests = requests;
    this.#play = play;
  }

  play(ask: Ask): Promise<void> {
    return this.#play(ask);
  }

  [fc.toStringMethod](): string {
    return this.requests.map((each) => each[fc.toStringMethod]()).join('\n');
  }
}

export function alone(request: FuzzRequest): Case {
  return new Case([request], async (ask) => {
    await ask(request);
  });
}

/** The same thing asked of what another tenant has, or what only a live key may see, and of nothing. */
export function strangers(
  operation: Operation,
  parts: { inputs: Inputs; senders: fc.Arbitrary<Sender>; others: Pool; own: Pool },
): fc.Arbitrary<Case> {
  const { inputs, senders, others, own } = parts;
  const hidden = fc.constantFrom(...hiddenIds(operation, { others, own }));
  return fc.tuple(inputs.sound(operation), senders, hidden).map(([input, sender, there]) => {
    const to = (id: string) =>
      requestOf(operation, {
        input: withId(operation, input, id),
        sender: { ...sender, environment: there.environment },
        what: "another tenant's, or no tenant's",
        expected: { statuses: [404], codes: ['not_found'] },
        // Under a key it would be the answer to an earlier try, in the form that was asked for then.
      }).withHeader('Idempotency-Key', undefined);
    const [hers, nobodys] = [to(there.id), to(nowhereFor(operation))];
    return new Case([hers, nobodys], async (ask) => {
      const answers = [await ask(hers), await ask(nobodys)];
      expectSame(answers, [hers, nobodys]);
    });
  });
}

interface Hidden {
  readonly id: string;
  readonly environment: 'live' | 'test';
}

function hiddenIds(operation: Operation, { others, own }: { others: Pool; own: Pool }): Hidden[] {
  const mine = namedIn(operation, own);
  const theirs = namedIn(operation, others)
    .filter((id) => !own.numbers.has(id) && !mine.includes(id))
    .map((id) => ({ id, environment: 'live' as const }));
  // A test key may administer nothing.
  if (collectionOf(operation) !== undefined) return theirs;
  return [...theirs, ...mine.map((id) => ({ id, environment: 'test' as const }))];
}

/** Whether there is something to hide; changes of what is administered may be refused before. */
export function hidesSomething(operation: Operation, pools: { others: Pool; own: Pool }): boolean {
  const isChange = collectionOf(operation) !== undefined && operation.node.requestBody?.required;
  return namesSomething(operation) && !isChange && hiddenIds(operation, pools).length > 0;
}

function namesSomething(operation: Operation): boolean {
  return parametersIn(operation, 'path').length > 0 || operation.id in ID_IN_BODY;
}

const ID_IN_BODY: Readonly<Record<string, string>> = {
  getTransactionDetail: 'id',
  refundTransaction: 'messageId',
};

function withId(operation: Operation, input: Parameters<typeof requestOf>[1]['input'], id: string) {
  const name = ID_IN_BODY[operation.id];
  if (name === undefined) return { ...input, params: { ...input.params, id } };
  return { ...input, body: { ...input.body, [name]: id } };
}

/** The same request again under its key: raced, then repeated, then another under the same key. */
export function repeats(
  operation: Operation,
  { inputs, senders }: { inputs: Inputs; senders: fc.Arbitrary<Sender> },
  wellFormed: WellFormed,
): fc.Arbitrary<Case> {
  const sound = inputs.sound(operation);
  const isRequired = operation.node.requestBody?.required === true;
  const inputsOfBoth = fc
    .tuple(sound, sound, senders)
    .filter(([{ body }, other]) => !isRequired || !isDeepStrictEqual(body, other.body));
  return inputsOfBoth.map(([input, another, sender]) => {
    const request = requestOf(operation, {
      input,
      sender: { nonce: 'again', ...sender },
      what: 'repeated',
      expected: wellFormed.admitted(operation, sender.environment),
    });
    const body = otherBody(input.body, another.body);
    const type = body === undefined ? undefined : JSON_TYPE;
    const other = request.withHeader('Content-Type', type).with({
      body,
      expected: { statuses: [422], codes: ['idempotency_key_reused'] },
    });
    return new Case([request, other], async (ask) => {
      const raced = await Promise.all([ask(request), ask(request)]);
      const again = await replayOf(request, ask);
      const settled = raced.filter(({ text }) => !text.includes('"idempotency_in_flight"'));
      expectOneEffect([...settled, again], request);
      // A transient refusal is not stored, and does not bind the key.
      if (again.headers[IS_REPLAY] === 'true' || isOpen(again)) await ask(other);
      else if (again.status < 300) throw new Error(`not replayed: ${request.curl('')}`);
    });
  });
}

/** Another body that the schemas admit; what takes no fields may be sent with an empty one or without. */
function otherBody(body: Json, another: Json): string | undefined {
  const texts = [body, another].map((each) => each && JSON.stringify(each));
  if (texts[1] !== undefined && texts[1] !== texts[0]) return texts[1];
  return body === undefined ? '{}' : undefined;
}

const IS_REPLAY = 'idempotency-replayed';
/** At these the gateway, or the customer, has not had the last word; or a session is not paid. */
const OPEN_STATUSES = ['Processing', 'Unknown', 'RequiresAction', 'RefundPending', 'open'];

/** Whether a repetition is answered from the present state: the answer is not final. */
function isOpen({ status, text }: Answer): boolean {
  return status === 202 || (status < 300 && OPEN_STATUSES.includes(JSON.parse(text).status));
}
/** An erasure deletes the stored responses of its tenant; the repetition is then stored again. */
const MAX_ERASURES = 3;

/** The answer to a repetition, or to the first that is replayed where erasures go on beside it. */
async function replayOf(request: FuzzRequest, ask: Ask): Promise<Answer> {
  let again = await ask(request);
  for (let erasures = 0; erasures < MAX_ERASURES; erasures += 1) {
    if (again.status >= 300 || isOpen(again) || again.headers[IS_REPLAY] === 'true') break;
    again = await ask(request);
  }
  return again;
}

/** Final answers that are the same; one that is not final is about the same id as what followed it. */
function expectOneEffect(answers: readonly Answer[], request: FuzzRequest): void {
  expectSame(
    answers.filter((each) => !isOpen(each)),
    [request],
  );
  const made = answers.filter(({ status }) => status < 300);
  const ids = new Set(made.map(({ text }) => (text === '' ? undefined : JSON.parse(text).id)));
  if (ids.size > 1) throw new Error(`${ids.size} effects: ${[...ids]}\n${request.curl('')}`);
}

/** Answers that must not differ but in what names the request. */
function expectSame(answers: readonly Answer[], requests: readonly FuzzRequest[]): void {
  const shown = answers.map(({ status, text }) => `${status} ${text.replace(REQUEST_ID, '')}`);
  if (new Set(shown).size <= 1) return;
  const curls = requests.map((each) => each.curl('')).join('\n');
  throw new Error(`answers that should be the same:\n${shown.join('\n')}\nto\n${curls}`);
}

const REQUEST_ID = /"requestId":"[^"]*"/;

/** A payment that is authorized, captured in part and refunded in parts: each step must be taken. */
export function stories(documented: Documented, senders: fc.Arbitrary<Sender>) {
  return fc
    .record({
      minor: fc.integer({ min: 3, max: 100_000_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      card: CARD.map((card) => ({ ...card, number: APPROVED })),
      sender: senders,
    })
    .map(({ minor, share, card, sender }) => {
      const capturedMinor = Math.max(2, Math.floor(minor * share));
      const refundedMinor = Math.max(1, Math.floor(capturedMinor * share));
      const step = (operationId: string, id: string, body: Json, status: number) =>
        requestOf(operationOf(documented, operationId), {
          input: { params: { id }, query: [], body },
          sender,
          what: 'a story',
          expected: { statuses: [status] },
          // A key would name what an earlier try of the same numbers has brought about.
        }).withHeader('Idempotency-Key', undefined);
      const order = { currency: 'GBP', capture: false, email: 'ada@example.com' };
      const pay = step('createPayment', '', { amount: minor / 100, card, ...order }, 201);
      return new Case([pay], async (ask) => {
        const { id } = JSON.parse((await ask(pay)).text);
        await ask(step('capturePayment', id, { amount: capturedMinor / 100 }, 200));
        await ask(step('refundPayment', id, { amount: refundedMinor / 100 }, 201));
        if (refundedMinor < capturedMinor) await ask(step('refundPayment', id, {}, 201));
        await ask(step('refundPayment', id, { amount: 0.01 }, 400));
        const shown = JSON.parse((await ask(step('getPayment', id, undefined, 200))).text);
        const books = [shown.capturedAmount, shown.refundedAmount, shown.refundableAmount];
        if (`${books}` !== `${[capturedMinor / 100, capturedMinor / 100, 0]}`) {
          throw new Error(`captured, refunded and refundable of ${id} are ${books}`);
        }
      });
    });
}

const APPROVED = '4242424242424242';

function operationOf(documented: Documented, id: string): Operation {
  const operation = documented.operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`${id} is not in the document`);
  return operation;
}

/** Methods that a path does not take, with and without what would be needed for those it does. */
export function otherMethods(documented: Documented, senders: fc.Arbitrary<Sender>) {
  const paths = [...new Set(documented.operations.map(({ path }) => path))];
  return fc
    .record({
      path: fc.constantFrom(...paths),
      method: fc.constantFrom(...METHODS.filter((each) => each !== 'CONNECT')),
      sender: fc.option(senders, { nil: undefined }),
      body: fc.constantFrom(undefined, '{}', '{', 'x'.repeat(10_000)),
    })
    .map(({ path, method, sender, body }) => {
      const listed = documented.operations.filter((each) => each.path === path);
      const allow = listed.map((each) => each.method);
      if (allow.includes('GET')) allow.push('HEAD');
      if (allow.includes(method)) return undefined;
      const [first] = listed;
      if (first === undefined) throw new Error(`${path} has no operation`);
      const names = parametersIn(first, 'path').map(({ name }) => name);
      const params = Object.fromEntries(names.map((name) => [name, NOWHERE]));
      const input = { params, query: [], body: undefined };
      const none = {
        tenancy: NO_TENANCY,
        environment: 'live',
        headers: [],
        namesActor: false,
      } as const;
      const expected = { statuses: [405], codes: ['method_not_allowed'], allow: allow.sort() };
      const request = requestOf(first, {
        input,
        sender: sender ?? none,
        what: 'another method',
        expected,
      });
      const headers = sender === undefined ? [] : request.headers;
      return alone(request.with({ operation: undefined, method, body, headers }));
    })
    .filter((each) => each !== undefined);
}

const NO_TENANCY: Tenancy = {
  id: 0,
  key: '',
  testKey: '',
  expiredKey: '',
  revokedKey: '',
  keyWithout: {},
};

/** HEAD is answered as GET is, without the body. */
export function heads(
  operation: Operation,
  { inputs, senders }: { inputs: Inputs; senders: fc.Arbitrary<Sender> },
): fc.Arbitrary<Case> {
  return fc.tuple(inputs.sound(operation), senders).map(([input, sender]) => {
    const parts = { input, sender, what: 'HEAD', expected: { statuses: [200] } };
    return alone(requestOf(operation, parts).with({ method: 'HEAD' }));
  });
}

/** Paths that nothing is at. */
export function otherPaths(documented: Documented, senders: fc.Arbitrary<Sender>) {
  const paths = new Set(documented.operations.map(({ path }) => path));
  // What follows `/unmatched` is an id, beside `/{id}`.
  const isBesideId = ({ path }: Operation) => paths.has(path.replace(/[^/]+$/, '{id}'));
  const known = documented.operations.filter((each) => each.path.length > 1 && !isBesideId(each));
  const changes: ((path: string) => string)[] = [
    (path) => `${path}/`,
    (path) => `/${path}`,
    (path) => `${path};x=1`,
    (path) => `${path}.json`,
    (path) => `${path}%20`,
    (path) => `${path}%2f`,
    (path) => `${path}%00`,
    (path) => path.toUpperCase(),
    (path) => `/..${path}`,
    (path) => `/.${path}`,
    (path) => `${path}/../..`,
    (path) => `/%2e%2e${path}`,
    (path) => `/${path.length}${path}`,
  ];
  return fc
    .record({
      operation: fc.constantFrom(...known.filter((each) => !each.path.endsWith('}'))),
      change: fc.constantFrom(...changes),
      sender: senders,
    })
    .map(({ operation, change, sender }) => {
      const input = { params: { id: NOWHERE }, query: [], body: {} };
      const expected = { statuses: [404], codes: ['route_not_found'] };
      const request = requestOf(operation, { input, sender, what: 'another path', expected });
      const target = change(request.target);
      return alone(request.with({ operation: undefined, target, body: undefined }));
    });
}

export function takesKey(operation: Operation): boolean {
  return !isPublic(operation) && honoursKeys(operation);
}
