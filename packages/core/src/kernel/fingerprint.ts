/** A short mark of a command's content, to tell a repeat from another use of the same command id. */

/**
 * JSON with sorted keys, bigints as decimal strings and absent fields left out: equal values have
 * equal text, whatever the order in which they were built.
 */
export function canonicalJson(value: unknown): string {
  let text = '';
  writeCanonical(value, (part) => {
    text += part;
  });
  return text;
}

/** What JSON writes otherwise than it stands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Hands the canonical text on in parts, so that nobody has to put it together who does not want it. */
function writeCanonical(value: unknown, write: (part: string) => void): void {
  if (typeof value === 'string') writeString(value, write);
  else if (typeof value === 'bigint') writeString(value.toString(), write);
  else if (typeof value !== 'object' || value === null) write(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) {
    write('[');
    for (const [index, element] of value.entries()) {
      if (index > 0) write(',');
      writeCanonical(element, write);
    }
    write(']');
  } else writeFields(value as Record<string, unknown>, write);
}

function writeFields(fields: Record<string, unknown>, write: (part: string) => void): void {
  let before = '{';
  for (const key of Object.keys(fields).sort()) {
    const field = fields[key];
    if (field === undefined) continue;
    write(before);
    writeString(key, write);
    write(':');
    writeCanonical(field, write);
    before = ',';
  }
  write(before === '{' ? '{}' : '}');
}

function writeString(text: string, write: (part: string) => void): void {
  if (ESCAPED.test(text)) return write(JSON.stringify(text));
  write('"');
  write(text);
  write('"');
}

/**
 * 64 bits as sixteen hex digits, from two FNV-like lanes over the UTF-16 units. It guards a caller
 * against its own mistakes, not against an attacker: whoever forges it only gets back the receipt
 * of a command of their own.
 */
export function fingerprint(text: string): string {
  const lanes = new Lanes();
  lanes.add(text);
  return lanes.mark();
}

/** The fingerprint of a value's canonical JSON, without making that text first. */
export function fingerprintOf(value: unknown): string {
  const lanes = new Lanes();
  writeCanonical(value, (part) => lanes.add(part));
  return lanes.mark();
}

class Lanes {
  #left = 0x811c9dc5;
  #right = 0x9e3779b9;

  add(text: string): void {
    let left = this.#left;
    let right = this.#right;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      left = Math.imul(left ^ unit, 0x01000193);
      right = Math.imul(right ^ unit, 0x85ebca6b);
      right = (right << 13) | (right >>> 19);
    }
    this.#left = left;
    this.#right = right;
  }

  mark(): string {
    const left = this.#left ^ (this.#left >>> 16);
    const right = this.#right ^ (this.#right >>> 15);
    return hex(Math.imul(left, 0x7feb352d)) + hex(Math.imul(right, 0x846ca68b));
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
