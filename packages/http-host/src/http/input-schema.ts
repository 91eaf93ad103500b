/** What the schemas of an endpoint's input must keep to: lengths are judged before patterns. */
import type { z } from 'zod';

type Definition = z.core.$ZodTypes['_zod']['def'];

function definitionOf(schema: z.core.$ZodType): Definition {
  return (schema as z.core.$ZodTypes)._zod.def;
}

/**
 * Where a text of any length would be held against a pattern, as a path into the input. A format
 * such as `z.email()` is a pattern too, and comes before a `max` that follows it. Undefined when
 * lengths are judged first everywhere, and what is too long is looked at no further.
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

/** The schemas of which one is made, each with the step that leads to what it judges. */
function partsOf(def: Definition): (readonly [step: string, part: z.core.$ZodType])[] {
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).map(([name, each]) => [`/${name}`, each]);
    case 'array':
      return [['/*', def.element]];
    case 'record':
      return [
        ['/*', def.keyType],
        ['/*', def.valueType],
      ];
    case 'tuple':
      return def.items.map((each, index) => [`/${index}`, each]);
    case 'union':
      return def.options.map((each) => ['', each]);
    case 'pipe':
      return [
        ['', def.in],
        ['', def.out],
      ];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return [['', def.innerType]];
    default:
      return [];
  }
}
