/** What the Accept headers allow: JSON at all, errors as problem+json, and content codings. */

export interface Acceptance {
  /** Neither application/json nor application/problem+json is acceptable. */
  readonly refusesJson: boolean;
  /** The media type of errors. */
  readonly errorForm: 'json' | 'problem';
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

const ANYTHING: Acceptance = { refusesJson: false, errorForm: 'json' };

const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 512;

const remembered = new Map<string, Acceptance>();

/** Reads an Accept header, quality values included. An absent one admits everything. */
export function acceptanceOf(accept: string | undefined): Acceptance {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return ANYTHING;
  const known = remembered.get(accept);
  if (known !== undefined) return known;
  const acceptance = parse(accept);
  remember(remembered, accept, acceptance);
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

/** The content codings that responses may have, the preferred of equals first. */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

export interface AcceptedCoding {
  /** Undefined: without a coding. */
  readonly coding: Coding | undefined;
  /** A response without a coding is not acceptable. */
  readonly refusesIdentity: boolean;
}

const NO_CODING: AcceptedCoding = { coding: undefined, refusesIdentity: false };

const rememberedCodings = new Map<string, AcceptedCoding>();

/**
 * The coding that an Accept-Encoding header prefers. Without the header none is used: the client may
 * have none.
 */
export function codingOf(acceptEncoding: string | undefined): AcceptedCoding {
  if (acceptEncoding === undefined) return NO_CODING;
  const known = rememberedCodings.get(acceptEncoding);
  if (known !== undefined) return known;
  const accepted = parseCodings(acceptEncoding);
  remember(rememberedCodings, acceptEncoding, accepted);
  return accepted;
}

function parseCodings(acceptEncoding: string): AcceptedCoding {
  const ranges = acceptEncoding.split(',').map(parseRange);
  const named = (...names: string[]) => ranges.find(({ type }) => names.includes(type))?.quality;
  const others = named('*');
  const identity = named('identity');
  const refusesIdentity = (identity ?? others) === 0;
  const qualityOfCoding = (coding: Coding) =>
    (coding === 'gzip' ? named('gzip', 'x-gzip') : named(coding)) ?? others ?? 0;
  const best = Math.max(...CODINGS.map(qualityOfCoding));
  // Where it is not named, identity is the last choice.
  const isPreferred = best > 0 && best >= (identity ?? 0);
  const coding = CODINGS.find((each) => isPreferred && qualityOfCoding(each) === best);
  return { coding, refusesIdentity };
}

/** Callers send few distinct values; the bounds protect memory against a hostile one. */
function remember<Value>(values: Map<string, Value>, header: string, value: Value): void {
  if (header.length > MAX_REMEMBERED_LENGTH) return;
  if (values.size >= MAX_REMEMBERED) values.clear();
  values.set(header, value);
}

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
