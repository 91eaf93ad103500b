/** Dispute rates: chargebacks over captures of each month, as a recount of the events has them. */
import { type Event, Tenant, toExactMajor } from '@counterfoil/core';
import { paymentHistory } from '@counterfoil/core/testing';
import { type DisputeRate, DisputeRateView, ledger } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, paymentStream, TENANT, world } from './ledger-of-events.ts';
import * as A from './payments.ts';

const thresholds = Tenant.DEFAULT_SETTINGS.disputeThresholds;
const ALL = { tenantId: TENANT, sandbox: false, from: '1000-01', to: '9999-12', thresholds };

async function worldOf(stories: readonly (readonly Event[])[]) {
  const here = world();
  for (const [index, story] of stories.entries()) {
    const id = `0195a000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    await append(here.events, { stream: paymentStream(id) }, story);
  }
  await here.catchUp({ maxBatchEvents: 7 });
  return here;
}

async function ratesOf(stories: readonly (readonly Event[])[], query: object = {}) {
  const { store } = await worldOf(stories);
  return new DisputeRateView(store).rates({ ...ALL, ...query });
}

/** The rows of one environment, counted one event after the other. */
function recounted(events: readonly Event[], sandbox: boolean) {
  const rows = new Map<string, { counts: number[]; amounts: Map<string, [bigint, bigint]> }>();
  for (const event of events) {
    const isCapture = event.type === 'PaymentCaptured' && event.amountMinor > 0n;
    const isOther = event.type === 'ChargebackOpened' || event.type === 'AlertReceived';
    if (!(isCapture || isOther) || event.sandbox !== sandbox) continue;
    const key = `${event.merchantAccountId}/${event.at.slice(0, 7)}`;
    const row = rows.get(key) ?? { counts: [0, 0, 0, 0], amounts: new Map() };
    const [captures = 0, chargebacks = 0, alerts = 0, warnings = 0] = row.counts;
    const isAlert = event.type === 'AlertReceived';
    const isWarning = isAlert && /Fraud/.test(event.alertType);
    row.counts = [
      captures + Number(isCapture),
      chargebacks + Number(event.type === 'ChargebackOpened'),
      alerts + Number(isAlert),
      warnings + Number(isWarning),
    ];
    const [captured, chargedBack] = row.amounts.get(event.currency) ?? [0n, 0n];
    row.amounts.set(event.currency, [
      captured + (isCapture ? event.amountMinor : 0n),
      chargedBack + (event.type === 'ChargebackOpened' ? event.amountMinor : 0n),
    ]);
    rows.set(key, row);
  }
  return [...rows].map(([key, { counts, amounts }]) => [
    key,
    counts,
    [...amounts]
      .map(([currency, each]) => [currency, ...each.map((minor) => toExactMajor(minor, currency))])
      .sort(),
  ]);
}

function plain(rates: readonly DisputeRate[]) {
  return rates.map(({ merchantAccountId, month, amounts, ...counts }) => [
    `${merchantAccountId}/${month}`,
    [counts.captures, counts.chargebacks, counts.alerts, counts.fraudWarnings],
    amounts.map(({ currency, captured, chargedBack }) => [currency, captured, chargedBack]).sort(),
  ]);
}

/** So many captures and chargebacks of one currency, in one month. */
function month(captures: number, chargebacks: number): Event[][] {
  return Array.from({ length: Math.max(captures, chargebacks) }, (_, index) => [
    ...(index < captures ? [A.submitted(), A.started(), A.captured()] : []),
    ...(index < chargebacks ? [A.chargebackOpened()] : []),
  ]);
}

describe('dispute rates', () => {
  it('equal a recount, live and rebuilt, for whatever happened to payments', async () => {
    const lives = fc.array(paymentHistory(), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lives, async (histories) => {
        const stories = histories.map(({ events }) => events);
        const { events, store } = await worldOf(stories);
        const view = new DisputeRateView(store);
        for (const sandbox of [true, false]) {
          const found = plain(await view.rates({ ...ALL, sandbox }));
          const expected = recounted(stories.flat(), sandbox);
          expect(JSON.stringify(found.sort())).toBe(JSON.stringify(expected.sort()));
        }
        await expectEqualToRebuilt({ events, store, vault: undefined, projections: [ledger] });
      }),
      { numRuns: 40 },
    );
  });

  it('are percentages by count and by amount', async () => {
    const [row] = await ratesOf(month(3, 1));
    expect(row).toMatchObject({ captures: 3, chargebacks: 1, rate: 33.3333, status: 'ok' });
    const { amountMinor: captured } = A.captured() as { amountMinor: bigint } & Event;
    const { amountMinor } = A.chargebackOpened() as { amountMinor: bigint } & Event;
    const rate = Math.round((Number(amountMinor) / (3 * Number(captured))) * 1e6) / 1e4;
    expect(row?.amounts).toMatchObject([{ currency: 'GBP', rate }]);
  });

  it.each([
    [100, 1, 'ok'],
    [100, 2, 'warning'],
    [100, 3, 'excessive'],
    [2, 1, 'ok'],
    [400, 3, 'ok'],
    [0, 3, 'excessive'],
    [1, 0, 'ok'],
  ])('of %d captures and %d chargebacks are %s', async (captures, chargebacks, status) => {
    const own = {
      warning: { percent: 1, chargebacks: 2 },
      excessive: { percent: 3, chargebacks: 3 },
    };
    const [row] = await ratesOf(month(captures, chargebacks), { thresholds: own });
    expect(row).toMatchObject({ status, rate: captures === 0 ? null : expect.any(Number) });
  });

  it('are of the months and the account that are asked for', async () => {
    const [[submitted, started, capture]] = month(1, 0) as [[Event, Event, Event]];
    const other = { ...capture, at: '2026-03-31T23:59:59.999Z' } as Event;
    const stories = [[submitted, started, capture, other]];
    const months = async (query: object) =>
      (await ratesOf(stories, query)).map((each) => each.month);
    expect(await months({ from: '2026-03' })).toEqual(['2026-03']);
    expect(await months({ to: '2026-02' })).toHaveLength(1);
    expect(await months({ merchantAccountId: 8 })).toEqual([]);
    expect(await months({ merchantAccountId: 7 })).toHaveLength(2);
  });
});
