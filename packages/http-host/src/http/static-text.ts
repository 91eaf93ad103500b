/** A text that stays as it is while the host runs: with an entity tag, and compressed. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { admitsGzip } from './accept.ts';
import type { RawResult, RequestContext, ResponseDefinition } from './endpoint.ts';

/** The answer to whoever has the text already. */
export const NOT_MODIFIED: ResponseDefinition = {
  description: 'It is what If-None-Match names',
};

export class StaticText {
  readonly #text: string;
  readonly #zipped: Buffer;
  readonly #etag: string;
  readonly #type: Pick<RawResult, 'contentType'>;

  constructor(text: string, type: Pick<RawResult, 'contentType'> = {}) {
    this.#text = text;
    this.#zipped = gzipSync(text);
    // Weak, for it names the text in either coding.
    this.#etag = `W/"${hash('sha256', text, 'base64url')}"`;
    this.#type = type;
  }

  /** 200 with the text, or 304 for who has it. `headers` are those of the text besides. */
  answer(
    { ifNoneMatch, acceptEncoding }: Pick<RequestContext, 'ifNoneMatch' | 'acceptEncoding'>,
    more: Readonly<Record<string, string>> = {},
  ): RawResult {
    const headers = {
      ETag: this.#etag,
      // To be kept, and asked about every time: another version of the host has another text.
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
      ...more,
    };
    if (isNamedBy(ifNoneMatch, this.#etag)) return { status: 304, raw: '', headers };
    if (!admitsGzip(acceptEncoding)) {
      return { status: 200, raw: this.#text, headers, ...this.#type };
    }
    const encoded = { ...headers, 'Content-Encoding': 'gzip' };
    return { status: 200, raw: this.#zipped, headers: encoded, ...this.#type };
  }
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2): whether a tag is strong does not matter. */
function isNamedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim());
  const isSame = (tag: string) => tag.replace(/^W\//, '') === etag.replace(/^W\//, '');
  return tags.some((tag) => tag === '*' || isSame(tag));
}
