/**
 * What comes over a raw socket, and what is to be answered: heads, targets, pipelines and bodies. What
 * the server alone can show is in test/http-host/server.test.ts.
 */
import {
  CHUNKS,
  CODINGS,
  JSON_TYPE,
  LENGTHS,
  MALFORMED,
  PAY,
  type RawCase,
} from './raw-framing.ts';

const HEADS: readonly RawCase[] = [
  ...[
    [JSON_TYPE, JSON_TYPE],
    [JSON_TYPE, 'content-type: text/plain'],
    ['Idempotency-Key: a', 'idempotency-key: b'],
    ['Content-Encoding: gzip', 'Content-Encoding: gzip'],
    ['X-Request-Id: a', 'X-Request-Id: b'],
  ].map(
    (lines): RawCase => ({
      name: lines.join(', '),
      sent: ({ head, paymentBody }) => [
        head(PAY, [...lines, `Content-Length: ${paymentBody.length}`]) + paymentBody,
      ],
      answers: [[400, 'duplicate_header']],
      closes: true,
    }),
  ),
  {
    name: 'an empty Host, which is not used here',
    sent: () => ['GET /livez HTTP/1.1\r\nHost:\r\n\r\n'],
    answers: [[200]],
    closes: false,
  },
  {
    name: 'one header too large',
    sent: ({ head }) => [head('GET /livez HTTP/1.1', [`X-Large: ${'x'.repeat(20_000)}`])],
    answers: [[431, 'headers_too_large']],
    closes: true,
  },
  {
    name: 'headers too many',
    sent: ({ head }) => [
      head(
        'GET /livez HTTP/1.1',
        Array.from({ length: 5_000 }, (_, index) => `X-${index}: y`),
      ),
    ],
    answers: [[431, 'headers_too_large']],
    closes: true,
  },
  {
    name: 'two thousand headers of nothing',
    sent: ({ head }) => [
      head(
        'GET /livez HTTP/1.1',
        Array.from({ length: 2_000 }, () => 'a:b'),
      ),
    ],
    answers: [[200]],
    closes: false,
  },
  {
    name: 'a header behind two thousand others that must be unique',
    sent: ({ head }) => [
      head('GET /v1/payments HTTP/1.1', [
        ...Array.from({ length: 2_000 }, () => 'a:b'),
        'ClientId: 13',
      ]),
    ],
    answers: [[400, 'duplicate_header']],
    closes: true,
  },
  {
    name: 'a key in bytes that are no text',
    sent: () => [
      Buffer.from(
        'GET /v1/payments HTTP/1.1\r\nHost: a\r\nAuthorization: cf_live_\xff\xfe\r\n\r\n',
        'latin1',
      ),
    ],
    answers: [[401, 'api_key_invalid']],
    closes: false,
  },
  {
    name: 'an address in bytes that are no text',
    sent: ({ head }) => [
      Buffer.from(head('GET /v1/payments HTTP/1.1').replace('agent@', 'agent\xc3\x28@'), 'latin1'),
    ],
    answers: [[400, 'user_email_invalid']],
    closes: false,
  },
];

function target(line: string, ...answers: RawCase['answers']): RawCase {
  const [first] = answers;
  return {
    name: JSON.stringify(line.slice(0, 60)),
    sent: ({ head }) => [Buffer.from(head(line), 'latin1')],
    answers,
    closes: first?.[1] === 'malformed_request' || first?.[0] === 431 || / HTTP\/1\.0$/.test(line),
  };
}

const NOT_FOUND = [404, 'route_not_found'] as const;

const TARGETS: readonly RawCase[] = [
  target('GET http://localhost/livez HTTP/1.1', [200]),
  target('GET http://localhost HTTP/1.1', [200]),
  target('GET http://localhost?a=/livez HTTP/1.1', [200]),
  target('GET http://elsewhere.example/v1/payments?limit=1 HTTP/1.1', [200]),
  target('GET /../livez HTTP/1.1', NOT_FOUND),
  target('GET /v1/../livez HTTP/1.1', NOT_FOUND),
  target('GET /v1/payments/..%2f..%2flivez HTTP/1.1', [400, 'invalid_request']),
  target('GET /v1%2fpayments HTTP/1.1', NOT_FOUND),
  target('GET //livez HTTP/1.1', NOT_FOUND),
  target('GET /livez/ HTTP/1.1', NOT_FOUND),
  target('GET /livez%00 HTTP/1.1', NOT_FOUND),
  target('GET /livez?%zz=%ff&&&==&a HTTP/1.1', [200]),
  target('GET /v1/payments?limit=%ff HTTP/1.1', [400, 'invalid_request']),
  target('GET /v1/payments?__proto__=1&constructor=2&limit=1 HTTP/1.1', [400, 'invalid_request']),
  target('GET /v1/payments/%ff HTTP/1.1', NOT_FOUND),
  target(`GET /${'x'.repeat(8_000)} HTTP/1.1`, NOT_FOUND),
  target(`GET /${'x'.repeat(20_000)} HTTP/1.1`, [431, 'headers_too_large']),
  target('GET /livez HTTP/1.0', [200]),
  target('GET /livez\xff HTTP/1.1', MALFORMED),
  target('GET /livez\0 HTTP/1.1', MALFORMED),
  target('GET /li vez HTTP/1.1', MALFORMED),
  target('GET livez HTTP/1.1', MALFORMED),
  target('GET /livez HTTP/1.9', MALFORMED),
  target('GET /livez HTTP/11', MALFORMED),
  target('GET /livez http/1.1', MALFORMED),
  target('get /livez HTTP/1.1', MALFORMED),
  target('FETCH /livez HTTP/1.1', MALFORMED),
  target('PRI * HTTP/2.0', MALFORMED),
  target('\x16\x03\x01\x02', MALFORMED),
];

