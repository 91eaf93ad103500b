/** Requests with exactly one thing wrong with them, and the refusal that each deserves. */
import fc from 'fast-check';
import type { Documented, Operation } from '../http-host/documented.ts';
import type { Tenancy } from './fuzzed-host.ts';
import type { Input, Inputs } from './inputs.ts';
import {
  honoursKeys,
  idTypeOf,
  isPublic,
  JSON_TYPE,
  needsUserEmail,
  parametersIn,
  scopeOf,
} from './operations.ts';
import type { FuzzRequest } from './requests.ts';
import { rulesOf, ValueSpoiler } from './spoiled-values.ts';
import { requestOf, type Sender, type WellFormed } from './well-formed.ts';

/** A request that would be all right, and a number that chooses what becomes of it. */
interface Subject {
  readonly operation: Operation;
  readonly input: Input;
  readonly sender: Sender;
  readonly pick: number;
  /** Of another tenant than the sender's. */
  readonly stranger: Tenancy;
}

interface Spoiler {
  readonly what: string;
  readonly weight?: number;
  appliesTo(operation: Operation): boolean;
  /** Undefined where this input offers nothing to spoil. */
  spoil(subject: Subject): FuzzRequest | undefined;
}

const ONE_MEGABYTE = 1_048_576;

const hasBody = ({ node }: Operation) => node.requestBody !== undefined;
const hasInput = (operation: Operation) => !isPublic(operation);
const everywhere = () => true;

function pickFrom<Value>(values: readonly Value[], pick: number): Value {
  return values[pick % values.length] as Value;
}

/** The request as it would be all right, with what it deserves once it is spoiled. */
function before(subject: Subject, status: number, code: string): FuzzRequest {
  const { operation, input, sender } = subject;
  const expected = { statuses: [status], codes: [code] };
  return requestOf(operation, { input, sender, what: '', expected });
}

/** The request with another body, which is there even where the input had none. */
function withBody(request: FuzzRequest, body: string | Uint8Array): FuzzRequest {
  return request.withHeader('Content-Type', JSON_TYPE).with({ body });
}

function jsonOf({ input }: Subject): string {
  return JSON.stringify(input.body ?? {});
}

/** Ways to end up with a text that is not JSON, whatever it was before. */
const NOT_JSON: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, -1),
  (text) => `${text}}`,
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => `\0${text}`,
  (text) => `${text}\0`,
  (text) => `${text},`,
  (text) => `/* ${text} */ ${text}`,
  (text) => text.replace('{', "{'a':1,"),
  (text) => text.replace('{', '{"a":01,'),
  (text) => text.replace('{', '{"a":+1,'),
  (text) => text.replace('{', '{"a":.5,'),
  (text) => text.replace('{', '{"a":NaN,'),
  (text) => text.replace('{', '{"a":Infinity,'),
  (text) => text.replace('{', '{"a":"\u0001",'),
  (text) => text.replace('{', '{"a":"\\x41",'),
  (text) => text.replace('{', '{"a":"\\u12",'),
  (text) => text.replace('{', '{,'),
  (text) => text.replace('{', '{"a",'),
  () => ' ',
  () => '\u00a0{}',
  () => 'undefined',
  () => 'a=b&c=d',
  () => '<a/>',
];

/** Bytes that no text has: a lone continuation, overlong forms, a surrogate, beyond the last character. */
const NOT_UTF8: readonly (readonly number[])[] = [
  [0xff],
  [0x80],
  [0xc3, 0x28],
  [0xc0, 0x80],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
];

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonx',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json, text/plain',
  'application/problem+json',
  'application/merge-patch+json',
  'json',
  '*/*',
  '',
];

const ACCEPTS = [
  'text/html',
  'application/xml',
  'image/*',
  'application/jsonx',
  '*/*;q=0',
  'application/json;q=0, application/problem+json;q=0',
  'application/json;q=2, text/html',
];

