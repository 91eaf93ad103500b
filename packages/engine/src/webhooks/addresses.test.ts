/** URLs that webhooks are sent to, and those that are refused for certain. */
import { describe, expect, it } from 'vitest';
import { isPublicAddress, urlFault } from './addresses.ts';

const PRODUCTION = { loopback: false };
const DEVELOPMENT = { loopback: true };

describe('a URL', () => {
  it.each([
    'https://hooks.example/in?key=1',
    'https://hooks.example:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
  ])('%s is taken', (url) => {
    expect(urlFault(url, PRODUCTION)).toBeUndefined();
  });

  it.each([
    ['hooks.example', 'not_a_url'],
    ['http://hooks.example/', 'scheme'],
    ['ftp://hooks.example/', 'scheme'],
    ['https://ann@hooks.example/', 'credentials'],
    ['https://:secret@hooks.example/', 'credentials'],
    ['https://hooks.example/#top', 'fragment'],
    ['https://hooks.example/#', 'fragment'],
    // One address in all its notations.
    ['https://10.0.0.1/', 'address'],
    ['https://167772161/', 'address'],
    ['https://0xa000001/', 'address'],
    ['https://012.0.0.1/', 'address'],
    ['https://10.1/', 'address'],
    ['https://10.0.0.1./', 'address'],
    ['https://１０.0.0.1/', 'address'],
    ['https://[::ffff:10.0.0.1]/', 'address'],
    ['https://[::ffff:a00:1]/', 'address'],
    ['https://[64:ff9b::10.0.0.1]/', 'address'],
    ['https://[2002:a00:1::]/', 'address'],
    ['https://169.254.169.254/latest/meta-data/', 'address'],
    ['https://172.31.255.255/', 'address'],
    ['https://192.168.1.1/', 'address'],
    ['https://100.64.0.1/', 'address'],
    ['https://0.0.0.0/', 'address'],
    ['https://224.0.0.1/', 'address'],
    ['https://[fe80::1]/', 'address'],
    ['https://[fd00::1]/', 'address'],
    ['https://[::]/', 'address'],
  ])('%s is refused: %s', (url, fault) => {
    expect(urlFault(url, DEVELOPMENT)).toBe(fault);
  });

  it.each([
    'http://localhost:3000/',
    'http://shop.localhost/',
    'http://127.0.0.1:3000/',
    'http://2130706433/',
    'https://[::1]/',
  ])('%s of this machine is taken only where that is admitted', (url) => {
    expect(urlFault(url, DEVELOPMENT)).toBeUndefined();
    expect(urlFault(url, PRODUCTION)).toBe('address');
  });
});

it('an address is public where no network is kept for something else', () => {
  const asked = ['8.8.8.8', '172.15.255.255', '172.32.0.0', '2a00::1', '10.0.0.1', '::1', 'no-ip'];
  expect(asked.filter(isPublicAddress)).toEqual([
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '2a00::1',
  ]);
});
