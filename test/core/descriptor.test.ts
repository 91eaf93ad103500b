/** What the cardholder's statement shows: the account's own descriptor, or one built for the payment. */
import { Descriptor, MerchantAccount } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const NETWORK_A = 1;
const NETWORK_B = 2;
const payment = { orderId: 1_000_000_042, brandId: NETWORK_A, shop: '', product: '' };

function built(
  changes: Partial<MerchantAccount.Settings>,
  facts: Partial<Descriptor.Described> = {},
): string {
  const settings = MerchantAccount.withDefaults({
    mid: '1',
    title: 'Main',
    companyId: 1,
    gatewayId: 1,
    descriptor: 'ACME LONDON',
    defaultCurrency: 'GBP',
    currencies: [],
    dynamicDescriptorEnabled: true,
    ...changes,
  });
  return Descriptor.descriptorOf(settings, { ...payment, ...facts });
}

describe('a descriptor', () => {
  const { Prefix, OrderId, Shop, Product } = Descriptor.FORMAT;
  const prefix = { dynamicDescriptorPrefix: 'ACME' };
  const [shop, product] = ['Tea & Co', 'Green Tea'];
  const long = { dynamicDescriptorPrefix: 'ACME HOUSEHOLD GOODS LTD' };
  const both = { ...prefix, dynamicDescriptorPrefix_NetworkB: 'ACME B' };

  it.each<[what: string, ReturnType<typeof built>, string]>([
    ['off', built({ ...prefix, dynamicDescriptorEnabled: false }), 'ACME LONDON'],
    ['0', built({ ...prefix, dynamicDescriptorFormat: Prefix }), 'ACME'],
    ['0 without prefix', built({ dynamicDescriptorFormat: Prefix }), 'ACME LONDON'],
    ['1', built({ ...prefix, dynamicDescriptorFormat: OrderId }), 'ACME*1000000042'],
    ['1, long', built({ ...long, dynamicDescriptorFormat: OrderId }), 'ACME HOUSEHOLD*1000000042'],
    ['2', built({ ...prefix, dynamicDescriptorFormat: Shop }, { shop }), 'ACME*Tea & Co'],
    ['2, no shop', built({ ...prefix, dynamicDescriptorFormat: Shop }), 'ACME'],
    ['3', built({ ...prefix, dynamicDescriptorFormat: Product }, { product }), 'ACME*Green Tea'],
    [
      '3, long',
      built(
        { ...prefix, dynamicDescriptorFormat: Product },
        { product: `${product} of Uji, 100 g` },
      ),
      'ACME*Green Tea of Uji, 10',
    ],
    [
      '3, accents and signs',
      built({ ...prefix, dynamicDescriptorFormat: Product }, { product: 'Crème <brûlée>*茶  x' }),
      'ACME*Creme brulee x',
    ],
    ['network B', built(both, { brandId: NETWORK_B }), 'ACME B'],
    ['network B, no prefix', built(prefix, { brandId: NETWORK_B }), 'ACME'],
    ['not network B', built(both), 'ACME'],
  ])('%s', (_, descriptor, expected) => {
    expect(descriptor).toBe(expected);
  });

  it('has 1 to 25 printable characters, whatever it is built of', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const prefixed = fc.string({ unit: 'grapheme', maxLength: 25 });
    fc.assert(
      fc.property(
        fc.record({
          dynamicDescriptorFormat: fc.integer({ min: 0, max: Descriptor.LAST_FORMAT }),
          dynamicDescriptorPrefix: prefixed,
          dynamicDescriptorPrefix_NetworkB: prefixed,
        }),
        fc.record({
          orderId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          brandId: fc.integer({ min: 0, max: 6 }),
          shop: text,
          product: text,
        }),
        (changes, facts) => {
          expect(built(changes, facts)).toMatch(/^[A-Za-z0-9 .,&/'*-]{1,25}$/);
        },
      ),
    );
  });
});
