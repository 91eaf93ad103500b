/** Connections to servers that tenants name: to public addresses only, whatever their names resolve to. */
import { connect, isIP } from 'node:net';
import { checkedLookup, isPublicAddress, resolveByDns } from '../webhooks/index.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const lookup = checkedLookup(resolveByDns, { loopback: false });

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
  const socket = connect({ host, port: Number(port), lookup });
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

function notPublic(): NodeJS.ErrnoException {
  return failure('EADDRESSNOTPUBLIC');
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