const NO_EMAILS = [
  'x',
  'a@b',
  '@b.co',
  'a@b.co, c@d.co',
  'ü@b..co',
  `${'x'.repeat(250)}@b.co`,
  'null',
];

/** Searches whose body says which environment is meant. */
const BY_ENVIRONMENT = new Set([
  'searchTransactions',
  'searchCustomerTransactions',
  'listMitigationTransactions',
]);

/** Lines are checked one by one: what is wrong with one is in its result. */
const TAKES_LINES = 'openMerchantAccounts';

const NO_IDS = ['x', '0', '%00', '00000000-0000-0000-0000', "'", '__proto__', 'null', '{id}', 'ё'];

const VALUES: readonly Spoiler[] = [
  {
    what: 'a body that is no JSON',
    appliesTo: hasBody,
    spoil(subject) {
      const text = pickFrom(NOT_JSON, subject.pick)(jsonOf(subject));
      return withBody(before(subject, 400, 'invalid_json'), text);
    },
  },
  {
    what: 'a body that is no UTF-8',
    appliesTo: hasBody,
    spoil(subject) {
      const [head = '', ...tail] = jsonOf(subject);
      const bytes = Uint8Array.from(pickFrom(NOT_UTF8, subject.pick));
      const parts = [`${head}"a":"`, bytes, `",${tail.join('')}`].map((part) => Buffer.from(part));
      return withBody(before(subject, 400, 'invalid_utf8'), Buffer.concat(parts));
    },
  },
  {
    what: 'a body that is too deep',
    appliesTo: hasBody,
    spoil(subject) {
      const depth = pickFrom([32, 33, 100, 10_000], subject.pick);
      const [open, close] = pickFrom(
        [['[', ']'] as const, ['{"a":', '}'] as const],
        subject.pick >> 2,
      );
      const deep = `${open.repeat(depth)}0${close.repeat(depth)}`;
      const text = jsonOf(subject).replace('{', `{"deep":${deep},`).replace(',}', '}');
      return withBody(before(subject, 400, 'json_too_deep'), text);
    },
  },
  {
    what: 'a body that is too large',
    weight: 0.1,
    appliesTo: hasBody,
    spoil(subject) {
      const text = jsonOf(subject).padEnd(ONE_MEGABYTE + 1 + (subject.pick % 5_000));
      return withBody(before(subject, 413, 'payload_too_large'), text);
    },
  },
  {
    what: 'no body where there must be one',
    appliesTo: ({ node }) => node.requestBody?.required === true,
    spoil: (subject) => before(subject, 400, 'invalid_request').with({ body: undefined }),
  },
  {
    what: 'a body where there must be none',
    appliesTo: (operation) => !hasBody(operation),
    spoil(subject) {
      const body = pickFrom(['{}', 'x', '{"limit":1}'], subject.pick);
      return withBody(before(subject, 400, 'body_not_allowed'), body);
    },
  },
  {
    what: 'an id that is none',
    appliesTo: (operation) => !['text', undefined].includes(idTypeOf(operation)),
    spoil(subject) {
      const { operation, pick } = subject;
      const target = operation.path.replace('{id}', encodeURIComponent(pickFrom(NO_IDS, pick)));
      return before(subject, 400, 'invalid_request').with({ target });
    },
  },
  {
    what: 'an id that no router takes',
    appliesTo: (operation) => !['text', undefined].includes(idTypeOf(operation)),
    spoil(subject) {
      const { operation, pick } = subject;
      const id = pickFrom(['%zz', '%', 'a/b', 'x'.repeat(256), '%c3%28', 'x//', '..'], pick);
      const target = operation.path.replace('{id}', id);
      // `..` alone is a valid id: paths are not resolved here.
      if (id === '..') return before(subject, 400, 'invalid_request').with({ target });
      return before(subject, 404, 'route_not_found').with({ target });
    },
  },
  {
    what: 'a rule of the business broken',
    weight: 2,
    appliesTo: (operation) => rulesOf(operation).length > 0,
    spoil(subject) {
      const { code, change } = pickFrom(rulesOf(subject.operation), subject.pick);
      const input = { ...subject.input, body: change(subject.input.body) };
      return before({ ...subject, input }, 400, code);
    },
  },
];

