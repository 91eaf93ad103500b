/** Bodies whose end two readers might see in two places: every one of them is refused, or read as one. */

/** Heads and bodies of one tenant, as text to be put together. */
export interface Speaker {
  /** A head with the tenant's headers, ready for a body. */
  head(line: string, headers?: readonly string[]): string;
  /** A whole payment, that would be taken if it were let through. */
  readonly payment: string;
  readonly paymentBody: string;
}

export interface RawCase {
  readonly name: string;
  readonly sent: (speaker: Speaker) => readonly (string | Uint8Array)[];
  /** In order; those with a code are refusals. */
  readonly answers: readonly (readonly [status: number, code?: string])[];
  /** Whether the connection is over then; if not, the next request on it is answered. */
  readonly closes: boolean;
  /** The only cases that may bring something about. */
  readonly takesMoney?: true;
}

export const MALFORMED = [400, 'malformed_request'] as const;
export const PAY = 'POST /v1/payments HTTP/1.1';
export const JSON_TYPE = 'Content-Type: application/json';
export const CHUNKED = 'Transfer-Encoding: chunked';

/** A request whose framing must not be trusted, with a whole payment behind what it may take for its end. */
function smuggling(name: string, headers: readonly string[], body = '0\r\n\r\n'): RawCase {
  return {
    name,
    sent: ({ head, payment }) => [`${head(PAY, [JSON_TYPE, ...headers])}${body}${payment}`],
    answers: [MALFORMED],
    closes: true,
  };
}

export const LENGTHS: readonly RawCase[] = [
  smuggling('a length before chunks', ['Content-Length: 5', CHUNKED]),
  smuggling('chunks before a length', [CHUNKED, 'Content-Length: 5']),
  smuggling('a list of lengths', ['Content-Length: 5, 5']),
  smuggling('a positive length', ['Content-Length: +5']),
  smuggling('a negative length', ['Content-Length: -5']),
  smuggling('a hexadecimal length', ['Content-Length: 0x5']),
  smuggling('a length with a space', ['Content-Length: 5 5']),
  smuggling('a length with letters', ['Content-Length: 5a']),
  smuggling('no length after its name', ['Content-Length:']),
  smuggling('a length beyond 64 bits', ['Content-Length: 18446744073709551617']),
];

export const CODINGS: readonly RawCase[] = [
  ...[
    'chunked, chunked',
    'chunked, identity',
    'identity',
    'gzip',
    '"chunked"',
    'chunked;q=1',
    '\x0bchunked',
    'chunked\x00',
    '',
  ].map((coding) =>
    smuggling(`the coding ${JSON.stringify(coding)}`, [`Transfer-Encoding: ${coding}`]),
  ),
  smuggling('a coding twice', [CHUNKED, 'Transfer-Encoding: identity']),
  smuggling('chunked twice', [CHUNKED, CHUNKED]),
  smuggling('a space before the colon', ['Transfer-Encoding : chunked']),
  smuggling('a tab before the colon', ['Transfer-Encoding\t: chunked']),
  smuggling('a space before the name', [' Transfer-Encoding: chunked']),
  smuggling('a coding folded onto the next line', ['Transfer-Encoding:\r\n chunked']),
  smuggling('a header folded onto the next line', ['X-Folded: a\r\n b', CHUNKED]),
  smuggling('a bare line feed between headers', [`X-Bare: a\n${CHUNKED}`]),
  smuggling('a bare carriage return in a header', [`X-Bare: a\r${CHUNKED}`]),
  smuggling('a NUL in a value', ['X-Nul: a\0b', CHUNKED]),
  smuggling('a NUL in a name', ['X-N\0ul: a', CHUNKED]),
  smuggling('a header without a name', [': a', CHUNKED]),
  smuggling('a header without a colon', ['Chunked', CHUNKED]),
  smuggling('a name that is no token', ['X(a): b', CHUNKED]),
];

export const CHUNKS: readonly RawCase[] = [
  ...[
    ['a size beyond 64 bits', 'fffffffffffffffff\r\n'],
    ['a negative size', '-1\r\n'],
    ['a size with a prefix', '0x5\r\n'],
    ['a size with a sign', '+5\r\n'],
    ['a size with an underscore', '1_0\r\n'],
    ['no size', '\r\n{}\r\n'],
    ['a size that ends in a bare line feed', '2\n{}\r\n'],
    ['data longer than its size', '1\r\n{}\r\n'],
    ['data without its end', '2\r\n{}0\r\n\r\n'],
    ['data that ends in a bare line feed', '2\r\n{}\n'],
  ].map(([name = '', chunk = '']) => smuggling(name, [CHUNKED], `${chunk}0\r\n\r\n`)),
  {
    name: 'extensions without end',
    sent: ({ head }) => [
      `${head(PAY, [JSON_TYPE, CHUNKED])}2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    ],
    answers: [[413, 'payload_too_large']],
    closes: true,
  },
  {
    name: 'a length among the trailers',
    sent: ({ head, payment }) => [
      `${head(PAY, [JSON_TYPE, CHUNKED])}2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n${payment}`,
    ],
    answers: [MALFORMED],
    closes: true,
  },
  {
    name: 'an extension, and trailers that mean nothing',
    sent: ({ head }) => [
      head(PAY, [JSON_TYPE, CHUNKED]),
      '2;a=b\r\n{}\r\n0\r\nAuthorization: x\r\nClientId: 13\r\n\r\n',
    ],
    answers: [[400, 'invalid_request']],
    closes: false,
  },
  {
    name: 'chunks of one byte, in capitals',
    sent: ({ head, paymentBody }) => [
      head(PAY, [JSON_TYPE, 'Transfer-Encoding: CHUNKED']),
      `${[...paymentBody].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
    ],
    answers: [[201]],
    closes: false,
    takesMoney: true,
  },
  {
    name: 'chunks in HTTP/1.0',
    sent: ({ head, payment }) => [
      `${head('POST /v1/payments HTTP/1.0', [JSON_TYPE, CHUNKED])}0\r\n\r\n${payment}`,
    ],
    answers: [MALFORMED],
    closes: true,
  },
];
