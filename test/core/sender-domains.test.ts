/** Sender domains: each once, however it is written, and which addresses they authorize. */
import { fold, SenderDomains, type TenantId } from '@counterfoil/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(SenderDomains);
const tenantId = 7 as TenantId;
const at = '2026-01-10T12:00:00.000Z';
const id = (number: number) => `0192f000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const SETTINGS = { includeSubdomains: false, status: 'authorized', dkim: null } as const;

const added = (
  number: number,
  domain: string,
  settings: Partial<SenderDomains.Settings> = {},
): SenderDomains.Event => ({
  type: 'SenderDomainAdded',
  domainId: id(number),
  domain,
  ...SETTINGS,
  ...settings,
  at,
});
const add = (number: number, domain: string): SenderDomains.Command => ({
  type: 'AddSenderDomain',
  tenantId,
  domainId: id(number),
  domain,
  ...SETTINGS,
  at,
});
const change = (
  number: number,
  settings: Partial<SenderDomains.Settings>,
  rowVersion?: number,
): SenderDomains.Command => ({
  type: 'ChangeSenderDomain',
  tenantId,
  domainId: id(number),
  ...SETTINGS,
  ...settings,
  rowVersion,
  at,
});

describe('a sender domain', () => {
  it.each([
    ['shop.example', 'SHOP.Example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'bücher.example'],
  ])('%s is the same as %s', (one, other) => {
    when([added(1, one)], add(2, other)).thenRejected({
      type: 'SenderDomainExists',
      domainId: id(1),
    });
  });

  it.each([
    'shop',
    'a b.example',
    '10.0.0.1',
    'shop.example.',
    'ann@shop.example',
    '*.shop.example',
  ])('%s is none', (domain) => {
    when([], add(1, domain)).thenRejected({ type: 'SenderDomainInvalid', domain });
  });

  it('is changed from the version that was seen', () => {
    const stale = { type: 'StaleRowVersion', rowVersion: 2, current: 1 } as const;
    when([added(1, 'shop.example')], change(1, {}, 2)).thenRejected(stale);
    when([added(1, 'shop.example')], change(1, {})).thenNothing();
    when([], change(1, {})).thenRejected({ type: 'SenderDomainUnknown' });
  });

  it('may be added again once it is removed', () => {
    const removed: SenderDomains.Event = { type: 'SenderDomainRemoved', domainId: id(1), at };
    when([added(1, 'shop.example'), removed], add(2, 'shop.example')).then(
      added(2, 'shop.example'),
    );
  });

  it('has company up to a bound', () => {
    const max = SenderDomains.MAX_DOMAINS;
    const all = Array.from({ length: max }, (_, number) => added(number, `d${number}.example`));
    when(all, add(max, 'one-more.example')).thenRejected({ type: 'TooManySenderDomains', max });
  });
});

const authorizes = (past: readonly SenderDomains.Event[], domain: string) =>
  SenderDomains.authorizing(fold(SenderDomains, past), domain)?.domain;

describe('authorization', () => {
  it('is of the domain alone, unless it includes subdomains', () => {
    expect(authorizes([added(1, 'shop.example')], 'Shop.Example')).toBe('shop.example');
    expect(authorizes([added(1, 'shop.example')], 'mail.shop.example')).toBeUndefined();
    const all = added(1, 'shop.example', { includeSubdomains: true });
    expect(authorizes([all], 'a.mail.shop.example')).toBe('shop.example');
    expect(authorizes([all], 'my-shop.example')).toBeUndefined();
  });

  it('is taken from a part of a domain by an entry of its own', () => {
    const past = [
      added(1, 'shop.example', { includeSubdomains: true }),
      added(2, 'old.shop.example', { status: 'disabled' }),
    ];
    expect(authorizes(past, 'old.shop.example')).toBeUndefined();
    expect(authorizes(past, 'new.shop.example')).toBe('shop.example');
  });

  it('is by the nearest entry that has a say', () => {
    const labels = fc.constantFrom('a', 'b');
    const below = fc.array(labels, { maxLength: 3 });
    const entry = fc.record({
      below,
      includeSubdomains: fc.boolean(),
      status: fc.constantFrom('authorized' as const, 'disabled' as const),
    });
    const nameOf = (parts: readonly string[]) => [...parts, 'shop', 'example'].join('.');
    const entries = fc.uniqueArray(entry, { selector: (each) => nameOf(each.below) });
    fc.assert(
      fc.property(entries, below, (given, asked) => {
        const past = given.map(({ below: parts, ...settings }, index) =>
          added(index, nameOf(parts), settings),
        );
        // Those that are the name or above it, the longest first.
        const deciding = given
          .filter((each) => `.${nameOf(asked)}`.endsWith(`.${nameOf(each.below)}`))
          .toSorted((one, other) => other.below.length - one.below.length)
          .find((each) => each.below.length === asked.length || each.includeSubdomains);
        const expected = deciding?.status === 'authorized' ? nameOf(deciding.below) : undefined;
        expect(authorizes(past, nameOf(asked))).toBe(expected);
      }),
    );
  });
});