const HEADERS: readonly Spoiler[] = [
  {
    what: 'another content type',
    appliesTo: hasBody,
    spoil(subject) {
      const request = withBody(before(subject, 415, 'unsupported_media_type'), jsonOf(subject));
      const taken = subject.operation.node.requestBody.content;
      const others = TYPES.filter((each) => taken[each] === undefined);
      const type = pickFrom([undefined, ...others], subject.pick);
      return request.withHeader('Content-Type', type);
    },
  },
  {
    what: 'an encoded body',
    appliesTo: hasBody,
    spoil(subject) {
      const request = withBody(
        before(subject, 415, 'unsupported_content_encoding'),
        jsonOf(subject),
      );
      const coding = pickFrom(['gzip', 'br', 'identity', 'x', ''], subject.pick);
      return request.withHeader('Content-Encoding', coding);
    },
  },
  {
    what: 'an Accept that nothing meets',
    appliesTo: ({ node }) => node.responses[200]?.content?.['text/html'] === undefined,
    spoil(subject) {
      if (subject.operation.id === 'getMetrics') return undefined;
      const accept = pickFrom(ACCEPTS, subject.pick);
      return before(subject, 406, 'not_acceptable').withHeader('Accept', accept);
    },
  },
  {
    what: 'a bad Idempotency-Key',
    appliesTo: honoursKeys,
    spoil(subject) {
      const key = pickFrom(['', 'x'.repeat(256), 'a b', 'ü', 'a\tb', '\u00a0'], subject.pick);
      return before(subject, 400, 'idempotency_key_invalid').withHeader('Idempotency-Key', key);
    },
  },
  {
    what: 'a bad UserEmail',
    appliesTo: hasInput,
    spoil(subject) {
      const email = pickFrom(NO_EMAILS, subject.pick);
      return before(subject, 400, 'user_email_invalid').withHeader('UserEmail', email);
    },
  },
  {
    what: 'no UserEmail',
    appliesTo: (operation) => !isPublic(operation) && needsUserEmail(operation),
    spoil(subject) {
      const email = pickFrom([undefined, ''], subject.pick);
      return before(subject, 400, 'user_email_required').withHeader('UserEmail', email);
    },
  },
  {
    what: 'no ClientId',
    appliesTo: hasInput,
    spoil(subject) {
      const clientId = pickFrom([undefined, ''], subject.pick);
      return before(subject, 400, 'client_id_required').withHeader('ClientId', clientId);
    },
  },
  {
    what: 'a header sent twice',
    appliesTo: hasInput,
    spoil(subject) {
      const request = before(subject, 400, 'duplicate_header');
      const name = pickFrom(
        ['Authorization', 'ClientId', 'UserEmail', 'Idempotency-Key'],
        subject.pick,
      );
      const value = request.header(name) ?? 'agent@example.com';
      const twice = [[name, value] as const, [name.toUpperCase(), value] as const];
      const { headers } = request.withHeader(name, undefined);
      return request.with({ headers: [...headers, ...twice] });
    },
  },
  {
    what: 'an unknown expectation',
    weight: 0.2,
    appliesTo: everywhere,
    spoil: (subject) =>
      before(subject, 417, 'expectation_failed').withHeader('Expect', '200-maybe'),
  },
  {
    what: "another tenant's number in the body",
    appliesTo: hasBody,
    spoil(subject) {
      const claimed = pickFrom([subject.stranger.id, 0, -1, 1.5, 1e300], subject.pick);
      const body = { ...subject.input.body, parentCompanyId: claimed };
      const input = { ...subject.input, body };
      return before({ ...subject, input }, 403, 'tenant_mismatch');
    },
  },
  {
    what: "another user's address in the body",
    appliesTo: (operation) => hasBody(operation) && needsUserEmail(operation),
    spoil(subject) {
      if (subject.input.body?.userEmail === undefined) return undefined;
      const input = {
        ...subject.input,
        body: { ...subject.input.body, userEmail: 'b@example.com' },
      };
      return before({ ...subject, input }, 400, 'user_email_mismatch');
    },
  },
  {
    what: 'live data asked for with a test key',
    appliesTo: ({ id }) => BY_ENVIRONMENT.has(id),
    spoil(subject) {
      const sender = { ...subject.sender, environment: 'test' } as const;
      const input = { ...subject.input, body: { ...subject.input.body, sandbox: false } };
      return before({ ...subject, sender, input }, 403, 'live_data_forbidden');
    },
  },
];

