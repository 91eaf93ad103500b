/** How commands reach the ledger: a host at an address, the host of the data folder, or the stores themselves. */
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { EventStoreError } from '@counterfoil/core';
import { isApiKey } from '@counterfoil/engine';
import { hostDatabaseUrlOf } from '@counterfoil/engine/storage';
import type { Command } from 'commander';
import { z } from 'zod';
import { compose, type Host } from '../composition-root.ts';
import type { Config } from '../config.ts';
import { createLogger } from '../http/logging.ts';
import { socketFault, socketPathOf } from '../operator/local-socket.ts';
import { refuseWithoutLog } from '../operator/refuse-without-log.ts';
import { HostClient, type Way } from './host-client.ts';
import { HostsRunning, refuseBesideHosts } from './running-hosts.ts';
import { type Session, WrongWords } from './session.ts';

/** Where a host of the interface is, and whose key it is asked with. */
export interface Address {
  readonly url?: string;
  readonly keyFile?: string;
  readonly user?: string;
}

export interface Needs {
  /** Answers come from the read models. */
  readonly readModels?: boolean;
  /**
   * That of all tenants: no user need be named, and hosts on shared stores have clocks of their own. When
   * moved, everything that becomes due is done; any other command leaves that to the host.
   */
  readonly clock?: 'shown' | 'moved';
  /** It may be the first command on a folder; any other one refuses a folder without a ledger. */
  readonly isFirst?: boolean;
}

const STDIN = '-';

/** For commands that a key of a tenant can do too. */
export function withAddress(command: Command): Command {
  return command
    .option('--url <url>', 'of a running host; absent: the host or the stores of this environment')
    .option(
      '--key-file <path>',
      'holds the API key for --url, - for standard input (env: COUNTERFOIL_KEY, the key)',
    )
    .option('--user <email>', 'the user who acts, for --url (env: COUNTERFOIL_USER)');
}

/** Works with the host at the address, else with that of this environment. */
export async function withHost(
  session: Session,
  address: Address,
  work: (host: HostClient) => Promise<void>,
  needs: Needs = {},
): Promise<void> {
  if (address.url !== undefined) {
    // No event tells who moved the clock.
    const user = address.user ?? session.env['COUNTERFOIL_USER'];
    if (user === undefined && needs.clock === undefined) {
      throw new WrongWords('--url needs the user who acts: COUNTERFOIL_USER or --user');
    }
    return work(new HostClient(await overHttp(session, { ...address, user })));
  }
  if (address.keyFile !== undefined) throw new WrongWords('--key-file needs --url');
  return withOwnHost(session, work, needs);
}

/**
 * With the rights of the operator: through the socket of the host that runs on the data folder, else
 * through a host in this process. With shared stores, that works beside the others.
 */
export async function withOwnHost(
  session: Session,
  work: (host: HostClient) => Promise<void>,
  needs: Needs = {},
): Promise<void> {
  const given = session.config();
  const config = { ...given, logLevel: given.logLevel === 'silent' ? 'silent' : 'error' } as const;
  const running = await runningHost(config);
  if (running !== undefined) return work(running);
  const host = await opened(session, config, needs);
  try {
    if (needs.readModels === true) await host.engine.started();
    const options = { createConnection: () => host.connectOperator() };
    // Any stream will do for a connection.
    await work(new HostClient({ name: 'the ledger', options: options as Way['options'] }));
  } finally {
    await host.close();
  }
}

async function opened(
  { stderr }: Session,
  config: Config,
  { clock, isFirst = false }: Needs,
): Promise<Host> {
  if (!isFirst) refuseWithoutLog(config);
  if (clock !== undefined && hostDatabaseUrlOf(config) !== undefined)
    await refuseBesideHosts(config);
  try {
    const logger = createLogger({ level: config.logLevel, destination: stderr });
    return await compose(config, { serves: clock === 'moved', logger });
  } catch (error) {
    if (!(error instanceof EventStoreError) || error.code !== 'locked') throw error;
    throw new HostsRunning(`${error.message}, and ${whyUnreached(config)}`);
  }
}

function whyUnreached(config: Config): string {
  const path = socketPathOf(config) ?? '';
  const fault = socketFault(path);
  return fault === undefined
    ? `no host answers at ${path}: it is starting, ending, or another command. Try again, or stop the process that \`lsof\` names`
    : `it cannot be asked, since ${fault}. Use --url, or stop the process that \`lsof\` names`;
}

/** The host that runs on the data folder; undefined without one, and for stores that are not in files. */
export async function runningHost(config: Config): Promise<HostClient | undefined> {
  const path = socketPathOf(config);
  if (path === undefined || socketFault(path) !== undefined) return undefined;
  const client = new HostClient({ name: 'the host', options: { socketPath: path } });
  return (await answersAt(path)) ? client : undefined;
}

/** A killed host leaves its socket, which refuses connections. */
async function answersAt(path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const socket = createConnection(path, () => resolve(true));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(false);
    else reject(error);
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

const Identity = z.object({ pid: z.int() });

/** Refuses with the process to stop, for what cannot be done beside it. */
export async function refuseBesideHost(config: Config): Promise<void> {
  const running = await runningHost(config);
  if (running !== undefined) {
    const { pid } = await running.ask(Identity, { method: 'GET', path: '/operator/host' });
    throw new HostsRunning(`a host runs on this folder: stop the process ${pid} first`);
  }
  if (hostDatabaseUrlOf(config) !== undefined) await refuseBesideHosts(config);
}

async function overHttp(
  { env, stdin }: Session,
  { url = '', keyFile, user }: Omit<Address, 'user'> & { readonly user: string | undefined },
): Promise<Way> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new WrongWords(`${url} is not an address of a host, such as https://host.example`);
  }
  const given = keyFile === undefined ? env['COUNTERFOIL_KEY'] : await keyIn(keyFile, stdin);
  const key = given?.trim() ?? '';
  if (key === '') throw new WrongWords('--url needs a key: COUNTERFOIL_KEY or --key-file');
  if (!isApiKey(key)) throw new WrongWords('what was given as the key is not an API key');
  const { protocol, hostname, port, host, origin } = new URL(url);
  return {
    name: origin,
    isSecure: protocol === 'https:',
    options: { hostname: hostname.replace(/^\[|\]$/g, ''), ...(port !== '' && { port }) },
    headers: { Host: host, Authorization: key, ...(user !== undefined && { UserEmail: user }) },
  };
}

async function keyIn(path: string, stdin: Session['stdin']): Promise<string> {
  if (path !== STDIN) return readFileSync(path, 'utf8');
  if (stdin === undefined) throw new WrongWords('there is no standard input to read a key from');
  return textOf(stdin);
}
