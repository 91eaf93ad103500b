/** Saved searches through the face of the engine: whose they are, and what they may hold. */
import { openLedger } from '@counterfoil/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from './shop.ts';

const ADA = 'ada@shop.example';
const OTHER = 'bob@shop.example';

async function opened() {
  const ledger = await openLedger({ storage: 'memory:' });
  onTestFinished(() => ledger.close());
  for (const tenantId of [7, 8]) {
    const id = tenantId as Parameters<typeof ledger.tenants.onboard>[0];
    await ledger.tenants.onboard(id, { name: 'Acme' }, { actor: 'operator' });
  }
  return (actor = ADA, tenantId = 7) => ledger.as({ tenantId, actor });
}

const WEEK = {
  name: 'Last week',
  search: { days: 7, currency: 'GBP', merchantAccountIds: [1, 2] },
};

describe('a saved search', () => {
  it('is kept with its filters until it is removed', async () => {
    const shop = (await opened())();
    const saved = await shop.savedSearches.create(WEEK);
    expect(saved).toMatchObject(WEEK);
    expect(await shop.savedSearches.list()).toEqual({ items: [saved] });
    expect(await shop.savedSearches.remove(saved.id)).toEqual(saved);
    expect(await shop.savedSearches.list()).toEqual({ items: [] });
    expect(await codeOf(shop.savedSearches.get(saved.id))).toBe('SavedSearchUnknown');
  });

  it('is of its user, however the email is written, and of nobody else', async () => {
    const as = await opened();
    const { id } = await as().savedSearches.create(WEEK);
    expect((await as('ADA@Shop.example').savedSearches.get(id)).id).toBe(id);
    for (const stranger of [as(OTHER), as(ADA, 8)]) {
      expect(await stranger.savedSearches.list()).toEqual({ items: [] });
      expect(await codeOf(stranger.savedSearches.get(id))).toBe('SavedSearchUnknown');
      expect(await codeOf(stranger.savedSearches.remove(id))).toBe('SavedSearchUnknown');
      await stranger.savedSearches.create(WEEK);
    }
  });

  it('is there once under its name, also when two pages save it at once', async () => {
    const shop = (await opened())();
    const both = [WEEK, { ...WEEK, name: 'LAST WEEK' }].map((each) =>
      codeOf(shop.savedSearches.create(each)),
    );
    expect((await Promise.all(both)).toSorted()).toEqual(['SavedSearchExists', 'accepted']);
    expect((await shop.savedSearches.list()).items).toHaveLength(1);
  });

  it.each([
    [{ emails: ['ann@shop.example'] }],
    [{ firstName: 'Ann' }],
    [{ lastName: 'Ames' }],
    [{ last4: '4242' }],
    [{ orderIds: [1] }],
    [{ transactionIds: ['0198c0de-0000-7000-8000-000000000000'] }],
    [{ gatewayTransactionIds: ['sb_1'] }],
    [{ authCodes: ['A1'] }],
    [{ arns: ['74537604221222132710572'] }],
    [{ subscriptionIds: [1] }],
  ])('has no %o: it would outlive the erasure of the person', async (filter) => {
    const shop = (await opened())();
    const search = { ...WEEK.search, ...filter };
    expect(await codeOf(shop.savedSearches.create({ name: 'Ann', search }))).toBe(
      'SearchOfOnePerson',
    );
  });

  it.each([
    ['without a name', { name: ' ' }],
    ['with a longer name', { name: 'a'.repeat(61) }],
    ['with control characters', { name: 'a\u0007b' }],
    ['with the number of a card', { name: '4242 4242 4242 4242' }],
    ['without a filter', { search: {} }],
    ['with empty filters', { search: { companyIds: [] } }],
    ['of days and dates', { search: { days: 7, dateFrom: '2026-01-01' } }],
    ['of no days', { search: { days: 0 } }],
    ['of days in disorder', { search: { dateFrom: '2026-02-01', dateTo: '2026-01-01' } }],
    ['with an unknown filter', { search: { colour: 'red' } as object }],
  ])('is refused %s', async (_, wrong) => {
    const shop = (await opened())();
    expect(await codeOf(shop.savedSearches.create({ ...WEEK, ...wrong }))).toBe('InputInvalid');
  });

  it('is in the activity', async () => {
    const shop = (await opened())();
    const { id } = await shop.savedSearches.create(WEEK);
    await codeOf(shop.savedSearches.create(WEEK));
    await shop.savedSearches.remove(id);
    const { items } = await shop.activity.list();
    expect(items.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
      ['savedSearches.remove', id, 'done'],
      ['savedSearches.create', null, 'refused'],
      ['savedSearches.create', id, 'done'],
    ]);
  });
});
