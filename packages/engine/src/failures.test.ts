/** An outage of a store is a transient refusal, and never a defect of the ledger. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { EventStoreError } from '@counterfoil/core';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { refusalOf } from './failures.ts';

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

describe('a failure of a store', () => {
  it.each([
    ['a connection is refused by too many others', '53300'],
    ['a server ends', '57P01'],
    ['a statement takes too long', '57014'],
    ['a database takes no connections', '55000'],
    ['a lock is not to be had', '55P03'],
    ['two transactions met', '40P01'],
    ['a standby takes no writes', '25006'],
    ['a disk is full', '53100'],
  ])('is transient where %s', (_, code) => {
    expect(refusalOf(serverError(code))).toMatchObject({
      code: 'DatabaseUnavailable',
      isTransient: true,
    });
  });

  it.each([
    ['cutting', {}],
    ['absent', {}],
    ['silent', { connectionTimeoutMillis: 20 }],
  ] as const)('is transient where the server is %s', async (server, config) => {
    expect(refusalOf(await errorOf(server, config))).toMatchObject({ isTransient: true });
  });

  it.each(['23505', '42P01', '22P02'])(
    'is nothing foreseen where a statement is wrong: %s',
    (code) => {
      expect(refusalOf(serverError(code))).toBeUndefined();
    },
  );

  it.each([
    ['unavailable', 'LogUnavailable'],
    ['full', 'LogReadOnly'],
    ['closed', 'LogReadOnly'],
  ] as const)('of the log, %s, is %s', (code, refusal) => {
    expect(refusalOf(new EventStoreError(code, 'a failure'))?.code).toBe(refusal);
  });
});
