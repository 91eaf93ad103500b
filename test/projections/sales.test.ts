/** Sales by hour, day and month, as a recount of the events has them. */
import { type Event, type Transaction, toExactMajor } from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import { ledger, type SalesCurrency, SalesView } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, paymentStream, TENANT, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

async function worldOf(stories: readonly (readonly Event[])[], maxBatchEvents = 7) {
  const here = world();
  for (const [index, story] of stories.entries()) {
    const id = `0195a000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    await append(here.events, { stream: paymentStream(id) }, story);
  }
  await here.catchUp({ maxBatchEvents });
  return here;
}

/** By currency: what was captured less voids, refunded less what came back, and how many. */
function recounted(events: readonly Event[], sandbox: boolean) {
  const sums = new Map<string, { captured: bigint; refunded: bigint; counts: [number, number] }>();
  for (const event of events) {
    if (!('currency' in event && 'sandbox' in event && 'merchantAccountId' in event)) continue;
    if (event.sandbox !== sandbox) continue;
    const { currency } = event;
    const sum = sums.get(currency) ?? { captured: 0n, refunded: 0n, counts: [0, 0] };
    if (event.type === 'PaymentCaptured') {
      sum.captured += event.amountMinor;
      sum.counts[0] += event.amountMinor > 0n ? 1 : 0;
    }
    if (event.type === 'PaymentVoided') sum.captured -= event.amountMinor;
    if (event.type === 'Refunded' || event.type === 'NetworkRefunded') {
      sum.refunded += event.amountMinor;
    }
    if (event.type === 'RefundReversed') sum.refunded -= event.amountMinor;
    if (event.type === 'PaymentDeclined') sum.counts[1] += 1;
    sums.set(currency, sum);
  }
  return [...sums]
    .filter(([, { captured, refunded, counts }]) => captured || refunded || counts.some(Boolean))
    .map(([currency, { captured, refunded, counts }]) => ({
      currency,
      captured: toExactMajor(captured, currency),
      refunded: toExactMajor(refunded, currency),
      captures: counts[0],
      declines: counts[1],
    }))
    .sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** By currency and card network, the unknown one last: the cards are those that were submitted. */
function recountedBrands(stories: readonly (readonly Event[])[], sandbox: boolean) {
  const sums = new Map<string, Map<number, [number, number]>>();
  for (const story of stories) {
    const [first] = story;
    const brand = first?.type === 'PaymentSubmitted' ? (first.card?.brandId ?? 0) : 0;
    for (const event of story) {
      const isCapture = event.type === 'PaymentCaptured' && event.amountMinor > 0n;
      if (!isCapture && event.type !== 'PaymentDeclined') continue;
      if (event.sandbox !== sandbox) continue;
      const brands = sums.get(event.currency) ?? new Map<number, [number, number]>();
      const [captures, declines] = brands.get(brand) ?? [0, 0];
      brands.set(brand, isCapture ? [captures + 1, declines] : [captures, declines + 1]);
      sums.set(event.currency, brands);
    }
  }
  return [...sums].sort(byKey).map(([currency, brands]) => ({
    currency,
    brands: [...brands]
      .sort(([one], [other]) => (one || 7) - (other || 7))
      .map(([cardBrandId, [captures, declines]]) => ({ cardBrandId, captures, declines })),
  }));
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function plainBrands(found: readonly SalesCurrency[]) {
  return found
    .filter(({ brands }) => brands.length > 0)
    .map(({ currency, brands }) => ({
      currency,
      brands: brands.map(({ cardBrandId, captures, declines }) => {
        return { cardBrandId, captures, declines };
      }),
    }));
}

function plain(found: readonly SalesCurrency[]) {
  return found
    .map(({ currency, totals: { captured, refunded, captures, declines } }) => {
      return { currency, captured, refunded, captures, declines };
    })
    .filter(({ currency: _, ...sums }) => Object.values(sums).some((each) => Number(each) !== 0));
}

function monthLater(day: string): string {
  return new Date(Date.parse(day) + 30 * 86_400_000).toISOString().slice(0, 10);
}

/** The days of the first and the last event. */
function rangeOf(events: readonly Event[]) {
  const days = events.map(({ at }) => at.slice(0, 10)).sort();
  return { from: days[0] ?? '', to: days.at(-1) ?? '' };
}

describe('sales', () => {
  it('are what the events say, in each unit, live and rebuilt', async () => {
    const lives = fc.array(paymentHistory(), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lives, fc.boolean(), async (histories, sandbox) => {
        const stories = histories.map(({ events }) => events);
        const { events, store } = await worldOf(stories);
        const view = new SalesView(store);
        const all = { tenantId: TENANT, sandbox, ...rangeOf(stories.flat()) };
        const months = await view.sales({ ...all, unit: 'month' });
        expect(plain(months)).toEqual(recounted(stories.flat(), sandbox));
        expect(plainBrands(months)).toEqual(recountedBrands(stories, sandbox));
        const some = { ...all, to: monthLater(all.from) };
        const inRange = stories.flat().filter(({ at }) => at.slice(0, 10) <= some.to);
        for (const unit of ['day', 'hour'] as const) {
          const found = await view.sales({ ...some, unit });
          expect(plain(found), unit).toEqual(recounted(inRange, sandbox));
          const parts = stories.map(([first, ...rest]) => [
            ...(first === undefined ? [] : [first]),
            ...rest.filter(({ at }) => at.slice(0, 10) <= some.to),
          ]);
          expect(plainBrands(found), unit).toEqual(recountedBrands(parts, sandbox));
        }
        await expectEqualToRebuilt({ events, store, vault: undefined, projections: [ledger] });
      }),
      { numRuns: 15 },
    );
  });

  it.each([1, 7, 1_000])(
    'count by card network in batches of %i events',
    async (maxBatchEvents) => {
      const card = (brandId: number) => ({ ...(A.submitted().card as Transaction.Card), brandId });
      const ended = [
        [card(1), A.captured({ cardBrandId: 1 })],
        [card(1), A.declined({ cardBrandId: 1 })],
        [card(2), A.captured({ cardBrandId: 2 })],
        [null, A.captured()],
        // A free trial captures nothing.
        [card(2), A.captured({ cardBrandId: 2, amountMinor: 0n })],
      ] as const;
      const stories = ended.map(([of, end]) => [A.submitted({ card: of }), A.started(), end]);
      const { store } = await worldOf(stories, maxBatchEvents);
      const day = '2025-12-01';
      const asked = { tenantId: TENANT, sandbox: false, unit: 'day', from: day, to: day } as const;
      const [found] = await new SalesView(store).sales(asked);
      expect(found?.brands).toEqual([
        { cardBrandId: 1, cardBrand: 'NetworkA', captures: 1, declines: 1 },
        { cardBrandId: 2, cardBrand: 'NetworkB', captures: 1, declines: 0 },
        { cardBrandId: 0, cardBrand: 'Unknown', captures: 1, declines: 0 },
      ]);
      const other = await new SalesView(store).sales({ ...asked, merchantAccountId: 8 });
      expect(other).toEqual([]);
    },
  );

  it('have every period of the range, also those without anything', async () => {
    const capture = A.captured({ at: '2026-02-27T23:10:00.000Z' });
    const { store } = await worldOf([[A.submitted(), A.started(), capture]]);
    const periods = async (unit: 'hour' | 'day' | 'month') => {
      const query = {
        tenantId: TENANT,
        sandbox: false,
        unit,
        from: '2026-02-27',
        to: '2026-03-01',
      };
      const [found] = await new SalesView(store).sales(query);
      return found?.periods.map(({ period, captures }) => [period, captures]);
    };
    expect(await periods('month')).toEqual([
      ['2026-02', 1],
      ['2026-03', 0],
    ]);
    expect(await periods('day')).toEqual([
      ['2026-02-27', 1],
      ['2026-02-28', 0],
      ['2026-03-01', 0],
    ]);
    const hours = (await periods('hour')) ?? [];
    expect(hours).toHaveLength(72);
    expect(hours.filter(([, captures]) => captures === 1)).toEqual([['2026-02-27T23', 1]]);
  });

  it('of months end with the last year that a day can name', async () => {
    const { store } = await worldOf([[A.submitted(), A.started(), A.captured()]]);
    const range = { tenantId: TENANT, sandbox: false, from: '2017-01-31', to: '9999-12-01' };
    const [found] = await new SalesView(store).sales({ ...range, unit: 'month' });
    expect(found?.periods[0]?.period).toBe('2017-01');
    expect(found?.periods.at(-1)?.period).toBe('9999-12');
  });
});