/** Values that the schemas refuse, answered with a pointer to what is wrong. */
function schemaSpoilers(spoiler: ValueSpoiler): Spoiler[] {
  return [
    {
      what: 'a body that its schema refuses',
      weight: 8,
      appliesTo: (operation) => hasBody(operation) && operation.id !== TAKES_LINES,
      spoil(subject) {
        const { operation, sender, pick } = subject;
        const { input, pointer } = spoiler.inBody(operation, subject.input, pick);
        const claimed = input.body?.parentCompanyId;
        // A number names a tenant, and another tenant's is refused before anything else is looked at.
        if (typeof claimed === 'number' && claimed !== sender.tenancy.id) {
          return before({ ...subject, input }, 403, 'tenant_mismatch');
        }
        const request = before({ ...subject, input }, 400, 'invalid_request');
        return request.with({ expected: { ...request.expected, pointer } });
      },
    },
    {
      what: 'a query that its schema refuses',
      weight: 4,
      appliesTo: (operation) => parametersIn(operation, 'query').length > 0,
      spoil(subject) {
        const spoiled = spoiler.inQuery(subject.operation, subject.input, subject.pick);
        if (spoiled === undefined) return undefined;
        const request = before({ ...subject, input: spoiled.input }, 400, 'invalid_request');
        return request.with({ expected: { ...request.expected, pointer: spoiled.pointer } });
      },
    },
  ];
}

/** Ways to be somebody that one is not. Refused before anything else of the request is looked at. */
const INTRUDERS: readonly Spoiler[] = [
  ...[
    intruder('api_key_missing', () => undefined),
    intruder('api_key_missing', () => ''),
    intruder('bearer_prefix', ({ key }) => `Bearer ${key}`),
    intruder('bearer_prefix', ({ key }) => `bearer ${key}`),
    intruder('api_key_invalid', ({ key }) => key.slice(0, -1)),
    intruder('api_key_invalid', ({ key }) => `${key}x`),
    intruder('api_key_invalid', ({ key }) => key.replace('_live_', '_test_')),
    intruder('api_key_invalid', ({ key }) => key.toUpperCase()),
    intruder('api_key_invalid', ({ key }) => `${key}, ${key}`),
    intruder('api_key_invalid', ({ key }) => `"${key}"`),
    intruder('api_key_invalid', ({ key }) => `Basic ${Buffer.from(key).toString('base64')}`),
    intruder('api_key_invalid', () => `cf_live_${'A'.repeat(43)}`),
    intruder('api_key_invalid', () => "' OR 1=1 --"),
    intruder('api_key_invalid', () => '__proto__'),
    intruder('api_key_expired', ({ expiredKey }) => expiredKey),
    intruder('api_key_revoked', ({ revokedKey }) => revokedKey),
  ],
  {
    what: "another tenant's key",
    weight: 2,
    appliesTo: hasInput,
    spoil(subject) {
      const { key } = subject.stranger;
      return before(subject, 403, 'tenant_mismatch').withHeader('Authorization', key);
    },
  },
  {
    what: "another tenant's ClientId",
    weight: 2,
    appliesTo: hasInput,
    spoil(subject) {
      const { id } = subject.sender.tenancy;
      const others = [
        String(subject.stranger.id),
        `0${id}`,
        `${id}.0`,
        `+${id}`,
        '٣',
        `${id},${id}`,
      ];
      const clientId = pickFrom(others.concat('-1', '1e1', 'null'), subject.pick);
      const sent = Buffer.from(clientId).toString('latin1');
      return before(subject, 403, 'tenant_mismatch').withHeader('ClientId', sent);
    },
  },
  {
    what: 'a key without the scope',
    weight: 2,
    appliesTo: hasInput,
    spoil(subject) {
      const { operation, sender } = subject;
      const scope = scopeOf(operation);
      const key = sender.tenancy.keyWithout[scope ?? ''];
      if (key === undefined) throw new Error(`no key lacks ${scope}`);
      return before(subject, 403, 'insufficient_scope').withHeader('Authorization', key);
    },
  },
];

