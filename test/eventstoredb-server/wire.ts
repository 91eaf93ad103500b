// Protocol-buffer messages, read and written by field number. The generated code of the two clients
// cannot be used here: both keep their classes in one global object, and the second to be loaded
// overwrites the first. A server that loaded either would change the client that it is to test.

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const CONTINUES = 0x80;
const SEVEN_BITS = 0x7f;
/** Varints of so many bits stay exact as numbers; longer ones are put together as bigints. */
const NUMBER_BITS = 49;
const FIRST_CAPACITY = 128;

type Value = bigint | Buffer;

/** A received message. A field that is absent reads as the zero of its type, as in proto3. */
export class Fields {
  readonly #values: (Value[] | undefined)[] = [];

  constructor(bytes: Buffer) {
    let at = 0;
    const varint = (): bigint => {
      const start = at;
      while (((bytes[at++] ?? 0) & CONTINUES) !== 0);
      if (at > bytes.length) throw new RangeError('The message ends within a number.');
      return varintOf(bytes, start, at);
    };
    const take = (length: number): Buffer => {
      if (at + length > bytes.length) throw new RangeError('The message ends within a field.');
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = Number(varint());
      const field = tag >>> 3;
      switch (tag & 7) {
        case VARINT:
          this.#keep(field, varint());
          break;
        case LENGTH_DELIMITED:
          this.#keep(field, take(Number(varint())));
          break;
        case FIXED_64:
          this.#keep(field, take(8));
          break;
        case FIXED_32:
          this.#keep(field, take(4));
          break;
        default:
          throw new RangeError(`Field ${field} is of a kind that is not known.`);
      }
    }
  }

  has(field: number): boolean {
    return this.#values[field] !== undefined;
  }

  unsigned(field: number): bigint {
    const value = this.#values[field]?.at(-1);
    return typeof value === 'bigint' ? value : 0n;
  }

  number(field: number): number {
    return Number(this.unsigned(field));
  }

  flag(field: number): boolean {
    return this.unsigned(field) !== 0n;
  }

  bytes(field: number): Buffer {
    return this.all(field).at(-1) ?? Buffer.alloc(0);
  }

  text(field: number): string {
    return this.bytes(field).toString('utf8');
  }

  message(field: number): Fields | undefined {
    return this.has(field) ? new Fields(this.bytes(field)) : undefined;
  }

  /** Every value of a repeated field of texts, bytes or messages. */
  all(field: number): readonly Buffer[] {
    const values = this.#values[field] ?? [];
    return values.filter((value) => typeof value !== 'bigint');
  }

  #keep(field: number, value: Value): void {
    const values = this.#values[field];
    if (values === undefined) this.#values[field] = [value];
    else values.push(value);
  }
}

function varintOf(bytes: Buffer, start: number, end: number): bigint {
  if ((end - start) * 7 <= NUMBER_BITS) {
    let value = 0;
    for (let at = end - 1; at >= start; at -= 1)
      value = value * 128 + ((bytes[at] ?? 0) & SEVEN_BITS);
    return BigInt(value);
  }
  let value = 0n;
  for (let at = end - 1; at >= start; at -= 1) {
    value = (value << 7n) | BigInt((bytes[at] ?? 0) & SEVEN_BITS);
  }
  return BigInt.asUintN(64, value);
}

/** A message to be sent. Zeros are written too: in a choice of fields their presence counts. */
export class Message {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  unsigned(field: number, value: bigint | number): this {
    this.#varint((field << 3) | VARINT);
    this.#varint(value);
    return this;
  }

  signed(field: number, value: bigint): this {
    return this.unsigned(field, BigInt.asUintN(64, value));
  }

  flag(field: number, value: boolean): this {
    return this.unsigned(field, value ? 1 : 0);
  }

  text(field: number, value: string): this {
    const length = Buffer.byteLength(value);
    this.#varint((field << 3) | LENGTH_DELIMITED);
    this.#varint(length);
    this.#reserve(length);
    this.#bytes.write(value, this.#length, 'utf8');
    this.#length += length;
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#varint((field << 3) | LENGTH_DELIMITED);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.written());
  }

  /** A message without content, where its presence says all. */
  empty(field: number): this {
    return this.bytes(field, new Uint8Array(0));
  }

  encode(): Buffer {
    return Buffer.from(this.written());
  }

  /** The bytes so far, in place. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #varint(value: bigint | number): void {
    this.#reserve(10);
    let rest = value;
    if (typeof rest === 'bigint' && rest <= BigInt(Number.MAX_SAFE_INTEGER)) rest = Number(rest);
    while (typeof rest === 'bigint' && rest > BigInt(SEVEN_BITS)) {
      this.#bytes[this.#length++] = Number(rest & BigInt(SEVEN_BITS)) | CONTINUES;
      rest >>= 7n;
    }
    let last = Number(rest);
    while (last > SEVEN_BITS) {
      this.#bytes[this.#length++] = (last % 128) | CONTINUES;
      last = Math.floor(last / 128);
    }
    this.#bytes[this.#length++] = last;
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
