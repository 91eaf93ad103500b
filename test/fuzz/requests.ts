/** A request as it goes over the wire, what its answer may be, and how it is shown to a reader. */
import fc from 'fast-check';
import type { Operation } from '../http-host/documented.ts';

export type Header = readonly [name: string, value: string];

/** What an answer may be. Whatever it is, it must also be as the document says. */
export interface Expected {
  readonly statuses: readonly number[];
  /** Of a refusal; any that the document lists when absent. */
  readonly codes?: readonly string[];
  /** Pointers of `invalid_request` that are admitted although the schemas are satisfied. */
  readonly rules?: readonly RegExp[];
  /** The methods that Allow must name, in order of the alphabet. */
  readonly allow?: readonly string[];
  /** One of the faults that the answer lists must be here, within it or around it. */
  readonly pointer?: string;
}

export interface RequestParts {
  /** What was done, in a few words: requests are counted by it. */
  readonly what: string;
  /** The operation that has this path and method; undefined if there is none. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** Path and query, as they stand in the request line. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array | undefined;
  readonly expected: Expected;
}

/** The longest body that is worth printing. */
const MAX_SHOWN = 4_000;

export class FuzzRequest implements RequestParts {
  readonly what: string;
  readonly operation: Operation | undefined;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array | undefined;
  readonly expected: Expected;

  constructor(parts: RequestParts) {
    this.what = parts.what;
    this.operation = parts.operation;
    this.method = parts.method;
    this.target = parts.target;
    this.headers = parts.headers;
    this.body = parts.body;
    this.expected = parts.expected;
  }

  /** The same with other parts. */
  with(parts: Partial<RequestParts>): FuzzRequest {
    return new FuzzRequest({ ...this, ...parts });
  }

  /** The same with one header set, or with `undefined` left out. */
  withHeader(name: string, value: string | undefined): FuzzRequest {
    const others = this.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
    return this.with({ headers: value === undefined ? others : [...others, [name, value]] });
  }

  header(name: string): string | undefined {
    return this.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  }

  /** A command that sends it again. */
  curl(url: string): string {
    const parts = [
      this.method === 'HEAD' ? 'curl -sSi --head' : `curl -sSi -X ${this.method}`,
      '--path-as-is',
      quoted(url + this.target),
      ...this.headers.map(
        ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
      ),
    ];
    if (this.body === undefined) return parts.join(' ');
    if (!this.headers.some(([name]) => /^content-type$/i.test(name)))
      parts.push("-H 'Content-Type:'");
    if (typeof this.body === 'string' && !this.body.includes('\0')) {
      return [...parts, `--data-raw ${quoted(shortened(this.body))}`].join(' ');
    }
    const bytes = shortened(Buffer.from(this.body).toString('base64'));
    return `echo ${bytes} | base64 -d | ${[...parts, '--data-binary @-'].join(' ')}`;
  }

  [fc.toStringMethod](): string {
    return `${this.what}: ${this.curl('')}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function shortened(text: string): string {
  return text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN)}…(${text.length - MAX_SHOWN} more characters)`;
}
