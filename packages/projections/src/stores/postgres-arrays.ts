/** Columns of texts and integers in PostgreSQL's binary format, and texts without NUL. */

const TEXT = 25;
const INT8 = 20;
/** Dimensions, a flag for nulls, the type, the length and the first index. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
const INT8_BYTES = 8;

/** PostgreSQL cannot store NUL. The escapes keep order and prefixes. */
const NUL = '\0';
const ESCAPE = '\u0001';
const ESCAPED_NUL = `${ESCAPE}${ESCAPE}`;
const ESCAPED_ESCAPE = `${ESCAPE}\u0002`;

/** A text as it is stored. */
export function escaped(text: string): string {
  if (!text.includes(NUL) && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll(NUL, ESCAPED_NUL);
}

/** The text that was stored so. */
export function unescaped(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  let whole = '';
  for (let index = 0; index < text.length; index += 1) {
    const unit = text[index] as string;
    if (unit !== ESCAPE) whole += unit;
    else {
      index += 1;
      whole += text[index] === ESCAPE ? NUL : ESCAPE;
    }
  }
  return whole;
}

/** A `text[]` parameter, without the quoting and parsing of its text format. */
export function textArray(texts: readonly string[]): Buffer {
  const safe = texts.map(escaped);
  let bytes = HEADER_BYTES;
  for (const text of safe) bytes += LENGTH_BYTES + Buffer.byteLength(text);
  const buffer = Buffer.allocUnsafe(bytes);
  let at = writeHeader(buffer, { type: TEXT, length: safe.length, hasNulls: false });
  for (const text of safe) {
    const written = buffer.write(text, at + LENGTH_BYTES);
    buffer.writeInt32BE(written, at);
    at += LENGTH_BYTES + written;
  }
  return buffer;
}

/** An `int8[]` parameter. */
export function integerArray(values: readonly (bigint | number | null)[]): Buffer {
  const hasNulls = values.includes(null);
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + INT8_BYTES));
  let at = writeHeader(buffer, { type: INT8, length: values.length, hasNulls });
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : INT8_BYTES, at);
    if (value !== null) at = buffer.writeBigInt64BE(BigInt(value), at);
  }
  return buffer.subarray(0, at);
}

interface Header {
  readonly type: number;
  readonly length: number;
  readonly hasNulls: boolean;
}

/** Returns where the elements begin. */
function writeHeader(buffer: Buffer, { type, length, hasNulls }: Header): number {
  let at = buffer.writeInt32BE(1, 0);
  at = buffer.writeInt32BE(hasNulls ? 1 : 0, at);
  at = buffer.writeInt32BE(type, at);
  at = buffer.writeInt32BE(length, at);
  return buffer.writeInt32BE(1, at);
}
