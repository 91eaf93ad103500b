/** Makes input schemas strict, and finds patterns that are matched against unbounded input. */
import { type Definition, definitionOf, innerTypeOf, partsOf } from '@counterfoil/engine/input';
import { z } from 'zod';

const rebuilt = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/**
 * The same schema, but every object in it refuses unknown members, unless it declares what to do
 * with them (`z.looseObject`, `catchall`, `z.record`). Descriptions and component names are kept.
 */
export function strict<Schema extends z.ZodType>(schema: Schema): Schema {
  return strictOf(schema) as Schema;
}

function strictOf(schema: z.core.$ZodType): z.core.$ZodType {
  const known = rebuilt.get(schema);
  if (known !== undefined) return known;
  const definition = definitionOf(schema);
  const changes = changesOf(definition);
  const made =
    changes === undefined || isAsBefore(definition, changes)
      ? schema
      : withChanges(schema, changes);
  rebuilt.set(schema, made);
  return made;
}

function withChanges(schema: z.core.$ZodType, changes: object): z.core.$ZodType {
  const { constr, def } = schema._zod;
  const made: z.core.$ZodType = new constr(z.core.util.mergeDefs(def, changes));
  const meta = z.globalRegistry.get(schema);
  if (meta !== undefined) z.globalRegistry.add(made, meta);
  return made;
}

/** Whether the parts are what they were: most schemas around a text or a number. */
function isAsBefore(definition: Definition, changes: object): boolean {
  return Object.entries(changes).every(([name, changed]) => {
    const before = (definition as unknown as Record<string, unknown>)[name];
    if (!Array.isArray(changed) || !Array.isArray(before)) return changed === before;
    return changed.every((part, index) => part === before[index]);
  });
}

/** The changes to the definition that make it strict; undefined for a schema without parts. */
function changesOf(def: Definition): object | undefined {
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape).map(([name, each]) => [name, strictOf(each)]);
      return { shape: Object.fromEntries(members), catchall: def.catchall ?? z.never() };
    }
    case 'array':
      return { element: strictOf(def.element) };
    case 'union':
      return { options: def.options.map(strictOf) };
    case 'record':
      return { valueType: strictOf(def.valueType) };
    case 'tuple':
      return { items: def.items.map(strictOf), rest: def.rest && strictOf(def.rest) };
    case 'pipe':
      return { in: strictOf(def.in), out: strictOf(def.out) };
    case 'lazy':
      return { getter: () => strictOf(def.getter()) };
    case 'intersection':
      // Each side would refuse the members of the other.
      throw new Error('an intersection cannot be strict: write one object instead');
    default: {
      const innerType = innerTypeOf(def);
      return innerType && { innerType: strictOf(innerType) };
    }
  }
}

/**
 * Where a text of unbounded length would be matched against a pattern, as a path into the input. A
 * format such as `z.email()` is a pattern too, and is checked before a `max` that follows it.
 * Undefined when every length is checked first, and aborts.
 */
export function unboundedPattern(schema: z.core.$ZodType, path = ''): string | undefined {
  const def = definitionOf(schema);
  if (def.type === 'string') return isBounded(schema) ? undefined : path || '/';
  return partsOf(def)
    .map(([step, part]) => unboundedPattern(part, path + step))
    .find((fault) => fault !== undefined);
}

const LENGTH_CHECKS = new Set(['min_length', 'max_length', 'length_equals']);

function isBounded(schema: z.core.$ZodType): boolean {
  const own = schema._zod.traits.has('$ZodCheck') ? [schema as unknown as z.core.$ZodCheck] : [];
  for (const { _zod } of [...own, ...(schema._zod.def.checks ?? [])]) {
    const { check, abort } = _zod.def;
    if (!LENGTH_CHECKS.has(check)) return false;
    if (check !== 'min_length' && abort === true) return true;
  }
  return true;
}

/** Names of keys and secrets. */
const SECRET = /^(?:key|password|recoveryCodes|publishableKey)$|secret(?:Key|s)?$/i;
/** What is masked when it is read. */
const MASKED = '/gatewayCredentials';

/** The path of a member whose name says that it is a secret. */
export function secretMember(schema: z.core.$ZodType, path = ''): string | undefined {
  if (path.endsWith(MASKED)) return undefined;
  if (SECRET.test(path.slice(path.lastIndexOf('/') + 1))) return path;
  return partsOf(definitionOf(schema))
    .map(([step, part]) => secretMember(part, path + step))
    .find((found) => found !== undefined);
}

/** The member names that input may have at a path; none where any name is allowed. */
export function knownNames(
  schema: z.core.$ZodType,
  [step, ...rest]: readonly PropertyKey[],
): string[] {
  const def = definitionOf(schema);
  const isEnd = step === undefined;
  if (def.type === 'object') {
    if (isEnd) return Object.keys(def.shape);
    const member = def.shape[String(step)];
    return member === undefined ? [] : knownNames(member, rest);
  }
  const inside = partsOf(def).map(([, part]) => part);
  // A place within a list has a path step of its own; a wrapping schema has none.
  const isList = def.type === 'array' || def.type === 'tuple' || def.type === 'record';
  if (isList && isEnd) return [];
  const path = isList || isEnd ? rest : [step, ...rest];
  return [...new Set(inside.flatMap((part) => knownNames(part, path)))];
}
