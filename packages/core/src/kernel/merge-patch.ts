/** JSON merge patch: how a partial document changes another (RFC 7396). */

/**
 * The target with the patch applied (RFC 7396, section 2). Null removes a member; an array, text or number
 * replaces what was there as a whole. Neither argument is changed. A member that is undefined is absent.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  // Not by assignment: a member `__proto__` stays one.
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
