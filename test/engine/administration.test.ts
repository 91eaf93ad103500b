/** Keys, settings and reference data through the face of the engine. */
import { TenantId } from '@counterfoil/core';
import type { Ledger } from '@counterfoil/engine';
import { openLedger } from '@counterfoil/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from './shop.ts';

const SHOP_TENANT = TenantId.parse(7);
const ACTOR = { tenantId: 7, actor: 'owner@example.com' };

async function opened() {
  const ledger = await openLedger({ storage: 'memory:' });
  onTestFinished(() => ledger.close());
  await onboard(ledger, 7);
  return { ledger, shop: ledger.as(ACTOR) };
}

async function onboard(ledger: Ledger, tenantId: number): Promise<void> {
  const id = tenantId as Parameters<Ledger['tenants']['onboard']>[0];
  await ledger.tenants.onboard(id, { name: 'Acme' }, { actor: 'operator' });
}

const UNKNOWN = '0198c0de-0000-7000-8000-000000000000';

describe('keys', () => {
  it('are shown once, and kept as a digest', async () => {
    const { shop } = await opened();
    const { key, id } = await shop.keys.create({ scopes: ['payments:read'] });
    expect(key).toMatch(/^cf_live_/);
    expect(JSON.stringify([await shop.keys.get(id), await shop.keys.list()])).not.toContain(key);
  });

  it('are rotated with an overlap, and revoked', async () => {
    const { shop } = await opened();
    const old = await shop.keys.create({ label: 'back office', scopes: ['payments:read'] });
    const successor = await shop.keys.rotate(old.id, { overlapDays: 7 });
    expect(successor).toMatchObject({ label: 'back office', scopes: ['payments:read'] });
    expect(await shop.keys.get(old.id)).toMatchObject({ successorId: successor.id });
    expect((await shop.keys.revoke(successor.id)).revokedAt).not.toBeNull();
    expect(await codeOf(shop.keys.rotate(successor.id))).toBe('KeyNotActive');
    expect(await codeOf(shop.keys.rotate(old.id, { overlapDays: 8 }))).toBe('InputInvalid');
  });

  it('of a lead key are made, rotated and revoked as a pair', async () => {
    const { shop } = await opened();
    const made = await shop.keys.createLeadKey({
      applicationId: 1,
      allowedOrigins: ['https://shop.example'],
    });
    expect([made.publishableKey, made.secretKey].map((key) => key.slice(0, 12))).toEqual([
      'cf_lead_pub_',
      'cf_lead_sec_',
    ]);
    expect((await shop.keys.list()).items).toEqual([]);
    const rotated = await shop.keys.rotateLeadKey(made.id);
    expect(rotated).toMatchObject({ id: made.id, allowedOrigins: ['https://shop.example'] });
    expect(rotated.secretKey).not.toBe(made.secretKey);
    expect((await shop.keys.listLeadKeys()).items).toHaveLength(1);
    expect((await shop.keys.revokeLeadKey(made.id)).revokedAt).not.toBeNull();
  });

  it.each([
    'https://shop.example/',
    'https://Shop.example',
    'https://shop.example:443',
    'shop.example',
    'null',
    '*',
    'https://*.shop.example',
  ])('of a lead key take no origin %s', async (origin) => {
    const { shop } = await opened();
    const input = { applicationId: 1, allowedOrigins: [origin] };
    expect(await codeOf(shop.keys.createLeadKey(input))).toBe('InputInvalid');
  });

  it('have each of their scopes once, and none where they are of the email service', async () => {
    const { shop } = await opened();
    const twice = ['payments:read', 'payments:read'];
    expect((await shop.keys.create({ scopes: twice })).scopes).toEqual(['payments:read']);
    const ofMail = shop.keys.create({ kind: 'tenant', scopes: ['payments:read'] });
    expect(await codeOf(ofMail)).toBe('InputInvalid');
  });

  it('of another tenant are unknown, like those that are not there', async () => {
    const { ledger, shop } = await opened();
    await onboard(ledger, 8);
    const other = ledger.as({ ...ACTOR, tenantId: 8 });
    const { id } = await shop.keys.create({ scopes: [] });
    const lead = await shop.keys.createLeadKey({ applicationId: 1 });
    for (const each of [id, UNKNOWN])
      expect(await codeOf(other.keys.revoke(each))).toBe('KeyUnknown');
    expect(await codeOf(other.keys.revokeLeadKey(lead.id))).toBe('LeadKeyUnknown');
    expect((await other.keys.list()).items).toEqual([]);
  });

  it('are listed in pages', async () => {
    const { shop } = await opened();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await shop.keys.create({})).id);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await shop.keys.list({ limit: 2, ...(after !== undefined && { after }) });
      found.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(found).toEqual(ids.toSorted());
  });
});

