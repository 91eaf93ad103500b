/** Declared parameters of an endpoint: read from form values, unknown ones refused as Stripe does. */
import type { FormObject, FormValue } from './form.ts';
import { invalidRequest } from './refusal.ts';

export interface Field<T> {
  read(value: FormValue | undefined, name: string): T;
}
export type Shape = Readonly<Record<string, Field<unknown>>>;
export type ParamsOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never;
};

const MAX_METADATA_KEYS = 50;
const MAX_METADATA_KEY = 40;
const MAX_METADATA_VALUE = 500;
const MAX_STRING = 5_000;

export const text = textOf(MAX_STRING);

export function textOf(longest: number): Field<string | undefined> {
  return {
    read(value, name) {
      if (value === undefined) return undefined;
      if (typeof value !== 'string') throw invalid(name, 'Invalid string');
      if (value === '') throw emptied(name);
      if (value.length > longest) throw invalid(name, 'String is too long');
      return value;
    },
  };
}

export const integer: Field<number | undefined> = {
  read(value, name) {
    if (value === undefined) return undefined;
    if (value === '') throw emptied(name);
    if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) {
      throw invalid(name, `Invalid integer: ${String(value)}`, 'parameter_invalid_integer');
    }
    return Number(value);
  },
};

export const boolean: Field<boolean | undefined> = {
  read(value, name) {
    if (value === undefined) return undefined;
    if (value === 'true') return true;
    if (value === 'false') return false;
    throw invalid(name, `Invalid boolean: ${String(value)}`);
  },
};

/** Of metadata: an empty value unsets a key, an empty parameter all of them. */
export const metadata: Field<Record<string, string> | undefined> = {
  read(value, name) {
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string') throw invalid(name, 'Invalid object');
    const entries = Object.entries(value).map(([key, each]) => {
      if (typeof each !== 'string') throw invalid(`${name}[${key}]`, 'Invalid string');
      if (key.length > MAX_METADATA_KEY || each.length > MAX_METADATA_VALUE) {
        throw invalid(
          name,
          `Metadata keys are at most ${MAX_METADATA_KEY} characters, values ${MAX_METADATA_VALUE}`,
        );
      }
      return [key, each] as const;
    });
    if (entries.length > MAX_METADATA_KEYS) throw invalid(name, 'Metadata has more than 50 keys');
    return Object.fromEntries(entries);
  },
};

export function oneOf<const T extends string>(...values: readonly T[]): Field<T | undefined> {
  return {
    read(value, name) {
      if (value === undefined) return undefined;
      const found = values.find((each) => each === value);
      if (found === undefined) {
        throw invalid(name, `Invalid ${name}: must be one of ${values.join(', ')}`);
      }
      return found;
    },
  };
}

export function required<T>(field: Field<T | undefined>): Field<T> {
  return {
    read(value, name) {
      const read = field.read(value, name);
      if (read === undefined) {
        throw invalid(name, `Missing required param: ${name}.`, 'parameter_missing');
      }
      return read;
    },
  };
}

/** A parameter that an empty string unsets. */
export function emptyable<T>(field: Field<T>): Field<T | null> {
  return { read: (value, name) => (value === '' ? null : field.read(value, name)) };
}

export function either<A, B>(first: Field<A>, second: Field<B>): Field<A | B> {
  return {
    read(value, name) {
      try {
        return first.read(value, name);
      } catch {
        return second.read(value, name);
      }
    },
  };
}

export function list<T>(item: Field<T | undefined>): Field<readonly T[] | undefined> {
  const each = required(item);
  return {
    read(value, name) {
      if (value === undefined) return undefined;
      if (typeof value === 'string') throw invalid(name, 'Invalid array');
      return Object.entries(value).map(([key, entry]) => each.read(entry, `${name}[${key}]`));
    },
  };
}

export function object<S extends Shape>(shape: S): Field<ParamsOf<S> | undefined> {
  return {
    read(value, name) {
      if (value === undefined) return undefined;
      if (typeof value === 'string') throw invalid(name, 'Invalid object');
      return readParams(value, shape, name);
    },
  };
}

export function readParams<S extends Shape>(form: FormObject, shape: S, parent = ''): ParamsOf<S> {
  const named = (key: string) => (parent === '' ? key : `${parent}[${key}]`);
  const unknown = Object.keys(form).filter((key) => !Object.hasOwn(shape, key));
  if (unknown[0] !== undefined) {
    const plural = unknown.length > 1 ? 's' : '';
    throw invalid(
      named(unknown[0]),
      `Received unknown parameter${plural}: ${unknown.map(named).join(', ')}`,
      'parameter_unknown',
    );
  }
  return Object.fromEntries(
    Object.entries(shape).map(([key, field]) => [key, field.read(form[key], named(key))]),
  ) as ParamsOf<S>;
}

function invalid(param: string, message: string, code?: string) {
  return invalidRequest(message, code === undefined ? { param } : { param, code });
}

function emptied(name: string) {
  return invalid(
    name,
    `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`,
    'parameter_invalid_empty',
  );
}
