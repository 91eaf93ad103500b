/** What is wrong with an input, in words. */
import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  date: 'must be a day such as 2026-02-28',
  datetime: 'must be a date and time with an offset, such as 2026-02-28T12:00:00Z',
  ipv4: 'must be an IP address',
  ipv6: 'must be an IP address',
  starts_with: 'has another beginning than it must have',
};

/** Maps a zod issue to the end of a sentence that begins with the member's name. */
export function wordsOf(issue: RawIssue): string {
  const { input } = issue;
  const isElement = typeof issue.path?.at(-1) === 'number';
  if (input === undefined || (input === null && !isElement)) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[typeOf(issue)] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return smallest(issue);
    case 'too_big':
      return largest(issue);
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has another form than it must have';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      // Of a record: why the name is none that it may have.
      return issue.issues[0]?.message ?? 'is not valid';
    case 'invalid_union':
      return 'has none of the forms that it may have';
    default:
      return 'is not valid';
  }
}

/** zod reports a number first for an integer. */
function typeOf({ expected, inst }: RawIssue & { code: 'invalid_type' }): string {
  const format = (inst as z.core.$ZodNumber | undefined)?._zod.def;
  return format !== undefined && 'format' in format ? 'int' : expected;
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'elements' };

function smallest({ origin, minimum, inclusive }: RawIssue & { code: 'too_small' }): string {
  const unit = UNITS[origin];
  if (unit !== undefined) {
    return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${minimum} ${unit}`;
  }
  return inclusive === false ? `must be greater than ${minimum}` : `must be at least ${minimum}`;
}

function largest({ origin, maximum, inclusive }: RawIssue & { code: 'too_big' }): string {
  const unit = UNITS[origin];
  if (unit !== undefined) return `must have at most ${maximum} ${unit}`;
  return inclusive === false ? `must be less than ${maximum}` : `must be at most ${maximum}`;
}
