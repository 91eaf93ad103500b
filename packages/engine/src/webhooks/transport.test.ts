/** Where webhooks are posted to, whatever a name resolves to, and how much of an answer is read. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isPublicAddress } from './addresses.ts';
import { checkedLookup } from './checked-lookup.ts';
import {
  type Answer,
  KEPT_ANSWER_BYTES,
  MAX_ANSWER_BYTES,
  Transport,
  type TransportOptions,
} from './transport.ts';

const BODY = Buffer.from('{}');

function transport(options: Partial<TransportOptions> = {}): Transport {
  const made = new Transport({ loopback: true, timeoutMs: 2_000, ...options });
  onTestFinished(() => made.close());
  return made;
}

function post(by: Transport, url: string): Promise<Answer> {
  return by.post({ url, headers: {}, body: BODY, signal: new AbortController().signal });
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The addresses that this process begins to connect to. */
function attempts(): string[] {
  const seen: string[] = [];
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string) => seen.push(address));
  };
  subscribe('net.client.socket', watch);
  onTestFinished(() => {
    unsubscribe('net.client.socket', watch);
  });
  return seen;
}

const NOT_PUBLIC = [
  '10.0.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::a00:1',
  '2002:a00:1::',
  '2001:0:a00:1::',
  'fe80::1',
  'fd00::1',
  'ff02::1',
  '2001:db8::1',
];
const notPublic = fc.constantFrom(...NOT_PUBLIC);
const address = fc.oneof(fc.ipV4(), fc.ipV6(), notPublic);

function lookedUp(resolved: readonly string[], all = true) {
  const lookup = checkedLookup(async () => resolved, { loopback: true });
  return new Promise<readonly string[]>((resolve, reject) => {
    lookup('hooks.example', { all }, (error, found: string | LookupAddress[]) => {
      if (error !== null) reject(error);
      else if (typeof found === 'string') resolve([found]);
      else resolve(found.map((each) => each.address));
    });
  });
}

describe('a name', () => {
  it('is connected to at the addresses that were checked, or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(address, { maxLength: 4 }), fc.boolean(), async (given, all) => {
        const found = await lookedUp(given, all).catch(() => undefined);
        const mayConnect = given.length > 0 && given.every(isPublicAddress);
        if (!mayConnect) return found === undefined;
        expect(found).toEqual(all ? given : given.slice(0, 1));
        return true;
      }),
    );
  });

  it('is asked for at every connection, and none is begun to a private address', async () => {
    const seen = attempts();
    await fc.assert(
      fc.asyncProperty(fc.array(notPublic, { minLength: 1, maxLength: 6 }), async (answers) => {
        let asked = 0;
        // Another answer each time, with a public one beside it.
        const resolve = async () => ['8.8.8.8', answers[asked++ % answers.length] ?? '::1'];
        const by = new Transport({ loopback: true, resolve });
        for (const _ of answers) {
          expect(await post(by, 'https://hooks.example/')).toMatchObject({
            status: null,
            fault: 'address_refused',
          });
        }
        by.close();
        expect(asked).toBe(answers.length);
      }),
      { numRuns: 30 },
    );
    expect(seen).toEqual([]);
  });

  it('that has no address is not connected to', async () => {
    const by = transport({ resolve: async () => [] });
    expect(await post(by, 'https://hooks.example/')).toMatchObject({ fault: 'name_not_resolved' });
  });

  it('of this machine is that of this machine, whatever a server of names says', async () => {
    const url = new URL(await serve((_, response) => response.end()));
    url.hostname = 'localhost';
    const by = transport({ resolve: async () => ['10.0.0.1'] });
    expect(await post(by, url.href)).toMatchObject({ status: 200 });
  });

  it('of this machine is refused where that is not admitted', async () => {
    const seen = attempts();
    const by = transport({ loopback: false });
    for (const url of ['https://localhost/', 'https://127.0.0.1/', 'https://[::1]/']) {
      expect(await post(by, url)).toMatchObject({ fault: 'url_refused' });
    }
    expect(seen).toEqual([]);
  });
});

