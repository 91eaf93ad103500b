/**
 * A receiver of webhooks: parses each body, answers every tenth with 503 and the others with 200.
 *
 *     node webhook-sink.ts
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const FAILS_OF = 10;

let received = 0;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof parsed !== 'object') throw new TypeError('the body is not an object');
    received += 1;
    response.writeHead(received % FAILS_OF === 0 ? 503 : 200, { 'content-length': 2 });
    response.end('ok');
  });
});

server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
