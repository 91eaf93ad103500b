/** Arrays in PostgreSQL's binary format: texts need no quoting. */

const INT4 = 23;
const INT8 = 20;
const TEXT = 25;
/** Dimensions, whether there are nulls, the elements' type, length, lower bound: 4 bytes each. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

export function int4Array(values: readonly number[]): Buffer {
  const bytes = arrayOf(INT4, values.length, values.length * (LENGTH_BYTES + 4));
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(4, at);
    at = bytes.writeInt32BE(value, at);
  }
  return bytes;
}

export function int8Array(values: readonly number[]): Buffer {
  const bytes = arrayOf(INT8, values.length, values.length * (LENGTH_BYTES + 8));
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(8, at);
    at = bytes.writeBigInt64BE(BigInt(value), at);
  }
  return bytes;
}

/** UTF-8, as the connection speaks it. */
export function textArray(values: readonly string[]): Buffer {
  const lengths = values.map((value) => Buffer.byteLength(value));
  const total = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, 0);
  const bytes = arrayOf(TEXT, values.length, total);
  let at = HEADER_BYTES;
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? 0, at);
    at += bytes.write(value, at);
  }
  return bytes;
}

function arrayOf(type: number, length: number, elementBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + elementBytes);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeInt32BE(type, 8);
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}
