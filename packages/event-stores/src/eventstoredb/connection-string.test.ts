/** The URL of a cluster comes to the clients as it was, but for what the adapter decides. */
import { expect, it } from 'vitest';
import { connectionString, parseClusterUrl } from './connection-string.ts';

const target = { scheme: 'esdb', leader: undefined, serial: 7 } as const;
const leader = { address: 'n2', port: 2114 };

it.each([
  ['esdb://h:2113?tls=false', 'esdb://h:2113?tls=false&keepAliveInterval=10007'],
  ['kdb+discover://h', 'esdb+discover://h?keepAliveInterval=10007'],
  [
    'esdb://u:p%40x@a:1,b:2/?TLS_CA_File=c.pem',
    'esdb://u:p%40x@a:1,b:2?tlsCAFile=c.pem&keepAliveInterval=10007',
  ],
  ['esdb://h?keepAliveInterval=20000', 'esdb://h?keepAliveInterval=20007'],
  ['esdb://h?keepAliveInterval=-1', 'esdb://h?keepAliveInterval=-1&keepAliveTimeout=10007'],
  ['esdb://h?throwOnAppendFailure=false', 'esdb://h?keepAliveInterval=10007'],
])('%s becomes %s', (url, text) => {
  expect(connectionString(parseClusterUrl(url), target)).toBe(text);
});

it('goes to a leader that is known, with the same user and options', () => {
  const url = parseClusterUrl('kurrentdb+discover://u:p@a:1,b:2?tls=false');
  expect(connectionString(url, { ...target, scheme: 'kurrentdb', leader })).toBe(
    'kurrentdb://u:p@n2:2114?tls=false&keepAliveInterval=10007',
  );
});

it('takes the credentials apart', () => {
  const { credentials } = parseClusterUrl('esdb://us%3Aer:p%40ss@h');
  expect(credentials).toEqual({ username: 'us:er', password: 'p@ss' });
  expect(parseClusterUrl('esdb://h').credentials).toBeUndefined();
});
