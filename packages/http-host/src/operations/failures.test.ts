/** An outage of a store is a matter of time: its callers are told to repeat, and never that the host is at fault. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { EventStoreError } from '@counterfoil/core';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { refusalOfFailure } from './failures.ts';

/** As the driver makes it of what the server says. */
function serverError(code: string): Error {
  const error = new pg.DatabaseError('said by the server', 1, 'error');
  return Object.assign(error, { code, severity: 'ERROR' });
}

/** What the driver throws for a server that ends each connection, or keeps silent, or is not there. */
async function errorOf(server: 'cutting' | 'silent' | 'absent', config: pg.ClientConfig = {}) {
  const listening = createServer((socket) => {
    socket.on('error', () => undefined);
    if (server === 'cutting') socket.once('data', () => socket.destroy());
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  if (server === 'absent') listening.close();
  const client = new pg.Client({ host: '127.0.0.1', port, ...config });
  client.on('error', () => undefined);
  const error: unknown = await client.connect().catch((reason: unknown) => reason);
  await client.end().catch(() => undefined);
  listening.close();
  return error;
}

describe('a failure below the HTTP layer', () => {
  it.each([
    ['a connection is refused by too many others', '53300'],
    ['a server ends', '57P01'],
    ['a statement takes too long', '57014'],
    ['a database takes no connections', '55000'],
    ['a lock is not to be had', '55P03'],
    ['two transactions met', '40P01'],
    ['a standby takes no writes', '25006'],
    ['a disk is full', '53100'],
  ])('is a 503 where %s', (_, code) => {
    expect(refusalOfFailure(serverError(code))).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '1' },
    });
  });

  it.each([
    ['cutting', {}],
    ['absent', {}],
    ['silent', { connectionTimeoutMillis: 20 }],
  ] as const)('is a 503 where the server is %s', async (server, config) => {
    expect(refusalOfFailure(await errorOf(server, config))).toMatchObject({ status: 503 });
  });

  it.each(['23505', '42P01', '22P02'])(
    'is nothing foreseen where a statement is wrong: %s',
    (code) => {
      expect(refusalOfFailure(serverError(code))).toBeUndefined();
    },
  );

  it('says that nothing was done only where that is known', () => {
    const toldOf = (code: EventStoreError['code']) =>
      refusalOfFailure(new EventStoreError(code, 'a failure'))?.message;
    expect(toldOf('full')).toMatch(/nothing was done/);
    expect(toldOf('unavailable')).toMatch(/may have been done/);
  });
});
