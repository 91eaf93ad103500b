/** The values of fields as databases store and compare them: texts as hashes. */
import type { CollectionSpec, Condition, FieldValue } from '../read-model-store.ts';
import { hash64 } from './hash64.ts';

/** Throws a RangeError for a value that the field cannot hold. */
export function storedValue(
  spec: CollectionSpec,
  field: string,
  value: FieldValue | null | undefined,
): bigint | number | null {
  if (value === null || value === undefined) return null;
  if (spec.fields?.[field] === 'text') {
    if (typeof value === 'string') return hash64(value);
  } else if (Number.isSafeInteger(value)) {
    return value as number;
  }
  throw new RangeError(`${spec.name}.${field} cannot hold ${JSON.stringify(value)}`);
}

/** One condition of a walk, ready for SQL. */
export interface Term {
  readonly field: string;
  readonly column: string;
  /** Without those that no document could have, and each once. */
  readonly values: readonly (bigint | number | string)[];
  /** Whether an index of it can lead the walk. */
  readonly mayLead: boolean;
}

export function termOf(
  spec: CollectionSpec,
  { field, anyOf }: Condition,
  columnOf: (field: string) => string,
): Term {
  const texts = anyOf.filter((value) => typeof value === 'string');
  if (field === 'key') return { field, column: 'key', values: texts, mayLead: true };
  const kind = spec.fields?.[field];
  if (kind === undefined) throw new RangeError(`${spec.name} cannot be walked by ${field}`);
  const values =
    kind === 'text' ? texts.map(hash64) : anyOf.filter((value) => Number.isSafeInteger(value));
  return {
    field,
    column: columnOf(field),
    values: [...new Set<bigint | FieldValue>(values)],
    mayLead: kind !== 'stored' && kind !== 'range',
  };
}
