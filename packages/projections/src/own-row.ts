/** Rows of an application's own projections as stored JSON, which has no bigints. */

/** The only member of an object that stands for a bigint in the stored JSON of a row. */
const BIGINT = '$bigint';

export function encodeRow(row: unknown): string {
  return JSON.stringify(storable(row));
}

/**
 * A row as JSON has it. Throws a TypeError for what would read back as something else. Members that are
 * undefined are left out.
 */
export function storable(value: unknown, within: readonly Step[] = []): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return { [BIGINT]: String(value) };
    case 'number':
      if (Number.isFinite(value)) return value;
      throw notJson(String(value), within);
    case 'object':
      return value === null ? null : storableObject(value, within);
    default:
      throw notJson(typeof value, within);
  }
}

/** A member on the way to a value. */
interface Step {
  readonly of: object;
  readonly name: string;
}

function storableObject(value: object, within: readonly Step[]): unknown {
  if (within.some((step) => step.of === value)) throw notJson('a cycle', within);
  const member = (name: string, each: unknown) => storable(each, [...within, { of: value, name }]);
  // Also the gaps, which `map` leaves out.
  if (Array.isArray(value)) {
    return Array.from(value, (each, index) => member(String(index), each));
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw notJson(`a ${prototype.constructor?.name ?? 'class instance'}`, within);
  }
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => [name, member(name, each)] as const);
  const [first] = members;
  // In an array it cannot be taken for a bigint.
  if (first?.[0] === BIGINT && members.length === 1) return { [BIGINT]: [first[1]] };
  return Object.fromEntries(members);
}

function notJson(found: string, within: readonly Step[]): TypeError {
  const place = within.length === 0 ? '' : ` at ${within.map(({ name }) => name).join('.')}`;
  return new TypeError(`a row must be JSON, and may hold bigints: found ${found}${place}`);
}

export function decodeRow<Row>(body: string): Row {
  return JSON.parse(body, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, BIGINT)) return value;
    if (Object.keys(value).length !== 1) return value;
    const { [BIGINT]: held } = value as { readonly [BIGINT]: unknown };
    if (typeof held === 'string') return BigInt(held);
    return Array.isArray(held) ? { [BIGINT]: held[0] } : value;
  }) as Row;
}
