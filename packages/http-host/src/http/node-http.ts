/**
 * What the host takes of `node:http`. An import of it reads every export, and so loads the client of
 * Node's own `fetch`, 13 MB of memory that the host has no use for; `require` reads what is asked for.
 */
import { createRequire } from 'node:module';

const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');

export const { createServer, request, STATUS_CODES } = http;
