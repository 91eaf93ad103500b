/** Integer ids in blocks: none is ever given out twice, and none beyond the last. */
import { Sequence, type TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(Sequence);

const at = '2026-01-01T00:00:00.000Z';
const reserve = (size: number): Sequence.Command => ({
  type: 'ReserveBlock',
  tenantId: 7 as TenantId,
  sequence: 'order',
  size,
  at,
});
const reserved = (from: number, to: number): Sequence.Event => ({
  type: 'BlockReserved',
  from,
  to,
  at,
});

it('begins above the ids that callers bring', () =>
  when([], reserve(100)).then(reserved(1_000_000_000, 1_000_000_099)));

it('gives the largest block there may be', () =>
  when([], reserve(10_000)).then(reserved(1_000_000_000, 1_000_009_999)));

it('continues after the last block', () =>
  when([reserved(1_000_000_000, 1_000_000_099)], reserve(1)).then(
    reserved(1_000_000_100, 1_000_000_100),
  ));

it('gives blocks without overlap or gap', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: Sequence.MAX_BLOCK_SIZE }), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, (each) => {
      let next = Sequence.FIRST_ALLOCATED_ID;
      const past: Sequence.Event[] = [];
      for (const size of each) {
        const block = reserved(next, next + size - 1);
        when(past, reserve(size)).then(block);
        past.push(block);
        next += size;
      }
    }),
  );
});

describe('exhaustion', () => {
  const last = 2_147_483_647;
  const almost = [reserved(1_000_000_000, last - 10)];

  it('gives the last id of 32 bits', () =>
    when(almost, reserve(10)).then(reserved(last - 9, last)));

  it('refuses to go beyond it', () => {
    const exhausted = { type: 'SequenceExhausted', sequence: 'order' } as const;
    when(almost, reserve(11)).thenRejected(exhausted);
    when([reserved(1_000_000_000, last)], reserve(1)).thenRejected(exhausted);
  });

  it.each([0, -1, 1.5, 10_001, Number.NaN])('refuses a block of %d before all else', (size) =>
    when([reserved(1_000_000_000, last)], reserve(size)).thenRejected({
      type: 'BlockSizeOutOfRange',
      size,
      max: 10_000,
    }),
  );
});

it('counts each sequence of each tenant on its own', () => {
  const tenantId = 7 as TenantId;
  expect(Sequence.SEQUENCES.map((sequence) => Sequence.streamOf({ tenantId, sequence }))).toEqual([
    'sequence-7-order',
    'sequence-7-customer',
    'sequence-7-subscriber',
    'sequence-7-merchant_account',
  ]);
});
