/** Plans small sales files made by hand, one for each thing that real lines do, and random ones. */
import { Reference } from '@counterfoil/core';
import {
  addressOf,
  planImport,
  reconcile,
  renderReport,
  type SaleLine,
  type SaleRecord,
  stockItemOf,
  storefrontProductOf,
} from '@counterfoil/demo';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectMatchingToHold, fates, line, planOf, read } from './sale-records.ts';

describe('an invoice', () => {
  it('of which a line cannot be read is left out whole, each line with its text', async () => {
    const broken = '536365,71053,A,six,01/12/2010 08:26,1,17850,France';
    const open = '536366,71053,"A,1,01/12/2010 08:26,1,17850,France';
    const whole = ['536365', '536366', '536367'].map((invoice) =>
      line(`${invoice} 85123A 6 @2.55 of 17850, 1st 08:26`),
    );
    const records = await read(...whole, broken, open);
    const plan = planImport(records);
    expect(fates(plan)).toEqual([
      '2: 6 for 1530 invoice-malformed',
      '3: 6 for 1530 invoice-malformed',
      '4: 6 for 1530 imported',
      '5: 0 for 0 malformed',
      '6: 0 for 0 malformed',
    ]);
    const report = reconcile(records, plan);
    expect(report.unread.map(({ line, text }) => [line, text])).toEqual([
      [2, whole[0]],
      [3, whole[1]],
      [5, broken],
      [6, open],
    ]);
    expect(renderReport(report)).toContain(
      `Line 5 is left out, Quantity is not a whole number: six: ${broken}`,
    );
  });

  it('above the largest amount is left out', async () => {
    const most = '999999999 @9000 of 17850, 1st 08:26';
    const plan = await planOf(`536365 85123A ${most}`, `536365 85123B ${most}`);
    expect(fates(plan)).toEqual([
      '2: 999999999 for 899999999100000 too-much-money',
      '3: 999999999 for 899999999100000 too-much-money',
    ]);
  });

  it('becomes an order paid at its date, with an item for every line', async () => {
    const plan = await planOf(
      '536365 85123A 6 @2.55 of 17850, 1st 08:26',
      '536365 POST 1 @18 of 17850, 1st 08:26',
      '536365 85123a 2 @2.95 of 17850, 1st 08:27',
      '536365 85123A 6 @2.55 of 17850, 1st 08:26',
      '536365 71053 1 @0 of 17850, 1st 08:26',
    );
    expect(fates(plan)).toEqual([
      '2: 6 for 1530 imported',
      '3: 1 for 1800 imported',
      '4: 2 for 590 imported',
      '5: 6 for 1530 imported',
      '6: 1 for 0 imported',
    ]);
    expect(plan.steps).toMatchObject([
      {
        kind: 'order',
        key: 'online-retail/invoice/536365',
        at: '2010-12-01T08:26:00.000Z',
        orderId: 536365,
        buyer: { customerId: 17850, email: 'customer-17850@online-retail.example' },
        address: { addressType: 'DEFAULT', countryCode: 'FR', state: '' },
        currency: 'GBP',
        amountMinor: 5450n,
        items: [
          { storefrontProductId: 85123, quantity: 6, unitPriceMinor: 255n, unitCostMinor: 0n },
          { quantity: 1, unitPriceMinor: 1800n },
          { storefrontProductId: 85123, quantity: 2, unitPriceMinor: 295n },
          { storefrontProductId: 85123, quantity: 6, unitPriceMinor: 255n },
          { storefrontProductId: 71053, quantity: 1, unitPriceMinor: 0n },
        ],
      },
    ]);
  });

  it('without a customer belongs to a separate guest', async () => {
    const plan = await planOf('536370 22728 1 @3.75 of -, 1st 08:45');
    expect(plan.steps).toMatchObject([
      { buyer: { customerId: null, email: 'guest-536370@online-retail.example' } },
    ]);
  });

  it('keeps its negative quantities and its lines of other customers out', async () => {
    const plan = await planOf(
      '1 10001 1 @5 of 7, 1st 08:00',
      '1 10002 -3 @2 of 7, 1st 08:00',
      '1 10003 1 @-4 of 7, 1st 08:00',
      '1 10004 1 @1 of 8, 1st 08:00',
    );
    expect(fates(plan)).toEqual([
      '2: 1 for 500 imported',
      '3: -3 for -600 correction-without-sale',
      '4: 1 for -400 negative-price',
      '5: 1 for 100 customer-differs',
    ]);
    expect(plan.steps).toMatchObject([{ amountMinor: 500n }]);
  });

  it('with total zero, a bad debt or too many items is not imported', async () => {
    const plan = await planOf(
      '1 10001 4 @0 of 7, 1st 08:00',
      '1 10002 -4 @0 of 7, 1st 08:00',
      'A2 B 1 @-110.62 of -, 1st 09:00',
    );
    expect(fates(plan)).toEqual([
      '2: 4 for 0 zero-total-invoice',
      '3: -4 for 0 correction-without-sale',
      '4: 1 for -11062 bad-debt',
    ]);
    expect(plan.steps).toEqual([]);
    const items = (count: number) => Array<string>(count).fill('3 10001 1 @1 of 7, 1st 08:00');
    expect((await planOf(...items(1_000))).steps).toHaveLength(1);
    const tooMany = await planOf(...items(1_001));
    expect(tooMany.steps).toEqual([]);
    expect(fates(tooMany)[0]).toBe('2: 1 for 100 too-many-items');
  });
});

