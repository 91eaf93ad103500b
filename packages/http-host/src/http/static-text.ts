/** A constant text with an entity tag. */
import { hash } from 'node:crypto';
import type { RawResult, RequestContext, ResponseDefinition } from './endpoint.ts';

/** The response when the client's copy is current. */
export const NOT_MODIFIED: ResponseDefinition = {
  description: 'It is what If-None-Match names',
};

export class StaticText {
  readonly #bytes: Buffer;
  readonly #etag: string;
  readonly #type: Pick<RawResult, 'contentType'>;

  constructor(text: string, type: Pick<RawResult, 'contentType'> = {}) {
    this.#bytes = Buffer.from(text);
    // Weak: it names the text in every coding.
    this.#etag = `W/"${hash('sha256', text, 'base64url')}"`;
    this.#type = type;
  }

  /** 200 with the text, or 304 if the client has it. `headers` are added to both. */
  answer(
    { ifNoneMatch }: Pick<RequestContext, 'ifNoneMatch'>,
    more: Readonly<Record<string, string>> = {},
  ): RawResult {
    const headers = {
      ETag: this.#etag,
      // Cached but revalidated every time: another version of the host has another text.
      'Cache-Control': 'no-cache',
      ...more,
    };
    if (isNamedBy(ifNoneMatch, this.#etag)) {
      return { status: 304, raw: '', headers: { ...headers, Vary: 'Accept-Encoding' } };
    }
    return { status: 200, raw: this.#bytes, isConstant: true, headers, ...this.#type };
  }
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
function isNamedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim());
  const isSame = (tag: string) => tag.replace(/^W\//, '') === etag.replace(/^W\//, '');
  return tags.some((tag) => tag === '*' || isSame(tag));
}
