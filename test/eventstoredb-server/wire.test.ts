// The messages of the wire: what is written is read back, and what is cut short is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeEvent, withStructuredId } from './event-message.ts';
import { structuredUuid, textUuid, uuidOf } from './messages.ts';
import { Fields, Message } from './wire.ts';

const number64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

describe('a message', () => {
  test('survives a round trip', () => {
    fc.assert(
      fc.property(
        number64,
        fc.string(),
        fc.uint8Array(),
        fc.boolean(),
        (number, text, bytes, flag) => {
          const inner = new Message().text(1, text).text(1, 'last');
          const fields = new Fields(
            new Message()
              .unsigned(1, number)
              .text(2, text)
              .bytes(16, bytes)
              .flag(300, flag)
              .message(4, inner)
              .empty(5)
              .encode(),
          );
          expect(fields.unsigned(1)).toBe(number);
          expect(fields.text(2)).toBe(Buffer.from(text).toString());
          expect(Uint8Array.from(fields.bytes(16))).toEqual(bytes);
          expect(fields.flag(300)).toBe(flag);
          expect(fields.message(4)?.all(1).map(String)).toEqual([
            Buffer.from(text).toString(),
            'last',
          ]);
          expect(fields.message(4)?.text(1)).toBe('last');
          expect([fields.has(5), fields.has(6)]).toEqual([true, false]);
          expect([fields.unsigned(6), fields.text(6), fields.message(6)]).toEqual([
            0n,
            '',
            undefined,
          ]);
        },
      ),
    );
  });

  test('writes negative numbers in two halves of their range', () => {
    const fields = new Fields(new Message().signed(1, -2n).encode());
    expect(BigInt.asIntN(64, fields.unsigned(1))).toBe(-2n);
  });

  test('that is cut short is refused, or has lost whole fields', () => {
    const whole = new Message()
      .unsigned(1, 2n ** 60n)
      .text(2, 'a text')
      .encode();
    const readable = [];
    for (let length = 0; length < whole.length; length += 1) {
      try {
        new Fields(whole.subarray(0, length));
        readable.push(length);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
    expect(readable).toEqual([0, whole.length - 'a text'.length - 2]);
  });

  test('passes over kinds of fields that are not used', () => {
    const fixed = Buffer.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4]);
    const fields = new Fields(Buffer.concat([fixed, new Message().text(3, 'after').encode()]));
    expect(fields.text(3)).toBe('after');
    expect(() => new Fields(Buffer.from([0x0b]))).toThrow(RangeError);
  });
});

describe('an id', () => {
  test('is the same in both of its forms', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(uuidOf(new Fields(textUuid(id.toUpperCase()).encode()))).toBe(id);
        expect(uuidOf(new Fields(structuredUuid(id).encode()))).toBe(id);
      }),
    );
  });

  test('of an event can be sent as two numbers, and nothing else of it changes', () => {
    const id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
    const message = encodeEvent({
      stream: 'a stream',
      revision: 7n,
      id,
      type: 'Happened',
      isJson: true,
      data: Buffer.from('{}'),
      metadata: Buffer.from('{"by":1}'),
      commit: 2n ** 60n,
      prepare: 2n ** 59n,
    });
    const recordedOf = (sent: Buffer) => new Fields(sent).message(1)?.message(1) as Fields;
    const [as, structured] = [recordedOf(message), recordedOf(withStructuredId(message))];
    expect(as.message(1)?.text(2)).toBe(id);
    expect(structured.message(1)?.has(2)).toBe(false);
    expect(uuidOf(structured.message(1))).toBe(id);
    for (const field of [2, 6, 7, 8]) expect(structured.all(field)).toEqual(as.all(field));
    for (const field of [3, 4, 5]) expect(structured.unsigned(field)).toBe(as.unsigned(field));
  });
});
