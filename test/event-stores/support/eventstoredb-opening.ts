/** Cases of the EventStoreDB adapter about a log that cannot be opened: the reason is named, and what to do. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type ClientKind, openEventStoreDb } from '@counterfoil/event-stores/eventstoredb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverForThisFile } from './eventstoredb.ts';

const CASE_TIMEOUT_MS = 30_000;
/** Signed by itself, for localhost, until 2126; the key guards nothing. */
const pem = (name: string) => fileURLToPath(new URL(`./tls/${name}.pem`, import.meta.url));

export function describeOpening(client: ClientKind): void {
  const server = serverForThisFile();
  const secure = createSecureServer({
    key: readFileSync(pem('key')),
    cert: readFileSync(pem('certificate')),
  });
  let securePort = 0;
  beforeAll(async () => {
    await once(secure.listen(0, '127.0.0.1'), 'listening');
    securePort = (secure.address() as AddressInfo).port;
  });
  afterAll(() => void secure.close());

  /** Why a log is not opened; no message and no stack may hold the password. */
  async function refusal(url: string): Promise<string> {
    const options = { url, client, retryMs: 50, deadlineMs: 2_000 };
    const error: unknown = await openEventStoreDb(options).catch((reason) => reason);
    expect(error).toMatchObject({ name: 'EventStoreError', code: 'unavailable' });
    expect(String((error as Error).stack)).not.toContain('hunter2');
    return (error as Error).message;
  }

  describe(`eventstoredb, client ${client}: opening a log says what to do`, {
    timeout: CASE_TIMEOUT_MS,
  }, () => {
    const plain = () => server().url.replace('esdb://', '').replace(/\?.*/, '');

    it.each(['accessDenied', 'unauthenticated'] as const)('about a user: %s', async (reason) => {
      const refuse = () => server().faults.set({ on: 'read', kind: 'refuse', reason });
      refuse();
      expect(await refusal(`esdb://${plain()}?tls=false`)).toContain('give one in the URL');
      refuse();
      const insecure = await refusal(`esdb://user:hunter2@${plain()}?tls=false`);
      expect(insecure).toContain('no password is sent over tls=false');
    });

    it.each(['esdb', 'esdb+discover'])('about TLS and the way to it: %s', async (scheme) => {
      const ONE_TRY = 'maxDiscoverAttempts=1';
      const user = `${scheme}://user:hunter2@`;
      expect(await refusal(`${user}localhost:${securePort}?${ONE_TRY}`)).toMatch(
        /certificate that is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*tlsCAFile/,
      );
      const known = `tlsCAFile=${pem('certificate')}&${ONE_TRY}`;
      expect(await refusal(`${user}127.0.0.1:${securePort}?${known}`)).toContain(
        'has a certificate for other hosts',
      );
      expect(await refusal(`${user}${plain()}?${ONE_TRY}`)).toContain(
        'does not speak TLS: add tls=false',
      );
      expect(await refusal(`${user}localhost:${securePort}?tls=false&${ONE_TRY}`)).toContain(
        'speaks TLS: leave tls=false out',
      );
      expect(await refusal(`${user}127.0.0.1:9?tls=false&${ONE_TRY}`)).toContain(
        '127.0.0.1:9 cannot be reached (ECONNREFUSED): start the server',
      );
    });
  });
}
