/** Finds out why a cluster cannot be opened, and what to do: the clients' errors rarely say. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { EventStoreError } from '@counterfoil/core';
import type { ClusterUrl } from './connection-string.ts';
import { isType } from './failures.ts';

const DEFAULT_PORT = 2113;
const PROBE_TIMEOUT_MS = 2_000;
/** Codes of Node for certificates: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_.*)$/;

/** The error with the cause that a probe of the server finds; the same error where it finds none. */
export async function explained(error: unknown, url: ClusterUrl): Promise<unknown> {
  if (!(error instanceof EventStoreError) || error.code === 'corrupt') return error;
  const reason = isType(error.cause, 'access-denied')
    ? refusedUser(url)
    : await unreachable(url).catch(() => undefined);
  if (reason === undefined) return error;
  return new EventStoreError(error.code, reason, { cause: error.cause });
}

function refusedUser({ hosts, credentials, options }: ClusterUrl): string {
  if (credentials !== undefined && options.get('tls') === 'false') {
    return `${hosts} refuses a call without a user, and no password is sent over tls=false: use TLS, or a server that is insecure`;
  }
  return credentials === undefined
    ? `${hosts} refuses a call without a user: give one in the URL, as in esdb://user:password@host:2113`
    : `${hosts} refuses the user or the password of the URL, or the user may not read and write the streams of the log and read $all`;
}

/** The problem of the first host of the URL that has one. */
async function unreachable(url: ClusterUrl): Promise<string | undefined> {
  for (const host of url.hosts.split(',')) {
    const { hostname, port } = new URL(`http://${host}`);
    const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
    const reason = await obstacle(place, url.options);
    if (reason !== undefined) return `${host} ${reason}`;
  }
  return undefined;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

async function obstacle(place: Place, options: ClusterUrl['options']): Promise<string | undefined> {
  const refused = codeOf(await attempt(connect(place), 'connect'));
  if (refused === 'ENOTFOUND') return 'is a host that no name server knows: correct the URL';
  if (refused !== undefined)
    return `cannot be reached (${refused}): start the server, or correct the URL`;
  const wantsTls = options.get('tls') !== 'false';
  const untrusting = await attempt(
    connectTls({ ...place, ALPNProtocols: ['h2'], rejectUnauthorized: false }),
    'secureConnect',
  );
  if (!wantsTls) {
    return untrusting === undefined ? 'speaks TLS: leave tls=false out of the URL' : undefined;
  }
  if (untrusting !== undefined)
    return 'does not speak TLS: add tls=false to the URL, or give it a certificate';
  const file = options.get('tlsCAFile');
  const ca = file === undefined ? {} : { ca: readFileSync(file) };
  const code = codeOf(
    await attempt(connectTls({ ...place, ...ca, ALPNProtocols: ['h2'] }), 'secureConnect'),
  );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'has a certificate for other hosts: name the server in the URL as its certificate does';
  }
  return code !== undefined && UNTRUSTED.test(code)
    ? `has a certificate that is not trusted (${code}): name the file of its authority in the URL, as in ?tlsCAFile=ca.pem`
    : undefined;
}

/** The error of a connection attempt; undefined when it succeeded. It is closed again. */
function attempt(socket: Socket, event: 'connect' | 'secureConnect'): Promise<unknown> {
  return new Promise((resolve) => {
    const done = (error?: unknown) => {
      socket.destroy();
      resolve(error);
    };
    socket.once(event, () => done());
    socket.on('error', done);
    socket.once('close', () => done({ code: 'ECONNRESET' }));
    socket.setTimeout(PROBE_TIMEOUT_MS, () => done({ code: 'ETIMEDOUT' }));
  });
}

function codeOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'failed';
}
