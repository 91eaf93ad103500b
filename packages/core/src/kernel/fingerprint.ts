/** A short hash of a command's content, to distinguish a repeat from another use of the same command id. */

/**
 * JSON with sorted keys, bigints as decimal strings and absent fields left out: equal values have
 * equal text, whatever the order in which they were built.
 */
export function canonicalJson(value: unknown): string {
  const text = new CanonicalText();
  writeCanonical(value, text);
  return text.written;
}

/**
 * 64 bits as sixteen hex digits, from two FNV-like lanes over the UTF-16 units. It guards a caller
 * against its own mistakes, not against an attacker: a forged one only returns the receipt of the
 * attacker's own command.
 */
export function fingerprint(text: string): string {
  const lanes = new Lanes();
  lanes.write(text);
  return lanes.mark();
}

/** The fingerprint of a value's canonical JSON, without making that text first. */
export function fingerprintOf(value: unknown): string {
  const lanes = new Lanes();
  writeCanonical(value, lanes);
  return lanes.mark();
}

/** Takes the canonical text in parts. */
interface Writer {
  write(part: string): void;
  /** Takes a text as JSON writes it, in quotes. */
  writeString(text: string): void;
}

function writeCanonical(value: unknown, to: Writer): void {
  if (typeof value === 'string') to.writeString(value);
  else if (typeof value === 'bigint') to.writeString(value.toString());
  // As JSON writes them, in a tenth of the time.
  else if (typeof value === 'number') to.write(Number.isFinite(value) ? `${value}` : 'null');
  else if (typeof value === 'boolean') to.write(value ? 'true' : 'false');
  else if (typeof value !== 'object' || value === null) to.write('null');
  else if (Array.isArray(value)) writeElements(value, to);
  else writeFields(value as Record<string, unknown>, to);
}

function writeElements(elements: readonly unknown[], to: Writer): void {
  let before = '[';
  for (const element of elements) {
    to.write(before);
    writeCanonical(element, to);
    before = ',';
  }
  to.write(before === '[' ? '[]' : ']');
}

function writeFields(fields: Record<string, unknown>, to: Writer): void {
  let before = '{';
  for (const key of sortedKeys(fields)) {
    const field = fields[key];
    if (field === undefined) continue;
    to.write(before);
    to.writeString(key);
    to.write(':');
    writeCanonical(field, to);
    before = ',';
  }
  to.write(before === '{' ? '{}' : '}');
}

/** The keys of an object as it has them, and in the order in which they are written. */
interface Layout {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
}

/**
 * Known layouts by their first key. Nearly all objects are made in few places, and sorting their keys
 * each time would be a quarter of the work.
 */
const layouts = new Map<string, Layout[]>();
const MAX_FIRST_KEYS = 500;
const MAX_LAYOUTS_OF_ONE = 50;

function sortedKeys(object: Record<string, unknown>): readonly string[] {
  const keys = Object.keys(object);
  const [first] = keys;
  if (first === undefined) return keys;
  const alike = layouts.get(first) ?? [];
  for (const layout of alike) if (areSame(layout.keys, keys)) return layout.sorted;
  if (alike.length === 0 || alike.length === MAX_LAYOUTS_OF_ONE) {
    if (layouts.size === MAX_FIRST_KEYS) layouts.clear();
    layouts.set(first, []);
  }
  const sorted = keys.toSorted();
  layouts.get(first)?.push({ keys, sorted });
  return sorted;
}

function areSame(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}

class CanonicalText implements Writer {
  written = '';

  write(part: string): void {
    this.written += part;
  }

  writeString(text: string): void {
    this.written += JSON.stringify(text);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

class Lanes implements Writer {
  #left = 0x811c9dc5;
  #right = 0x9e3779b9;

  write(part: string): void {
    let left = this.#left;
    let right = this.#right;
    for (let index = 0; index < part.length; index += 1) {
      const unit = part.charCodeAt(index);
      left = leftAfter(left, unit);
      right = rightAfter(right, unit);
    }
    this.#left = left;
    this.#right = right;
  }

  /** In one pass; starts again at the first character that JSON would escape. */
  writeString(text: string): void {
    let left = leftAfter(this.#left, QUOTE);
    let right = rightAfter(this.#right, QUOTE);
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (isEscaped(unit)) {
        this.write(JSON.stringify(text));
        return;
      }
      left = leftAfter(left, unit);
      right = rightAfter(right, unit);
    }
    this.#left = leftAfter(left, QUOTE);
    this.#right = rightAfter(right, QUOTE);
  }

  mark(): string {
    const left = this.#left ^ (this.#left >>> 16);
    const right = this.#right ^ (this.#right >>> 15);
    return hex(Math.imul(left, 0x7feb352d)) + hex(Math.imul(right, 0x846ca68b));
  }
}

function leftAfter(left: number, unit: number): number {
  return Math.imul(left ^ unit, 0x01000193);
}

function rightAfter(right: number, unit: number): number {
  const mixed = Math.imul(right ^ unit, 0x85ebca6b);
  return (mixed << 13) | (mixed >>> 19);
}

/** An unpaired surrogate, which JSON escapes. */
function isEscaped(unit: number): boolean {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return unit < FIRST_PRINTABLE || unit === QUOTE || unit === BACKSLASH || isSurrogate;
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(word: number): string {
  const high = `${BYTES[word >>> 24]}${BYTES[(word >>> 16) & 0xff]}`;
  return `${high}${BYTES[(word >>> 8) & 0xff]}${BYTES[word & 0xff]}`;
}
