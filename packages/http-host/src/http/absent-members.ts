/** In a request, `null` for an optional member means absent: serializers of many languages send it. */

import { definitionOf, partsOf } from '@counterfoil/engine/input';
import type { z } from 'zod';

/** The members below a value where null means absent. */
interface Plan {
  readonly members?: ReadonlyMap<string, Member>;
  readonly elements?: Plan;
}

interface Member {
  readonly nullIsAbsent: boolean;
  readonly plan: Plan;
}

const NOTHING: Plan = {};
const plans = new WeakMap<z.core.$ZodType, Plan>();

/**
 * Removes null members that the schema declares optional, in nested objects and lists of objects
 * too. A nullable member keeps its null. The given value is not changed.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  return without(value, planOf(schema));
}

function without(value: unknown, plan: Plan): unknown {
  if (plan === NOTHING || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { elements = NOTHING } = plan;
    return elements === NOTHING ? value : value.map((each) => without(each, elements));
  }
  const { members } = plan;
  if (members === undefined) return value;
  return withoutIn(value as Readonly<Record<string, unknown>>, members);
}

/** Most bodies have nothing to remove: those are not copied. */
function withoutIn(
  value: Readonly<Record<string, unknown>>,
  members: ReadonlyMap<string, Member>,
): Readonly<Record<string, unknown>> {
  let kept: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const member = members.get(name);
    if (member === undefined) continue;
    const each = value[name];
    const isAbsent = each === null && member.nullIsAbsent;
    const inside = isAbsent ? undefined : without(each, member.plan);
    if (!isAbsent && inside === each) continue;
    kept ??= { ...value };
    if (isAbsent) delete kept[name];
    else kept[name] = inside;
  }
  return kept ?? value;
}

function planOf(schema: z.core.$ZodType): Plan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = made(schema);
  plans.set(schema, plan);
  return plan;
}

function made(schema: z.core.$ZodType): Plan {
  const def = definitionOf(schema);
  if (def.type === 'object') {
    const members = Object.entries(def.shape).map(
      ([name, each]) => [name, { nullIsAbsent: isOptional(each), plan: planOf(each) }] as const,
    );
    return { members: new Map(members) };
  }
  if (def.type === 'array') {
    const elements = planOf(def.element);
    return elements === NOTHING ? NOTHING : { elements };
  }
  // A wrapping schema adds no path step. Any option of a union may apply.
  const isPlace = def.type === 'record' || def.type === 'tuple';
  return isPlace
    ? NOTHING
    : partsOf(def)
        .map(([, part]) => planOf(part))
        .reduce(joined, NOTHING);
}

/** A member that two options declare keeps its null only if one of them allows null. */
function joined(one: Plan, other: Plan): Plan {
  if (one === NOTHING) return other;
  if (other === NOTHING) return one;
  const members = new Map(one.members);
  for (const [name, member] of other.members ?? []) {
    const known = members.get(name);
    const nullIsAbsent = member.nullIsAbsent && known?.nullIsAbsent !== false;
    const plan = known === undefined ? member.plan : joined(known.plan, member.plan);
    members.set(name, { nullIsAbsent, plan });
  }
  const elements = joined(one.elements ?? NOTHING, other.elements ?? NOTHING);
  return { members, elements };
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema._zod.optin !== undefined && !(schema as z.ZodType).safeParse(null).success;
}