describe('settings', () => {
  it('change by a merge patch, and null resets one', async () => {
    const { shop } = await opened();
    const changed = await shop.settings.amend({ refundWindowDays: 30, dunning: { mails: [] } });
    expect(changed).toMatchObject({
      refundWindowDays: 30,
      dunning: { mails: [], retryAfterDays: [1, 3, 5, 7] },
      rowVersion: 2,
    });
    const reset = await shop.settings.amend({ refundWindowDays: null, dunning: null });
    expect(reset).toMatchObject({
      refundWindowDays: 180,
      dunning: { mails: ['rebill-failed', 'frozen'] },
    });
  });

  it.each([
    [{ refundWindowDays: 'x' }, undefined, 'InputInvalid'],
    [{ unknown: 1 }, undefined, 'InputInvalid'],
    [{ dunning: { retryAfterDays: [3, 1] } }, undefined, 'RetriesNotAscending'],
    [{ refundWindowDays: 30 }, 2, 'StaleRowVersion'],
  ])('refuse %j of version %s', async (patch, rowVersion, code) => {
    const { shop } = await opened();
    expect(await codeOf(shop.settings.amend(patch, rowVersion))).toBe(code);
    expect((await shop.settings.get()).rowVersion).toBe(1);
  });
});

describe('requireKnownUsers', () => {
  const patch = { requireKnownUsers: true };

  it('needs an owner who is active: nobody else could take it back', async () => {
    const { ledger, shop } = await opened();
    expect(await codeOf(shop.settings.amend(patch))).toBe('ActiveOwnerRequired');
    const { token } = await shop.users.invite({
      email: ACTOR.actor,
      name: 'Ada',
      roleIds: ['owner'],
    });
    expect(await codeOf(shop.settings.amend(patch))).toBe('ActiveOwnerRequired');
    await ledger.signIns.setPassword(token ?? '', 'correct horse battery');
    expect(await shop.settings.amend(patch)).toMatchObject(patch);
  });

  it('stays as an operator has set it', async () => {
    const { ledger, shop } = await opened();
    await ledger.tenants.changeSettings(SHOP_TENANT, patch, { actor: 'operator' });
    expect(await shop.settings.amend({ refundWindowDays: 30 })).toMatchObject(patch);
  });
});

it('a change of a user that is refused changes nothing of it', async () => {
  const { shop } = await opened();
  const owner = { email: ACTOR.actor, name: 'Ada', roleIds: ['owner'] };
  const { id } = await shop.users.invite(owner);
  const change = shop.users.change(id, { name: 'Eve', status: 'disabled' });
  expect(await codeOf(change)).toBe('LastOwner');
  expect(await shop.users.get(id)).toMatchObject({ name: 'Ada', rowVersion: 1 });
});

