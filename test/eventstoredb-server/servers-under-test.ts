// The servers that the protocol's suite runs against: ours always, a real one where it is named.
import { openClient } from './clients.ts';
import type { ServerUnderTest } from './protocol-suite.ts';
import { type ClientKind, type ProtocolServerOptions, startProtocolServer } from './server.ts';

export function protocolServer(
  kind: ClientKind,
  name: string,
  options: ProtocolServerOptions = {},
): ServerUnderTest {
  return {
    name,
    open: async () => {
      const server = await startProtocolServer(options);
      return { url: server.connectionString(kind), close: () => server.close() };
    },
  };
}

/** The server that ESDB_URL names, if it does; its version is part of its name. */
export async function realServers(kind: ClientKind): Promise<readonly ServerUnderTest[]> {
  const url = process.env['ESDB_URL'];
  if (url === undefined) return [];
  const client = await openClient(kind, url);
  const version = await client.serverVersion();
  await client.dispose();
  process.stdout.write(`ESDB_URL names a server of version ${version}\n`);
  return [{ name: `server ${version}`, open: async () => ({ url, close: async () => undefined }) }];
}
