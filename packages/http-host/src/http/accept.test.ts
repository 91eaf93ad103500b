/** Which content coding an Accept-Encoding header prefers. */
import { expect, it } from 'vitest';
import { codingOf } from './accept.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['deflate, zstd', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0, *;q=0.1', 'br'],
  ['gzip;q=1.0, br;q=0.8', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.5, *;q=0.2', 'gzip'],
  ['gzip;q=2', undefined],
  ['gzip;q=x', undefined],
  ['gzip ; q=0.3 , br ; q=0.7', 'br'],
])('%j gets %j', (header, coding) => {
  expect(codingOf(header)).toEqual({ coding, refusesIdentity: false });
});

it.each([
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0.0, zstd', undefined],
  ['br, *;q=0', 'br'],
])('%j admits no response without a coding', (header, coding) => {
  expect(codingOf(header)).toEqual({ coding, refusesIdentity: true });
});

it('an identity that is named is not excluded by the others', () => {
  expect(codingOf('identity, *;q=0')).toEqual({ coding: undefined, refusesIdentity: false });
});
