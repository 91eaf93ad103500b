/** Parsing of mail settings. */
import { describe, expect, it } from 'vitest';
import { mailAddressOf, smtpServerOf } from './mail-settings.ts';

describe('SMTP_URL', () => {
  it.each([
    ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false }],
    ['smtps://mail.example', { host: 'mail.example', port: 465, secure: true }],
    ['smtp://127.0.0.1:2525/', { host: '127.0.0.1', port: 2525, secure: false }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false }],
    [
      'smtps://us%3Aer:p%40ss%2Fword@mail.example:4650',
      { port: 4650, credentials: { user: 'us:er', password: 'p@ss/word' } },
    ],
  ])('%s', (text, server) => {
    expect(smtpServerOf(text)).toMatchObject(server);
  });

  it.each([
    '',
    'mail.example',
    'mail.example:25',
    'http://mail.example',
    'smtp://',
    'smtp://mail.example:0',
    'smtp://mail.example:70000',
    'smtp://mail.example/inbox',
    'smtp://mail.example?pool=true',
    'smtp://mail.example#top',
    'smtp://user@mail.example',
    'smtp://:password@mail.example',
    'smtp://user:pass%0D%0Aword@mail.example',
    'smtp://user:p%zz@mail.example',
    'smtp://mail.example\r\n',
  ])('refuses %j', (text) => {
    expect(smtpServerOf(text)).toBeUndefined();
  });
});

describe('MAIL_FROM', () => {
  it.each([
    ['a@acme.example', '', 'a@acme.example'],
    ['<a@acme.example>', '', 'a@acme.example'],
    ['Acme <a@acme.example>', 'Acme', 'a@acme.example'],
    [' Żółw Ltd  <a@acme.example> ', 'Żółw Ltd', 'a@acme.example'],
    ['"Acme, Ltd" <a@acme.example>', 'Acme, Ltd', 'a@acme.example'],
  ])('%j', (text, name, address) => {
    expect(mailAddressOf(text)).toEqual({ name, address });
  });

  it.each([
    'Acme',
    'Acme <>',
    'Acme <a@acme.example',
    'Acme a@acme.example',
    'a@acme.example, b@acme.example',
    'Acme <a@acme.example> <b@acme.example>',
    'Acme\r\nBcc: b@acme.example <a@acme.example>',
    `${'x'.repeat(201)} <a@acme.example>`,
    'Acme <a@acme.example\r\n>x',
  ])('refuses %j', (text) => {
    expect(mailAddressOf(text)).toBeUndefined();
  });
});
