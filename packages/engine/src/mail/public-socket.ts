/** Connections to servers that tenants name: to public addresses only, whatever their names resolve to. */
import { type LookupAddress, lookup } from 'node:dns';
import { connect, isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../webhooks/index.ts';

const CONNECT_TIMEOUT_MS = 10_000;

interface Target {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
}

type Connected = (error: Error | null, socket?: { connection: ReturnType<typeof connect> }) => void;

/** As nodemailer asks for its sockets. */
export function publicSocket({ host = '', port = 0 }: Target, connected: Connected): void {
  if (isIP(host) !== 0 && !isPublicAddress(host)) {
    connected(notPublic());
    return;
  }
  const socket = connect({ host, port: Number(port), lookup: publicLookup });
  let isSettled = false;
  const settle: Connected = (error, found) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    socket.off('error', settle);
    if (error !== null) socket.destroy();
    connected(error, found);
  };
  const timer = setTimeout(() => settle(failure('ETIMEDOUT')), CONNECT_TIMEOUT_MS);
  socket.on('error', settle);
  socket.once('connect', () => settle(null, { connection: socket }));
}

/** Looks a name up, and answers its public addresses; an error where it has others only. */
export const publicLookup: LookupFunction = (hostname, options, answer) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses: readonly LookupAddress[] = found ?? [];
    const admitted = addresses.filter(({ address }) => isPublicAddress(address));
    const [first] = admitted;
    if (error !== null) answer(error, '', 0);
    else if (first === undefined) answer(notPublic(), '', 0);
    else if (options.all === true) answer(null, admitted as LookupAddress[], first.family);
    else answer(null, first.address, first.family);
  });
};

function notPublic(): NodeJS.ErrnoException {
  return failure('EADDRESSNOTPUBLIC');
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
