/** The reference read model: what an account shows beside its settings. */
import { MerchantAccount, MonthlyCap, type TenantId } from '@counterfoil/core';
import { ReferenceView } from '@counterfoil/projections';
import { describe, expect, it } from 'vitest';
import { append, type World, world } from './ledger-of-events.ts';

const tenantId = 1 as TenantId;
const ACCOUNT = 31;
const NOVEMBER = '2026-11-21T12:00:00.000Z';
const DECEMBER = '2026-12-03T12:00:00.000Z';
const none = { apiKey: '', username: '', password: '', emailAddress: '' };

const settings = MerchantAccount.withDefaults({
  mid: '7001',
  title: 'Main',
  companyId: 1,
  gatewayId: 1,
  descriptor: 'SHOP',
  defaultCurrency: 'GBP',
  currencies: [{ currency: 'GBP', gatewayCredentials: none }],
  monthlyCap: 100,
});

async function opened(): Promise<World> {
  const here = world();
  const stream = MerchantAccount.streamOf({ tenantId, merchantAccountId: ACCOUNT });
  const event = { type: 'MerchantAccountOpened', merchantAccountId: ACCOUNT, settings } as const;
  await append(here.events, { stream, tenantId }, [{ ...event, at: NOVEMBER }]);
  return here;
}

/** A payment was passed over; room was reserved and used before it. */
async function reached(here: World, at: string, { sandbox = false } = {}): Promise<void> {
  const month = MonthlyCap.monthOf(at);
  const stream = MonthlyCap.streamOf({ tenantId, sandbox, merchantAccountId: ACCOUNT, month });
  const reservation = { reservationId: 'a/1', amountMinor: 10_000n, leaseUntil: at };
  await append(here.events, { stream, tenantId }, [
    { type: 'RoomReserved', reservations: [reservation], at },
    { type: 'RoomSettled', settlements: [{ reservationId: 'a/1', usedMinor: 10_000n }], at },
    {
      type: 'MonthlyCapReached',
      sandbox,
      merchantAccountId: ACCOUNT,
      capMinor: 10_000n,
      currency: 'GBP',
      wantedMinor: 100n,
      at,
    },
  ]);
}

async function capLimited(here: World): Promise<string | null | undefined> {
  await here.catchUp();
  const names = await new ReferenceView(here.store).names(tenantId);
  return names.merchantAccount(ACCOUNT)?.capLimited;
}

describe('when an account was limited by its cap', () => {
  it('is not known of one that never was', async () => {
    expect(await capLimited(await opened())).toBeNull();
  });

  it('is the last time, whatever is changed of the account', async () => {
    const here = await opened();
    await reached(here, NOVEMBER);
    expect(await capLimited(here)).toBe(NOVEMBER);
    await reached(here, DECEMBER);
    const stream = MerchantAccount.streamOf({ tenantId, merchantAccountId: ACCOUNT });
    const changed = { ...settings, monthlyCap: 200 };
    await append(here.events, { stream, tenantId }, [
      { type: 'MerchantAccountChanged', settings: changed, at: DECEMBER },
    ]);
    expect(await capLimited(here)).toBe(DECEMBER);
  });

  it('is nothing that test data can say', async () => {
    const here = await opened();
    await reached(here, NOVEMBER, { sandbox: true });
    expect(await capLimited(here)).toBeNull();
  });
});