describe('a cancellation', () => {
  it('is refunded from the newest order of the same customer and item first, one refund an order', async () => {
    const plan = await planOf(
      '1 10001A 5 @2 of 7, 1st 08:00',
      '2 10001A 3 @2 of 7, 2nd 08:00',
      '2 10002 1 @9 of 7, 2nd 08:00',
      '3 10001A 9 @2 of 8, 3rd 08:00',
      '4 10001B 9 @2 of 7, 3rd 08:00',
      'C5 10001a -4 @2 of 7, 4th 08:00',
      'C5 10002 -1 @9 of 7, 4th 08:00',
      '6 10001A 9 @2 of 7, 5th 08:00',
    );
    expect(fates(plan).slice(5, 8)).toEqual([
      '7: -3 for -600 refunded C5<2',
      '7: -1 for -200 refunded C5<1',
      '8: -1 for -900 refunded C5<2',
    ]);
    expect(plan.steps.filter((step) => step.kind === 'refund')).toEqual([
      {
        kind: 'refund',
        key: 'online-retail/refund/C5/2',
        at: '2010-12-04T08:00:00.000Z',
        invoice: 'C5',
        orderKey: 'online-retail/invoice/2',
        orderId: 2,
        currency: 'GBP',
        amountMinor: 1500n,
        items: [
          {
            storefrontVariantId: stockItemOf('10001A').storefrontVariantId,
            quantity: 3,
            amountMinor: 600n,
            restock: true,
          },
          { storefrontVariantId: 1_000_200_000, quantity: 1, amountMinor: 900n, restock: true },
        ],
      },
      expect.objectContaining({ key: 'online-retail/refund/C5/1', amountMinor: 200n }),
    ]);
  });

  it('adds up the lines of one item, sold or cancelled twice on one invoice', async () => {
    const plan = await planOf(
      '1 10001 2 @2 of 7, 1st 08:00',
      '1 10001 3 @1.5 of 7, 1st 08:00',
      'C2 10001 -3 @1.5 of 7, 2nd 08:00',
      'C2 10001 -2 @2 of 7, 2nd 08:00',
      'C2 10001 -1 @2 of 7, 2nd 08:00',
    );
    expect(fates(plan).slice(2)).toEqual([
      '4: -3 for -450 refunded C2<1',
      '5: -2 for -400 refunded C2<1',
      '6: -1 for -200 more-than-sold',
    ]);
    expect(plan.steps[1]).toMatchObject({ items: [{ quantity: 5, amountMinor: 850n }] });
  });

  it('goes at its own price as far as the order has money left, in whole items', async () => {
    const plan = await planOf(
      '1 10001 3 @2 of 7, 1st 08:00',
      '1 10002 1 @1 of 7, 1st 08:00',
      'C2 10001 -3 @3 of 7, 2nd 08:00',
      'C3 10002 -1 @1.5 of 7, 3rd 08:00',
      'C4 10002 -1 @1 of 7, 4th 08:00',
      'C5 10002 -1 @1 of 7, 5th 08:00',
    );
    expect(fates(plan).slice(2)).toEqual([
      '4: -2 for -600 refunded C2<1',
      '4: -1 for -300 more-than-paid',
      '5: -1 for -150 more-than-paid',
      '6: -1 for -100 refunded C4<1',
      '7: -1 for -100 more-than-sold',
    ]);
  });

  it('finds no sale after it; of those within its minute only those that the file lists first', async () => {
    const plan = await planOf(
      '1 10001 1 @2 of 7, 1st 08:00',
      'C2 10001 -2 @2 of 7, 1st 08:00',
      '3 10001 1 @2 of 7, 1st 08:00',
      'C4 10002 -1 @2 of 7, 2nd 08:00',
      '5 10002 1 @2 of 7, 2nd 08:01',
    );
    expect(fates(plan)).toEqual([
      '2: 1 for 200 imported',
      '3: -1 for -200 refunded C2<1',
      '3: -1 for -200 more-than-sold',
      '4: 1 for 200 imported',
      '5: -1 for -200 no-earlier-sale',
      '6: 1 for 200 imported',
    ]);
  });

  it('is sorted by time, and steps are chronological', async () => {
    const plan = await planOf('C2 10001 -1 @2 of 7, 2nd 08:00', '1 10001 1 @2 of 7, 1st 08:00');
    expect(fates(plan)).toEqual(['2: -1 for -200 refunded C2<1', '3: 1 for 200 imported']);
    expect(plan.steps.map((step) => step.kind)).toEqual(['order', 'refund']);
  });

  it('that cannot be matched says why', async () => {
    const plan = await planOf(
      '1 10001 1 @2 of -, 1st 08:00',
      '1 POST 1 @9 of -, 1st 08:00',
      'C2 10001 -1 @2 of -, 2nd 08:00',
      'C2 AMAZONFEE -1 @6706.71 of -, 2nd 08:00',
      'C3 10001 -1 @2 of 7, 2nd 08:00',
      'C3 D -1 @5 of 7, 2nd 08:00',
      'C3 10001 1 @2 of 7, 2nd 08:00',
      'C3 10001 -1 @0 of 7, 2nd 08:00',
      'C3 10001 -1 @-2 of 7, 2nd 08:00',
    );
    expect(fates(plan).slice(2)).toEqual([
      '4: -1 for -200 no-customer',
      '5: -1 for -670671 charge-without-sale',
      '6: -1 for -200 no-earlier-sale',
      '7: -1 for -500 charge-without-sale',
      '8: 1 for 200 charge-on-cancellation',
      '9: -1 for 0 zero-price-cancellation',
      '10: -1 for 200 negative-price',
    ]);
    expect(plan.steps).toHaveLength(1);
  });

  it('takes postage back when it was sold, and puts none on the shelf', async () => {
    const plan = await planOf('1 POST 2 @18 of 7, 1st 08:00', 'C2 POST -1 @18 of 7, 2nd 08:00');
    expect(plan.steps[1]).toMatchObject({ items: [{ quantity: 1, restock: false }] });
  });
});