function intruder(code: string, keyOf: (tenancy: Tenancy) => string | undefined): Spoiler {
  return {
    what: code,
    weight: 0.5,
    appliesTo: hasInput,
    spoil(subject) {
      const request = before(subject, 401, code);
      const spoiled = request.withHeader('Authorization', keyOf(subject.sender.tenancy));
      // Whatever else is wrong with it makes no difference.
      const body = pickFrom([request.body, request.body, '{', ' '.repeat(70_000)], subject.pick);
      return hasBody(subject.operation) && body !== undefined
        ? withBody(spoiled, String(body))
        : spoiled;
    },
  };
}

interface SpoiledOptions {
  readonly inputs: Inputs;
  readonly senders: fc.Arbitrary<Sender>;
  readonly stranger: Tenancy;
}

export class SpoiledRequests {
  readonly #spoilers: readonly Spoiler[];

  constructor(documented: Documented, wellFormed: WellFormed) {
    const schemas = schemaSpoilers(new ValueSpoiler(documented, wellFormed));
    this.#spoilers = [...schemas, ...VALUES, ...HEADERS, ...INTRUDERS];
  }

  /** What can be done to a request; every one of them should have been. */
  get kinds(): ReadonlySet<string> {
    return new Set(this.#spoilers.map(({ what }) => what));
  }

  of(operation: Operation, options: SpoiledOptions): fc.Arbitrary<FuzzRequest> {
    const spoilers = this.#spoilers.filter((each) => each.appliesTo(operation));
    const choice = fc.oneof(
      ...spoilers.map((spoiler) => ({
        weight: Math.round((spoiler.weight ?? 1) * 100),
        arbitrary: fc.constant(spoiler),
      })),
    );
    return this.#spoiledBy(choice, operation, options).filter((request) => request !== undefined);
  }

  /** Of one kind; undefined where an input offers nothing to spoil. */
  ofKind(kind: string, operations: readonly Operation[], options: SpoiledOptions) {
    const spoilers = this.#spoilers.filter(({ what }) => what === kind);
    return fc.oneof(
      ...spoilers.flatMap((spoiler) =>
        operations
          .filter((each) => spoiler.appliesTo(each))
          .map((each) => this.#spoiledBy(fc.constant(spoiler), each, options)),
      ),
    );
  }

  #spoiledBy(
    choice: fc.Arbitrary<Spoiler>,
    operation: Operation,
    { inputs, senders, stranger }: SpoiledOptions,
  ): fc.Arbitrary<FuzzRequest | undefined> {
    return fc
      .tuple(inputs.sound(operation), senders, choice, fc.nat())
      .map(([input, sender, spoiler, pick]) =>
        spoiler
          .spoil({ operation, input, sender, pick, stranger })
          ?.with({ what: spoiler.what, operation }),
      );
  }
}
