/** Validation errors in the words of the contract: where, and what is expected. */

import { isShown, likeliest, MAX_NAME_LENGTH, wordsOf } from '@counterfoil/engine/input';
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import type { ErrorDetail } from './errors.ts';
import { knownNames } from './input-schema.ts';

/** The part of a request that an error is about. */
export type Part = NonNullable<ErrorDetail['in']>;

/** Longer lists do not help, and would let a small request cause a large response. */
export const MAX_REPORTED_ERRORS = 50;

type Issue = z.core.$ZodIssue;

interface Place {
  readonly schema: z.core.$ZodType;
  readonly part: Part;
}

export interface Read {
  /** The parsed input; undefined where it is invalid. */
  readonly data?: unknown;
  readonly errors: readonly ErrorDetail[];
}

/** Validates an input. The messages of schemas are ends of sentences. */
export function readInput(schema: z.ZodType, input: unknown, part: Part): Read {
  const read = schema.safeParse(input, { error: part === 'query' ? wordsOfQuery : wordsOf });
  if (read.success) return { data: read.data, errors: [] };
  const errors = read.error.issues.flatMap((issue) => detailsOf(issue, { schema, part }));
  return { errors: errors.slice(0, MAX_REPORTED_ERRORS) };
}

/** The errors of all parts of a request, at most `MAX_REPORTED_ERRORS`. */
export function allErrors(...reads: readonly Read[]): ErrorDetail[] {
  return reads.flatMap(({ errors }) => errors).slice(0, MAX_REPORTED_ERRORS);
}

function detailsOf(issue: Issue, { schema, part }: Place): ErrorDetail[] {
  const base = part === 'body' ? '' : `/${part}`;
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames(schema, issue.path);
    return issue.keys.slice(0, MAX_REPORTED_ERRORS).map((name) => ({
      in: part,
      pointer: base + pointerOf([...issue.path, ...(isShown(name) ? [name] : [])]),
      detail: unknownName(name, known),
    }));
  }
  if (issue.code === 'invalid_union') {
    const within = likeliest(issue);
    if (within !== undefined) {
      return within.flatMap((each) =>
        detailsOf({ ...each, path: [...issue.path, ...each.path] }, { schema, part }),
      );
    }
  }
  const words = issue.code === 'invalid_union' ? commonWords(issue) : undefined;
  return [detailAt(issue.path, { part, words: words ?? issue.message })];
}

/** The error at a path: `words` end a sentence that begins with its name. */
export function detailAt(
  path: readonly PropertyKey[],
  { part, words }: { readonly part: Part; readonly words: string },
): ErrorDetail {
  // Below a name that must not be shown, only the place of that name is reported.
  const hidden = path.findIndex((step) => typeof step === 'string' && !isShown(step));
  const shown = hidden < 0 ? path : path.slice(0, hidden);
  const base = part === 'body' ? '' : `/${part}`;
  return { in: part, pointer: base + pointerOf(shown), detail: `${nameOf(shown, part)} ${words}` };
}

interface Faults {
  readonly faults: readonly { readonly path: string; readonly detail: string }[];
}

/** The errors of an input that the engine refuses: `plans/0/name`, `is not known`. */
export function errorsOf({ faults }: Faults): ErrorDetail[] {
  return faults.map(({ path, detail: words }) => {
    const steps = path === '' ? [] : path.split('/').map(stepOf);
    const { pointer, detail } = detailAt(steps, { part: 'body', words });
    return { pointer, detail };
  });
}

function stepOf(step: string): PropertyKey {
  return /^\d+$/.test(step) ? Number(step) : step;
}

/** A suggestion may differ in one letter of three. */
const LETTERS_A_SLIP = 3;

/** `Amount is not known; did you mean amount?` */
export function unknownName(name: string, known: readonly string[]): string {
  if (name.length > MAX_NAME_LENGTH) return 'A name is not known, and too long to be shown';
  if (!isShown(name)) return 'A name is not known, and not shown: it holds a card number';
  const lower = name.toLowerCase();
  const [nearest] = known
    .map((each) => ({ each, slips: distance(each.toLowerCase(), lower) }))
    .filter(({ each, slips }) => slips <= each.length / LETTERS_A_SLIP)
    .sort((a, b) => a.slips - b.slips);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest.each}?`;
  return `${name} is not known${hint}`;
}

/** The message that all options of a union share, if there is one. */
function commonWords({ errors }: z.core.$ZodIssueInvalidUnion): string | undefined {
  const words = new Set(errors.flatMap((issues) => issues.map(({ message }) => message)));
  return words.size === 1 ? [...words][0] : undefined;
}

/** `tags[1]` of `/more/tags/1`: the last name of a path, and what follows it. */
function nameOf(path: readonly PropertyKey[], part: Part): string {
  const last = path.findLastIndex((step) => typeof step === 'string');
  if (last < 0 && path.length === 0) return part === 'body' ? 'The body' : `The ${part}`;
  const name = last < 0 ? 'The body' : String(path[last]);
  return (
    name +
    path
      .slice(last + 1)
      .map((index) => `[${String(index)}]`)
      .join('')
  );
}

/** A path as a JSON Pointer (RFC 6901). */
function pointerOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** A repeated name is parsed as a list. */
function wordsOfQuery(issue: z.core.$ZodRawIssue): string {
  const isRepeated = issue.code === 'invalid_type' && Array.isArray(issue.input);
  return isRepeated ? 'must be given once' : wordsOf(issue);
}