it('counts malformed lines, with what is known of their amount', async () => {
  const records = await read('broken', '1,2,A,6,then,2.55,7,France');
  expect(fates(planImport(records))).toEqual(['2: 0 for 0 malformed', '3: 6 for 1530 malformed']);
  expect(reconcile(records, planImport(records))).toMatchObject({ unreadableAmounts: 1 });
});

describe('a stock code', () => {
  it('has a number that can be read, or one above all of those', () => {
    expect(stockItemOf('85123a')).toEqual({
      code: '85123A',
      storefrontProductId: 85123,
      storefrontVariantId: 8_512_300_001,
    });
    expect(stockItemOf('15056BL').storefrontVariantId).toBe(1_505_600_066);
    // Written down, because stored orders refer to them for ever.
    expect(stockItemOf('POST').storefrontVariantId).toBe(8_288_280_935_224_230);
    expect(stockItemOf('00000').storefrontVariantId).toBeGreaterThan(2 ** 52);
  });

  it('shares its number with no other code', () => {
    const code = fc.oneof(
      fc.stringMatching(/^[0-9]{4,6}[A-Za-z]{0,4}$/),
      fc.string({ minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(code, code, (a, b) => {
        const [one, other] = [stockItemOf(a), stockItemOf(b)];
        expect(Number.isSafeInteger(one.storefrontVariantId)).toBe(true);
        expect(one.storefrontVariantId).toBeGreaterThan(0);
        expect(one.storefrontVariantId === other.storefrontVariantId).toBe(
          a.toUpperCase() === b.toUpperCase(),
        );
      }),
    );
  });
});

describe('the storefront', () => {
  it('has a product for the digits and a variant for each code, as most lines describe them', async () => {
    const records = await read(
      '1,84029E,RED BOTTLE,1,01/12/2010 08:00,3.75,7,France',
      '2,84029E,RED BOTTLE,1,02/12/2010 08:00,3.39,7,France',
      '3,84029E,,1,03/12/2010 08:00,3.39,7,France',
      '4,84029G,UNION BOTTLE,1,04/12/2010 08:00,4,7,France',
      '5,84030A,damaged,-9,04/12/2010 08:00,0,,France',
    );
    const { products } = planImport(records);
    expect(products).toMatchObject([
      {
        storefrontProductId: 84029,
        title: 'RED BOTTLE',
        goods: true,
        variants: [
          { code: '84029E', title: 'RED BOTTLE', priceMinor: 339n },
          { code: '84029G', title: 'UNION BOTTLE', priceMinor: 400n },
        ],
      },
    ]);
    for (const product of products) {
      const shown = storefrontProductOf(product, 3);
      expect(Reference.StorefrontProduct.parse(shown)).toEqual(shown);
      expect(shown).toMatchObject({
        handle: '84029e',
        shop_id: 3,
        variants: [{ price: 3.39 }, {}],
      });
    }
  });
});

it('leaves the code of a country empty that has none, and keeps its name', async () => {
  const [sale] = await read('1,10001,A,1,01/12/2010 08:00,1,7,Channel Islands');
  expect(addressOf(sale as SaleLine)).toMatchObject({ countryCode: '', state: 'Channel Islands' });
});

describe('any file', () => {
  const codes = ['10001A', '10001a', '10002', 'POST', 'M'];
  const sale = fc
    .record({
      invoice: fc.tuple(fc.constantFrom('', '', 'C', 'C', 'A'), fc.integer({ min: 1, max: 12 })),
      code: fc.constantFrom(...codes),
      quantity: fc.integer({ min: -6, max: 6 }).filter((quantity) => quantity !== 0),
      price: fc.constantFrom('0', '0.85', '2.1', '2.55', '2.55', '-1', '0.001'),
      customer: fc.constantFrom('7', '7', '8', '-'),
      day: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ invoice: [letter, number], code, quantity, price, customer, day }) => {
      const signed = letter === 'C' ? -Math.abs(quantity) : quantity;
      return line(
        `${letter}${number} ${code} ${signed} @${price} of ${customer}, ${day}th 08:0${number % 3}`,
      );
    });
  const file = fc.array(fc.oneof({ weight: 30, arbitrary: sale }, fc.constant('broken')), {
    maxLength: 60,
  });

  it('adds up, refunds at most what was sold and paid, newest first, deterministically', async () => {
    await fc.assert(
      fc.asyncProperty(file, async (lines) => {
        const records: readonly SaleRecord[] = await read(...lines);
        const plan = planImport(records);
        reconcile(records, plan);
        expectMatchingToHold(records, plan);
        expect(planImport(structuredClone(records))).toEqual(plan);
        const keys = plan.steps.map((step) => step.key);
        expect(new Set(keys).size).toBe(keys.length);
        const times = plan.steps.map((step) => step.at);
        expect(times).toEqual(times.toSorted());
        for (const step of plan.steps) {
          expect(step.amountMinor > 0n).toBe(true);
          const items = step.items.reduce(
            (total, item) =>
              total +
              ('amountMinor' in item
                ? item.amountMinor
                : item.unitPriceMinor * BigInt(item.quantity)),
            0n,
          );
          expect(items).toBe(step.amountMinor);
        }
      }),
    );
  });
});
