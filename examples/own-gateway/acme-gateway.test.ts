/** The example adapter under the gateway contract, against a test server. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type ChargeRequest,
  type FollowUpRequest,
  openSandboxGateway,
  type PaymentGateway,
} from '@counterfoil/engine/gateways';
import { gatewayContract } from '@counterfoil/engine/testing';
import { afterAll, beforeAll } from 'vitest';
import { acmeGateway } from './acme-gateway.ts';

let server: Server;
let url: string;
/** The test server simulates Acme with the sandbox. */
const books = openSandboxGateway({ path: ':memory:', gatewayId: 2 });

beforeAll(async () => {
  server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      // A lost response is a closed connection.
      if (error.name === 'GatewayTimeout') request.socket.destroy();
      else response.writeHead(409).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await books.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind = '', name = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
  const result =
    request.method === 'POST'
      ? await made(kind, name, await bodyOf(request))
      : await found(kind, name);
  response.writeHead(result === undefined ? 404 : 200).end(JSON.stringify(result));
}

async function bodyOf(request: IncomingMessage) {
  return JSON.parse(await text(request), (key, value) =>
    key === 'amountMinor' ? BigInt(value) : value,
  );
}

type Operation = keyof Pick<PaymentGateway, 'capture' | 'void' | 'refund'>;

function made(kind: string, operation: string, body: unknown): Promise<unknown> {
  if (kind === 'tokens') {
    const given = body as { card: Parameters<PaymentGateway['tokenize']>[0]; fingerprint: string };
    return books.tokenize(given.card, given.fingerprint);
  }
  if (kind === 'charges') return books.charge(body as ChargeRequest);
  if (kind === 'confirmations') return books.confirm(body as FollowUpRequest);
  return books[operation as Operation](body as FollowUpRequest);
}

function found(kind: string, name: string): Promise<unknown> {
  if (kind === 'tokens') return books.findToken(name);
  return kind === 'charges'
    ? books.findCharge({ idempotencyKey: name })
    : books.findFollowUp('refund', { idempotencyKey: name });
}

const cardOf = (number: string) => ({
  card: { number, expMonth: 12, expYear: 2090, cvv: '123', holder: 'Ada Byron' },
});
const approve = cardOf('4242424242424242');

gatewayContract({
  name: 'Acme',
  open: () => acmeGateway(url),
  behaviours: {
    approve,
    decline: cardOf('4000000000009979'),
    authorize: approve,
    voidOfCapture: approve,
    zeroAmount: approve,
    action: cardOf('4000000000003220'),
    lostCharge: cardOf('4000000000040818'),
    neverReceived: cardOf('4000000000040834'),
    lostRefund: cardOf('4000000000007726'),
    chargeback: 'lacks',
    alert: 'lacks',
  },
});
