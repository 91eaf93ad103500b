/** Reads zod schemas: their definitions and the schemas that they are made of. */
import type { z } from 'zod';

export type Definition = z.core.$ZodTypes['_zod']['def'];

export function definitionOf(schema: z.core.$ZodType): Definition {
  return (schema as z.core.$ZodTypes)._zod.def;
}

/** The schema that a wrapper such as `optional` is made of; undefined for any other schema. */
export function innerTypeOf(def: Definition): z.core.$ZodType | undefined {
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return def.innerType;
    default:
      return undefined;
  }
}

/** The parts of a schema, each with the path step that leads to it. */
export function partsOf(def: Definition): (readonly [step: string, part: z.core.$ZodType])[] {
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
    default: {
      const inner = innerTypeOf(def);
      return inner === undefined ? [] : [['', inner]];
    }
  }
}