const PIPELINES: readonly RawCase[] = [
  {
    name: 'a long pipeline is answered to its end',
    sent: ({ head }) => [head('GET /livez HTTP/1.1').repeat(200)],
    answers: Array.from({ length: 200 }, () => [200] as const),
    closes: false,
  },
  {
    name: 'a body that is no JSON does not end a pipeline',
    sent: ({ head }) => [
      `${head(PAY, [JSON_TYPE, 'Content-Length: 1'])}{${head('GET /livez HTTP/1.1')}`,
    ],
    answers: [[400, 'invalid_json'], [200]],
    closes: false,
  },
  {
    name: 'a body that is refused unread is not taken for a request',
    sent: ({ head, payment }) => [
      head('GET /livez HTTP/1.1', [`Content-Length: ${payment.length}`]) + payment,
    ],
    answers: [[400, 'body_not_allowed']],
    closes: false,
  },
  {
    name: 'what is announced to be closed is not read on',
    sent: ({ head, payment }) => [head('GET /livez HTTP/1.1', ['Connection: close']) + payment],
    answers: [[200]],
    closes: true,
  },
  {
    name: 'an empty line before a request is passed over',
    sent: ({ head }) => [`\r\n\r\n${head('GET /livez HTTP/1.1')}`],
    answers: [[200]],
    closes: false,
  },
];

const OFFERS: readonly RawCase[] = [
  {
    name: 'an upgrade is not taken up',
    sent: ({ head }) => [
      head('GET /livez HTTP/1.1', [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: a',
      ]),
    ],
    answers: [[200]],
    closes: false,
  },
  {
    name: 'HTTP/2 in plain text is not taken up',
    sent: ({ head }) => [
      head('GET /livez HTTP/1.1', [
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: a',
      ]),
    ],
    answers: [[200]],
    closes: false,
  },
  {
    name: 'a waiting client with a body too large is refused',
    sent: ({ head }) => [
      head(PAY, [JSON_TYPE, 'Content-Length: 99999999', 'Expect: 100-continue']),
    ],
    answers: [[413, 'payload_too_large']],
    closes: true,
  },
  {
    name: 'a waiting client without a key is refused',
    sent: ({ head }) => [
      head(PAY, [JSON_TYPE, 'Content-Length: 2', 'Expect: 100-continue']).replace(
        /Authorization.*\r\n/,
        '',
      ),
    ],
    answers: [[401, 'api_key_missing']],
    closes: true,
  },
];

/** A payment with another text in the place of some of it. */
function body(name: string, change: (text: string) => string, code: string): RawCase {
  return {
    name,
    sent({ head, paymentBody }) {
      const bytes = Buffer.from(change(paymentBody));
      return [head(PAY, [JSON_TYPE, `Content-Length: ${bytes.length}`]), bytes];
    },
    answers: [[400, code]],
    closes: false,
  };
}

function amount(text: string, code: string): RawCase {
  return body(
    `an amount of ${text.slice(0, 30)}`,
    (sent) => sent.replace('"amount":1', `"amount":${text}`),
    code,
  );
}

function name(text: string): RawCase {
  return body(
    `a name ${JSON.stringify(text)}`,
    (sent) => sent.replace('{', `{"customer":{"firstName":"${text}"},`),
    'invalid_request',
  );
}

const BODIES: readonly RawCase[] = [
  amount('1e400', 'invalid_request'),
  amount('9'.repeat(100_000), 'invalid_request'),
  amount('9223372036854775808', 'invalid_request'),
  amount('-0', 'amount_not_positive'),
  amount('0.001', 'amount_precision'),
  amount('1e-7', 'amount_precision'),
  amount('"1"', 'invalid_request'),
  amount('[1]', 'invalid_request'),
  amount('1,"amount":-1', 'invalid_request'),
  amount('01', 'invalid_json'),
  amount('1_000', 'invalid_json'),
  name('a\\u0000b'),
  name('\\ud800'),
  name('a\\nb'),
  name('\\u2028'),
  body('a byte order mark', (sent) => `\ufeff${sent}`, 'invalid_json'),
  body('brackets that close what was not open', () => ']'.repeat(100_000), 'invalid_json'),
  body(
    'a prototype with a card',
    (sent) => sent.replace('"card":', '"x":{"__proto__":{"card":1}},"constructor":'),
    'invalid_request',
  ),
  body('a card twice', (sent) => sent.replace(/}$/, ',"card":{}}'), 'invalid_request'),
  body('a list of payments', (sent) => `[${sent}]`, 'invalid_request'),
  body('a text', () => '"x"', 'invalid_request'),
  body('null', () => 'null', 'invalid_request'),
];

export const RAW_CASES: Readonly<Record<string, readonly RawCase[]>> = {
  'the length of a body': LENGTHS,
  'the coding of a body': CODINGS,
  chunks: CHUNKS,
  heads: HEADS,
  targets: TARGETS,
  pipelines: PIPELINES,
  'offers and expectations': OFFERS,
  bodies: BODIES,
};