describe('reference data', () => {
  it('gets the next free id, or the one that is asked for once', async () => {
    const { shop } = await opened();
    const made = [];
    for (const name of ['one', 'two'])
      made.push((await shop.references.create('companies', { name })).id);
    expect(made).toEqual([1, 2]);
    expect((await shop.references.create('applications', { name: 'Checkout', kind: 1 })).id).toBe(
      100,
    );
    await shop.references.create('companies', { id: 9, name: 'nine' });
    expect(await codeOf(shop.references.create('companies', { id: 9, name: 'other' }))).toBe(
      'DefinitionExists',
    );
    expect((await shop.references.get('companies', 9)).name).toBe('nine');
  });

  it('gets the first free id when the greatest one was asked for', async () => {
    const { shop } = await opened();
    await shop.references.create('companies', { id: Number.MAX_SAFE_INTEGER, name: 'last' });
    const made = [];
    for (const name of ['one', 'two'])
      made.push((await shop.references.create('companies', { name })).id);
    expect(made).toEqual([1, 2]);
  });

  it('gets ids of its own in a race', async () => {
    const { shop } = await opened();
    const names = Array.from({ length: 12 }, (_, index) => `company ${index}`);
    const made = await Promise.all(
      names.map((name) => shop.references.create('companies', { name })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(12);
    expect(
      (await shop.references.list('companies')).items.map(({ name }) => name).toSorted(),
    ).toEqual(names.toSorted());
  });

  it('is chosen from by name, from the same lists until something changes', async () => {
    const { shop } = await opened();
    for (const name of ['Campaign 10', 'Campaign 2'])
      await shop.references.create('campaigns', { name });
    const choices = await shop.references.choices();
    expect(choices.campaigns).toEqual([
      { id: 2, name: 'Campaign 2' },
      { id: 1, name: 'Campaign 10' },
    ]);
    expect(Object.isFrozen(choices.campaigns?.[0])).toBe(true);
    expect(await shop.references.choices()).toBe(choices);
    await shop.references.amend('campaigns', 1, { name: 'Campaign 1' });
    const after = await shop.references.choices();
    expect(after.campaigns?.map(({ name }) => name)).toEqual(['Campaign 1', 'Campaign 2']);
  });

  it('is not chosen from a list of more than 100', async () => {
    const { shop } = await opened();
    const names = Array.from({ length: 100 }, (_, index) => `Product ${index}`);
    await Promise.all(names.map((name) => shop.references.create('products', { name })));
    expect((await shop.references.choices()).products).toHaveLength(100);
    await shop.references.create('products', { name: 'one more' });
    expect((await shop.references.choices()).products).toBeUndefined();
  });

  it('is replaced and amended from the version that was seen', async () => {
    const { shop } = await opened();
    const { id } = await shop.references.create('pricePoints', {
      amount: '19.99',
      currency: 'GBP',
    });
    const amended = await shop.references.amend('pricePoints', id, {
      amount: '5.5',
      billingCode: 'TEA',
    });
    expect(amended).toMatchObject({
      amount: '5.50',
      billingCode: 'TEA',
      premium: 0,
      rowVersion: 2,
    });
    const replacement = { amount: '1', currency: 'JPY', rowVersion: 1 };
    expect(await codeOf(shop.references.replace('pricePoints', id, replacement))).toBe(
      'StaleRowVersion',
    );
    const replaced = await shop.references.replace('pricePoints', id, {
      ...replacement,
      rowVersion: 2,
    });
    expect(replaced).toMatchObject({
      amount: '1',
      currency: 'JPY',
      billingCode: '',
      rowVersion: 3,
    });
  });

  it.each([
    ['pricePoints', { amount: '1.234', currency: 'GBP' }, 'AmountTooFine'],
    ['pricePoints', { amount: '1', currency: 'XXQ' }, 'UnknownCurrency'],
    ['shops', { name: 'Shop', companyId: 77, currency: 'GBP' }, 'ReferenceUnknown'],
    ['companies', { name: ' ' }, 'InputInvalid'],
    ['applications', { id: 5, name: 'x', kind: 1 }, 'ReservedApplicationId'],
  ] as const)('of %s refuses %j', async (kind, content, code) => {
    const { shop } = await opened();
    expect(await codeOf(shop.references.create(kind, content as never))).toBe(code);
  });
});
