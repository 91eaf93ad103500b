/** A short mark of a command's content, to tell a repeat from another use of the same command id. */

/**
 * JSON with sorted keys, bigints as decimal strings and absent fields left out: equal values have
 * equal text, whatever the order in which they were built.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
  }
  return `{${fields.join(',')}}`;
}

/**
 * 64 bits as sixteen hex digits, from two FNV-like lanes over the UTF-16 units. It guards a caller
 * against its own mistakes, not against an attacker: whoever forges it only gets back the receipt
 * of a command of their own.
 */
export function fingerprint(text: string): string {
  let left = 0x811c9dc5;
  let right = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    left = Math.imul(left ^ unit, 0x01000193);
    right = Math.imul(right ^ unit, 0x85ebca6b);
    right = (right << 13) | (right >>> 19);
  }
  left ^= left >>> 16;
  right ^= right >>> 15;
  return hex(Math.imul(left, 0x7feb352d)) + hex(Math.imul(right, 0x846ca68b));
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
