/** Addresses: which are taken, and which are one mailbox. */
import { emailIdentity, isEmail, withAsciiDomain } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';

describe('an address', () => {
  it.each([
    'ada@example.com',
    'a@b.co',
    'R&D@example.com',
    'a=b@example.com',
    'dept/ada@example.com',
    'ada+club@example.com',
    "o'hara@example.com",
    '!#$%&*-/=?^_`{|}~@example.com',
    'jörg@bücher.example',
    'Ada@BÜCHER.example',
    'ada@xn--bcher-kva.example',
    '用户@例子.广告',
    `${'a'.repeat(64)}@example.com`,
    'ada@1.example',
  ])('is %s', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@@example.com',
    'a@b@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@-example.com',
    'ada@exa_mple.com',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@１２７.0.0.1',
    'ada lovelace@example.com',
    '"ada lovelace"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com\r\nBcc: all@example.com',
    'ada\n@example.com',
    'ada\u00a0@example.com',
    'ada\u202e@example.com',
    'ada@bücher.example/x',
    'ada@bücher.example:25',
    'ada,bob@example.com',
    '\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `${'ü'.repeat(33)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(126)}com`,
  ])('is not %j', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});

describe('one mailbox', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@bücher.example', 'ada@XN--BCHER-KVA.example'],
    ['JÖRG@example.com', 'jo\u0308rg@example.com'],
  ])('is %s and %s', (one, other) => {
    expect(emailIdentity(one)).toBe(emailIdentity(other));
  });

  it('is not another one', () => {
    expect(emailIdentity('jörg@example.com')).not.toBe(emailIdentity('jorg@example.com'));
    expect(emailIdentity('no address Ü')).toBe('no address ü');
    expect(emailIdentity('')).toBe('');
  });

  it('goes to mail servers with a domain that they know', () => {
    expect(withAsciiDomain('Ada+x@BÜCHER.example')).toBe('Ada+x@xn--bcher-kva.example');
    expect(withAsciiDomain('Ada@Example.com')).toBe('Ada@example.com');
  });
});
