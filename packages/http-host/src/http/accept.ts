/** What the Accept header allows: JSON at all, and errors as problem+json. */

export interface Acceptance {
  /** Neither application/json nor application/problem+json is acceptable. */
  readonly refusesJson: boolean;
  /** The media type of errors. */
  readonly errorForm: 'json' | 'problem';
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

const ANYTHING: Acceptance = { refusesJson: false, errorForm: 'json' };

/** Callers send few distinct values; the bound protects memory against a hostile one. */
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 512;

const remembered = new Map<string, Acceptance>();

/** Reads an Accept header, quality values included. An absent one admits everything. */
export function acceptanceOf(accept: string | undefined): Acceptance {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return ANYTHING;
  const known = remembered.get(accept);
  if (known !== undefined) return known;
  const acceptance = parse(accept);
  if (accept.length <= MAX_REMEMBERED_LENGTH) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(accept, acceptance);
  }
  return acceptance;
}

function parse(accept: string): Acceptance {
  const ranges = accept.split(',').map(parseRange);
  const json = qualityOf(ranges, JSON_TYPE);
  const problem = qualityOf(ranges, PROBLEM_TYPE);
  // A wildcard accepts problem+json but does not request it.
  const asksForProblem = ranges.some(({ type, quality }) => type === PROBLEM_TYPE && quality > 0);
  return {
    refusesJson: json === 0 && problem === 0,
    errorForm: asksForProblem && problem >= json ? 'problem' : 'json',
  };
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice('q='.length));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** Whether an Accept-Encoding header allows gzip. An absent header does not: the client may lack gzip. */
export function admitsGzip(acceptEncoding: string | undefined): boolean {
  const codings = (acceptEncoding ?? '').split(',').map(parseRange);
  const named = codings.find(({ type }) => type === 'gzip' || type === 'x-gzip');
  return (named ?? codings.find(({ type }) => type === '*') ?? NOT_ADMITTED).quality > 0;
}

const NOT_ADMITTED: MediaRange = { type: '', quality: 0 };

/** The type that an Accept header prefers, the first of equals; undefined when it admits none. */
export function preferredType<Type extends string>(
  accept: string | undefined,
  types: readonly Type[],
): Type | undefined {
  if (accept === undefined) return types[0];
  const ranges = accept.split(',').map(parseRange);
  const best = Math.max(...types.map((type) => qualityOf(ranges, type)));
  return best === 0 ? undefined : types.find((type) => qualityOf(ranges, type) === best);
}

/** The most specific range that matches decides (RFC 9110, section 12.5.1). */
function qualityOf(ranges: readonly MediaRange[], type: string): number {
  for (const candidate of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((each) => each.type === candidate);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
