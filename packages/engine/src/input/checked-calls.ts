/** Checks what callers of the face pass, before anything else is done. */
import type { z } from 'zod';
import { type InputFault, refused } from '../refusal.ts';
import { cardNumbersIn, isShown } from './card-number-search.ts';
import { wordsOf } from './issue-words.ts';

/** Longer lists do not help, and would let a small call cause a large refusal. */
const MAX_REPORTED_FAULTS = 50;

type Issue = z.core.$ZodIssue;

type Call = (...given: never[]) => Promise<unknown>;

/** A schema for each argument of each asynchronous method. */
export type CallInputs<Slice> = {
  readonly [Name in keyof Slice as Slice[Name] extends Call ? Name : never]: Slice[Name] extends (
    ...given: infer Given
  ) => unknown
    ? { readonly [Index in keyof Given]-?: z.ZodType<Given[Index] | undefined> }
    : never;
};

/**
 * The slice, whose calls are refused with `InputInvalid` where an argument does not fit its schema. Calls
 * within the slice are not checked.
 */
export function checkedCalls<Slice extends object>(slice: Slice, inputs: CallInputs<Slice>): Slice {
  const all: Record<string, readonly z.ZodType[]> = inputs;
  return new Proxy(slice, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name in Object.prototype) return member;
      const schemas = Object.hasOwn(all, name) ? all[String(name)] : undefined;
      // Private fields are those of the target.
      if (schemas === undefined) return member.bind(target);
      return async (...given: unknown[]) => member.apply(target, argumentsOf(schemas, given));
    },
  });
}

/** The parsed input. Refuses with `InputInvalid`. */
export function inputOf<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const read = schema.safeParse(given, { error: wordsOf });
  if (!read.success) throw refused({ type: 'InputInvalid', faults: faultsOf(read.error.issues) });
  const places = cardNumbersIn([{ schema, value: read.data }]);
  if (places.length === 0) return read.data;
  const faults = places.map(({ path }) => faultAt(path, 'must not hold a card number'));
  throw refused({ type: 'InputInvalid', faults: faults.slice(0, MAX_REPORTED_FAULTS) });
}

function argumentsOf(schemas: readonly z.ZodType[], given: readonly unknown[]): unknown[] {
  if (given.length > schemas.length) {
    const detail = `must be at most ${schemas.length}`;
    throw refused({ type: 'InputInvalid', faults: [{ path: 'arguments', detail }] });
  }
  return schemas.map((schema, index) => inputOf(schema, given[index]));
}

/** Of a schema that is read with `wordsOf`. */
export function faultsOf(issues: readonly Issue[]): InputFault[] {
  return issues.flatMap(faultsIn).slice(0, MAX_REPORTED_FAULTS);
}

function faultsIn(issue: Issue): InputFault[] {
  const { code, path } = issue;
  if (code === 'unrecognized_keys') {
    return issue.keys.map((name) => faultAt([...path, name], 'is not known'));
  }
  const within = code === 'invalid_union' ? likeliest(issue) : undefined;
  if (within === undefined) return [faultAt(path, issue.message)];
  return within.flatMap((each) => faultsIn({ ...each, path: [...path, ...each.path] }));
}

/** The option of a union that fits best, if one matches at least by type. */
export function likeliest({ errors }: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  const [best] = errors
    .filter((issues) =>
      issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
    )
    .toSorted((a, b) => a.length - b.length);
  return best;
}

/** `plans/0/name`. Below a name that must not be shown, only the place of that name is reported. */
function faultAt(path: readonly PropertyKey[], detail: string): InputFault {
  const hidden = path.findIndex((step) => typeof step === 'string' && !isShown(step));
  return { path: (hidden < 0 ? path : path.slice(0, hidden)).map(String).join('/'), detail };
}
