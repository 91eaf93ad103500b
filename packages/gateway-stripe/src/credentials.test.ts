/** Credentials of an account, as they are given and as they are refused. */
import { expect, it } from 'vitest';
import { credentialsOf } from './credentials.ts';

const TEST_KEY = 'rk_test_51AbcdefghijKL';
const LIVE_KEY = 'rk_live_51AbcdefghijKL';
const SECRETS = ['whsec_abcdefgh12345678', 'whsec_12345678abcdefgh'];

function read(apiKey: unknown, { sandbox = true, production = false } = {}) {
  const text = typeof apiKey === 'string' ? apiKey : JSON.stringify(apiKey);
  const credentials = { apiKey: text, username: '', password: '', emailAddress: '' };
  const account = { merchantAccountId: 1, mid: '1', credentials };
  return credentialsOf({ account, sandbox }, { production });
}

it('takes a key alone', () => {
  expect(read(TEST_KEY)).toEqual({
    key: TEST_KEY,
    signingSecrets: [],
    account: undefined,
    apiBase: undefined,
    cardNumbers: false,
  });
  expect(read('sk_live_51Abcdefghij', { sandbox: false }).key).toBe('sk_live_51Abcdefghij');
});

it('takes an object with all members', () => {
  const given = {
    key: LIVE_KEY,
    signingSecrets: SECRETS,
    account: 'acct_1AbcD',
    apiBase: 'https://stripe.proxy.example:8443',
    cardNumbers: true,
  };
  const { apiBase, ...rest } = read(given, { sandbox: false, production: true });
  expect({ ...rest, apiBase: apiBase?.origin }).toEqual(given);
});

it.each([
  ['', 'needs a key'],
  ['pk_test_51Abcdefghij', 'needs a key'],
  ['{"key":', 'is no JSON'],
  [{ key: TEST_KEY, secret: 'x' }, 'has an unknown member'],
  [{ key: TEST_KEY, signingSecrets: 'whsec_abcdefgh' }, 'has signingSecrets'],
  [{ key: TEST_KEY, signingSecrets: [...SECRETS, SECRETS[0]] }, 'has signingSecrets'],
  [{ key: TEST_KEY, account: 'cus_123' }, 'has an account'],
  [{ key: TEST_KEY, cardNumbers: 'yes' }, 'has cardNumbers'],
  [{ key: TEST_KEY, apiBase: 'not an address' }, 'has an apiBase that is no address'],
  [{ key: TEST_KEY, apiBase: 'http://stripe.example' }, 'has an apiBase that is not https'],
  [{ key: TEST_KEY, apiBase: 'ftp://127.0.0.1' }, 'has an apiBase that is not https'],
  [{ key: TEST_KEY, apiBase: 'https://stripe.example/v2' }, 'more than a host'],
  [{ key: TEST_KEY, apiBase: 'https://user@stripe.example' }, 'more than a host'],
])('refuses %j', (given, problem) => {
  expect(() => read(given)).toThrow(problem);
});

it('keeps test and live apart', () => {
  expect(() => read(LIVE_KEY, { sandbox: true })).toThrow('has a live key');
  expect(() => read(TEST_KEY, { sandbox: false })).toThrow('has a test key');
});

it('takes plain loopback outside production only', () => {
  const given = { key: TEST_KEY, apiBase: 'http://127.0.0.1:8080' };
  expect(read(given).apiBase?.port).toBe('8080');
  expect(() => read(given, { production: true })).toThrow('is not https');
});

it('never quotes a credential', () => {
  const given = { key: 'rk_test_short', signingSecrets: ['hunter2hunter2'] };
  expect(() => read(given)).toThrow(/^((?!short|hunter2).)*$/);
});