it.each([
  'https://10.0.0.1/',
  'https://167772161/',
  'https://0xa000001/',
  'https://012.0.0.1/',
  'https://10.1/',
  'https://[::ffff:10.0.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://169.254.169.254/latest/meta-data/',
  'http://hooks.example/',
  'file:///etc/passwd',
])('nothing is connected to at %s, though an endpoint has it from before', async (url) => {
  const seen = attempts();
  expect(await post(transport(), url)).toMatchObject({ fault: 'url_refused' });
  expect(seen).toEqual([]);
});

describe('an answer', () => {
  it('is a status, though it leads elsewhere', async () => {
    const elsewhere = await serve((_, response) => response.end('elsewhere'));
    const url = await serve((_, response) =>
      response.writeHead(308, { location: elsewhere }).end(),
    );
    expect(await post(transport(), url)).toMatchObject({ status: 308, text: '' });
  });

  it('is kept as its first bytes, and cut off where it is long', async () => {
    let written = 0;
    const url = await serve((_, response) => {
      const more = () => {
        written += MAX_ANSWER_BYTES;
        if (response.writable) response.write('x'.repeat(MAX_ANSWER_BYTES), more);
      };
      more();
    });
    const { status, text } = await post(transport(), url);
    expect({ status, length: text.length }).toEqual({ status: 200, length: KEPT_ANSWER_BYTES });
    expect(written).toBeLessThan(1_000 * MAX_ANSWER_BYTES);
  });

  it('that is only announced is waited for', async () => {
    const url = await serve((_, response) => {
      response.writeProcessing();
      response.end('taken');
    });
    expect(await post(transport(), url)).toMatchObject({ status: 200, text: 'taken' });
  });

  it('that is not HTTP is a failure', async () => {
    const url = await serve((request) => request.socket.end('no\r\n\r\n'));
    expect(await post(transport(), url)).toMatchObject({ fault: 'connection_failed' });
  });

  it('that does not come in time is a timeout; one that has begun is its status', async () => {
    const never = await serve(() => undefined);
    const slow = await serve((_, response) => response.writeHead(202).write('a'));
    const patient = transport({ timeoutMs: 1_000 });
    expect(await post(transport({ timeoutMs: 100 }), never)).toMatchObject({
      status: null,
      fault: 'timeout',
    });
    // Time enough to begin, on a machine that is busy.
    expect(await post(patient, slow)).toMatchObject({ status: 202, text: 'a' });
  });

  it('of a connection that is closed is a failure', async () => {
    let requests = 0;
    const url = await serve((request) => {
      requests += 1;
      request.socket.destroy();
    });
    expect(await post(transport(), url)).toMatchObject({ fault: 'connection_failed' });
    expect(requests).toBe(1);
  });

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'is asked for again where a connection was kept too long (%s)',
    async (close) => {
      const used = new Set<Socket>();
      const url = await serve((request, response) => {
        if (used.has(request.socket)) request.socket[close]();
        else response.end('taken');
        used.add(request.socket);
      });
      const by = transport();
      await post(by, url);
      expect(await post(by, url)).toMatchObject({ status: 200, text: 'taken' });
      expect(used.size).toBe(2);
    },
  );

  it('is not waited for once the caller stops', async () => {
    const url = await serve(() => undefined);
    const given = { url, headers: {}, body: BODY, signal: AbortSignal.abort() };
    expect(await transport().post(given)).toMatchObject({ fault: 'stopped' });
  });
});

it('a connection is used again', async () => {
  const ports: (number | undefined)[] = [];
  const url = await serve((request, response) => {
    ports.push(request.socket.remotePort);
    response.end();
  });
  const by = transport();
  await post(by, url);
  await post(by, url);
  expect(new Set(ports).size).toBe(1);
});
