/** Sender domains and webhook endpoints through the face of the engine. */
import { generateKeyPairSync } from 'node:crypto';
import { openLedger } from '@counterfoil/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from './shop.ts';

async function opened() {
  const ledger = await openLedger({ storage: 'memory:' });
  onTestFinished(() => ledger.close());
  for (const tenantId of [7, 8]) {
    const id = tenantId as Parameters<typeof ledger.tenants.onboard>[0];
    await ledger.tenants.onboard(id, { name: 'Acme' }, { actor: 'operator' });
  }
  const [shop, other] = [7, 8].map((tenantId) => ledger.as({ tenantId, actor: 'owner' }));
  if (shop === undefined || other === undefined) throw new Error('no tenants');
  return { shop, other };
}

const pemOf = (modulusLength: number) =>
  generateKeyPairSync('rsa', {
    modulusLength,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
const PEM = pemOf(1_024);

const UNKNOWN = '0198c0de-0000-7000-8000-000000000000';
const URL_OUT = 'https://hooks.shop.example/in';

describe('a sender domain', () => {
  it('authorizes its addresses until it is disabled or removed, and for its tenant alone', async () => {
    const { shop, other } = await opened();
    const { id } = await shop.senderDomains.create({ domain: 'Bücher.example' });
    const from = 'ann@xn--bcher-kva.example';
    expect(await shop.senderDomains.isAuthorized(from)).toBe(true);
    expect(await shop.senderDomains.isAuthorized('ann@a.bücher.example')).toBe(false);
    expect(await shop.senderDomains.isAuthorized('not an address')).toBe(false);
    expect(await other.senderDomains.isAuthorized(from)).toBe(false);
    await shop.senderDomains.change(id, { status: 'disabled' });
    expect(await shop.senderDomains.isAuthorized(from)).toBe(false);
    await shop.senderDomains.change(id, { status: 'authorized' });
    expect(await shop.senderDomains.isAuthorized(from)).toBe(true);
    await shop.senderDomains.remove(id);
    expect(await shop.senderDomains.isAuthorized(from)).toBe(false);
  });

  it('keeps its name as given, beside that of the DNS', async () => {
    const { shop } = await opened();
    expect(await shop.senderDomains.create({ domain: 'Bücher.example' })).toMatchObject({
      domain: 'Bücher.example',
      asciiDomain: 'xn--bcher-kva.example',
      rowVersion: 1,
    });
  });

  it('of another tenant is unknown', async () => {
    const { shop, other } = await opened();
    const { id } = await shop.senderDomains.create({ domain: 'shop.example' });
    for (const each of [id, UNKNOWN])
      expect(await codeOf(other.senderDomains.remove(each))).toBe('SenderDomainUnknown');
    expect((await other.senderDomains.list()).items).toEqual([]);
  });

  it('has a key that is masked when it is read, and unchanged by its mask', async () => {
    const { shop } = await opened();
    const dkim = { dkimSelector: 's1', dkimPrivateKey: PEM };
    const { id, dkimPrivateKey } = await shop.senderDomains.create({
      domain: 'a.example',
      ...dkim,
    });
    expect(dkimPrivateKey).toMatch(/^\*+$/);
    const same = await shop.senderDomains.change(id, { dkimPrivateKey });
    expect(same.rowVersion).toBe(1);
    const shown = [await shop.senderDomains.get(id), await shop.senderDomains.list()];
    expect(JSON.stringify(shown)).not.toContain('PRIVATE KEY');
    const none = { dkimSelector: null, dkimPrivateKey: null };
    expect(await shop.senderDomains.change(id, none)).toMatchObject(none);
  });

  it.each([
    ['a selector without a key', { dkimSelector: 's1' }, 'DkimIncomplete'],
    ['a key without a selector', { dkimPrivateKey: PEM }, 'DkimIncomplete'],
    ['a mask of nothing', { dkimSelector: 's1', dkimPrivateKey: '********' }, 'DkimIncomplete'],
    ['what is no key', { dkimSelector: 's1', dkimPrivateKey: 'secret' }, 'DkimKeyInvalid'],
    ['a short key', { dkimSelector: 's1', dkimPrivateKey: pemOf(512) }, 'DkimKeyInvalid'],
    ['a selector with spaces', { dkimSelector: 's 1', dkimPrivateKey: PEM }, 'InputInvalid'],
  ])('does not take %s', async (_, dkim, code) => {
    const { shop } = await opened();
    const created = shop.senderDomains.create({ domain: 'shop.example', ...dkim });
    expect(await codeOf(created)).toBe(code);
  });
});

describe('a webhook endpoint', () => {
  it('shows its secret once', async () => {
    const { shop } = await opened();
    const input = { direction: 'out', url: URL_OUT } as const;
    const { id, signingSecret } = await shop.webhookEndpoints.create(input);
    expect(signingSecret).toMatch(/^whsec_/);
    const shown = [await shop.webhookEndpoints.get(id), await shop.webhookEndpoints.list()];
    expect(JSON.stringify(shown)).not.toContain(signingSecret);
  });

  it('is rotated with an overlap of a day, or as long as it is said', async () => {
    const { shop } = await opened();
    const { id, overlapEndsAt } = await shop.webhookEndpoints.create({
      direction: 'out',
      url: URL_OUT,
    });
    expect(overlapEndsAt).toBeNull();
    expect((await shop.webhookEndpoints.rotate(id)).overlapEndsAt).not.toBeNull();
    expect((await shop.webhookEndpoints.rotate(id, { overlapDays: 0 })).overlapEndsAt).toBeNull();
    const tooLong = shop.webhookEndpoints.rotate(id, { overlapDays: 8 });
    expect(await codeOf(tooLong)).toBe('InputInvalid');
  });

  it('is listed by direction', async () => {
    const { shop } = await opened();
    const sent = await shop.webhookEndpoints.create({ direction: 'out', url: URL_OUT });
    const taken = await shop.webhookEndpoints.create({ direction: 'in', source: 'acme-pay' });
    const idsOf = async (direction?: 'in' | 'out') =>
      (await shop.webhookEndpoints.list({ direction })).items.map(({ id }) => id);
    expect(await idsOf('out')).toEqual([sent.id]);
    expect(await idsOf('in')).toEqual([taken.id]);
    // In the order of the ids, which two of one millisecond do not have in the order of their making.
    expect(await idsOf()).toEqual([sent.id, taken.id].sort());
  });

  it('of another tenant is unknown', async () => {
    const { shop, other } = await opened();
    const { id } = await shop.webhookEndpoints.create({ direction: 'out', url: URL_OUT });
    for (const each of [id, UNKNOWN])
      expect(await codeOf(other.webhookEndpoints.rotate(each))).toBe('WebhookEndpointUnknown');
  });

  it('is sent to public addresses only', async () => {
    const { shop } = await opened();
    const { webhookEndpoints } = shop;
    const input = { direction: 'out', url: 'https://10.0.0.1/' } as const;
    expect(await codeOf(webhookEndpoints.create(input))).toBe('WebhookUrlRefused');
    const { id } = await webhookEndpoints.create({ ...input, url: URL_OUT });
    const change = webhookEndpoints.change(id, { url: 'http://hooks.shop.example/' });
    expect(await codeOf(change)).toBe('WebhookUrlRefused');
  });

  it.each([
    { direction: 'out', source: 'acme-pay' },
    { direction: 'in', url: URL_OUT },
    { direction: 'in', source: 'Acme Pay' },
    { direction: 'in', source: 'acme-pay', signingSecret: 'secret' },
    { direction: 'out', url: URL_OUT, eventTypes: ['payment.unheard'] },
    { direction: 'out', url: URL_OUT, eventTypes: [] },
  ])('does not take %o', async (input) => {
    const { shop } = await opened();
    expect(await codeOf(shop.webhookEndpoints.create(input as never))).toBe('InputInvalid');
  });

  it('of a source has no URL to change', async () => {
    const { shop } = await opened();
    const { id } = await shop.webhookEndpoints.create({ direction: 'in', source: 'acme-pay' });
    expect(await codeOf(shop.webhookEndpoints.change(id, { url: URL_OUT }))).toBe('InputInvalid');
    const paused = await shop.webhookEndpoints.change(id, { status: 'paused' });
    expect(paused).toMatchObject({ status: 'paused', rowVersion: 2 });
  });
});
