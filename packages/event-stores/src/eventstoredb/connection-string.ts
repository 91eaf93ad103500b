/** Parses the URL of a cluster and formats it for a client. No message repeats it: it may hold a password. */

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface ClusterUrl {
  /** The members are discovered through the host. */
  readonly discover: boolean;
  /** As written before the `@`. */
  readonly userInfo: string | undefined;
  readonly credentials: Credentials | undefined;
  /** `host:port`, separated by commas. */
  readonly hosts: string;
  /** What follows the question mark, by names as the clients write them. */
  readonly options: ReadonlyMap<string, string>;
}

/** Options that both clients accept. They print a URL with other options, its password included. */
const OPTIONS = [
  'tls',
  'tlsCAFile',
  'tlsVerifyCert',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'defaultDeadline',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'maxDiscoverAttempts',
  'nodePreference',
  'throwOnAppendFailure',
] as const;
const OPTION_BY_FLAT_NAME = new Map(OPTIONS.map((name) => [flat(name), name]));

const URL_FORM =
  /^(?<scheme>[a-z]+)(?<discover>\+discover)?:\/\/(?:(?<user>[^:@/?]+:[^@/?]+)@)?(?<hosts>[^@/?#]+)\/*(?:\?(?<query>.*))?$/;
const SCHEMES: ReadonlySet<string> = new Set(['esdb', 'kurrentdb', 'kurrent', 'kdb']);
const HOST_FORM = /^(?:[\w.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** Throws a TypeError on what is not the URL of a cluster, or holds an option that is not known. */
export function parseClusterUrl(url: string): ClusterUrl {
  const { scheme, discover, user, hosts, query } = URL_FORM.exec(url.trim())?.groups ?? {};
  if (scheme === undefined || hosts === undefined || !SCHEMES.has(scheme)) {
    throw new TypeError(
      'not the URL of an event log: esdb://[user:password@]host:port[?tls=false]',
    );
  }
  if (!hosts.split(',').every((host) => HOST_FORM.test(host))) {
    throw new TypeError('the URL of the event log names a host that cannot be one');
  }
  return {
    discover: discover !== undefined,
    userInfo: user,
    credentials: user === undefined ? undefined : credentialsOf(user),
    hosts,
    options: optionsOf(query ?? ''),
  };
}

function credentialsOf(user: string): Credentials {
  const colon = user.indexOf(':');
  try {
    return {
      username: decodeURIComponent(user.slice(0, colon)),
      password: decodeURIComponent(user.slice(colon + 1)),
    };
  } catch {
    throw new TypeError('the user or password in the URL of the event log is not percent-encoded');
  }
}

function optionsOf(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const equals = pair.indexOf('=');
    const name = OPTION_BY_FLAT_NAME.get(flat(pair.slice(0, Math.max(0, equals))));
    const value = pair.slice(equals + 1).trim();
    if (name === undefined || value === '') {
      throw new TypeError(`an option in the URL of the event log is none of ${OPTIONS.join(', ')}`);
    }
    options.set(name, value);
  }
  if ((options.get('nodePreference') ?? 'leader').toLowerCase() !== 'leader') {
    throw new TypeError('the event log is read from the leader: nodePreference cannot be another');
  }
  return options;
}

function flat(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}

export interface Target {
  readonly scheme: 'esdb' | 'kurrentdb';
  /** A node that is known to be the leader, instead of the hosts of the URL. */
  readonly leader: Endpoint | undefined;
  /** Different for each client of this process, so that no two share a connection. */
  readonly serial: number;
}

const KEEP_ALIVE_MS = 10_000;
const SERIALS = 20_000;

/**
 * gRPC clients with the same settings share one connection, which takes 100 concurrent calls. A
 * keep-alive interval that is some milliseconds longer gives a client its own connection.
 */
export function connectionString(url: ClusterUrl, { scheme, leader, serial }: Target): string {
  const options = new Map(url.options);
  const setting = Number(options.get('keepAliveInterval') ?? KEEP_ALIVE_MS);
  if (setting >= 0) options.set('keepAliveInterval', String(setting + (serial % SERIALS)));
  else options.set('keepAliveTimeout', String(KEEP_ALIVE_MS + (serial % SERIALS)));
  options.delete('throwOnAppendFailure');
  const protocol = url.discover && leader === undefined ? `${scheme}+discover` : scheme;
  const user = url.userInfo === undefined ? '' : `${url.userInfo}@`;
  const hosts = leader === undefined ? url.hosts : `${leader.address}:${leader.port}`;
  const query = [...options].map(([name, value]) => `${name}=${value}`).join('&');
  return `${protocol}://${user}${hosts}?${query}`;
}
