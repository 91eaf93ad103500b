/**
 * The limit of `node:http`: parses the body of each request, and sends a constant response.
 *
 *     node raw-http.ts <file with {status, headers, body}>
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Recorded {
  readonly status: number;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: string;
}

const { status, headers, body } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as Recorded;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof parsed !== 'object') throw new TypeError('the body is not an object');
    response.writeHead(status, [...headers]);
    response.end(body);
  });
});

server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit());
