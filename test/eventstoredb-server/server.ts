// The protocol server: an in-process gRPC server of the EventStoreDB protocol, for tests.
import { Faults, type Operation } from './faults.ts';
import { Log, type LogOptions } from './log.ts';
import { type Cluster, ServerNode } from './node.ts';
import type { Endpoint } from './refusals.ts';

export type { Fault, FaultSwitch, Moment, Operation, Refusal } from './faults.ts';
export type { LogEvent } from './log.ts';
export type { Position } from './position.ts';

/** The client that a connection string is for. */
export type ClientKind = 'eventstore' | 'kurrentdb';

export interface ProtocolServerOptions extends LogOptions {
  /** The port to listen on; a free one if not given. */
  readonly port?: number;
  /** What the server says its version is. */
  readonly version?: string;
  /** The bytes of one append at most: 1 MiB, as in the real server, if not given. */
  readonly maxAppendSize?: number;
}

export interface ProtocolClusterOptions extends Omit<ProtocolServerOptions, 'port'> {
  readonly nodes: number;
}

export interface ProtocolServer {
  /** A connection string that both clients understand. */
  readonly url: string;
  connectionString(kind: ClientKind): string;
  readonly log: Log;
  readonly faults: Faults;
  /** How many calls of each kind have come. */
  readonly calls: Readonly<Record<Operation, number>>;
  /** Breaks the connections that are open, and takes new ones. */
  dropConnections(): void;
  /** Takes no connection until `start`; the log is kept. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** `stop` and `start` on the same port, with the same log. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ProtocolCluster {
  /** A connection string with discovery, over all nodes. */
  readonly url: string;
  connectionString(kind: ClientKind): string;
  readonly log: Log;
  readonly faults: Faults;
  readonly nodes: readonly ClusterNode[];
  /** The index of the leader; undefined during an election. */
  readonly leader: number | undefined;
  /** The next node leads, or the one that is named. */
  changeLeader(to?: number): void;
  /** No leader until `changeLeader`. */
  loseLeader(): void;
  close(): Promise<void>;
}

export interface ClusterNode {
  readonly endpoint: Endpoint;
  /** A connection string of this node alone, without discovery. */
  readonly url: string;
  readonly calls: Readonly<Record<Operation, number>>;
  dropConnections(): void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const VERSION = '24.10.0';
const MAX_APPEND_SIZE = 1024 * 1024;
/** A client of KurrentDB waits five of them before it first connects, even to a single node. */
const DISCOVERY_MS = 20;
const SCHEMES: Readonly<Record<ClientKind, string>> = {
  eventstore: 'esdb',
  kurrentdb: 'kurrentdb',
};

export async function startProtocolServer(
  options: ProtocolServerOptions = {},
): Promise<ProtocolServer> {
  const cluster = new Nodes(options, [options.port ?? 0]);
  const node = cluster.nodes[0] as ServerNode;
  await node.start();
  const connectionString = (kind: ClientKind) => urlOf(kind, [node.endpoint]);
  return {
    url: connectionString('eventstore'),
    connectionString,
    log: cluster.log,
    faults: cluster.faults,
    calls: node.calls,
    dropConnections: () => node.dropConnections(),
    stop: () => node.stop(),
    start: () => node.start(),
    restart: async () => {
      await node.stop();
      cluster.log.forgetIds();
      await node.start();
    },
    close: () => node.stop(),
  };
}

export async function startProtocolCluster(
  options: ProtocolClusterOptions,
): Promise<ProtocolCluster> {
  const cluster = new Nodes(options, new Array<number>(options.nodes).fill(0));
  await Promise.all(cluster.nodes.map((node) => node.start()));
  const endpoints = cluster.nodes.map(({ endpoint }) => endpoint);
  const connectionString = (kind: ClientKind) => urlOf(kind, endpoints);
  return {
    url: connectionString('eventstore'),
    connectionString,
    log: cluster.log,
    faults: cluster.faults,
    nodes: cluster.nodes.map(clusterNode),
    get leader() {
      return cluster.leaderIndex;
    },
    changeLeader: (to) => cluster.changeLeader(to),
    loseLeader: () => {
      cluster.leaderIndex = undefined;
    },
    close: async () => {
      await Promise.all(cluster.nodes.map((node) => node.stop()));
    },
  };
}

function clusterNode(node: ServerNode): ClusterNode {
  return {
    endpoint: node.endpoint,
    url: urlOf('eventstore', [node.endpoint]),
    calls: node.calls,
    dropConnections: () => node.dropConnections(),
    stop: () => node.stop(),
    start: () => node.start(),
  };
}

function urlOf(kind: ClientKind, endpoints: readonly Endpoint[]): string {
  const hosts = endpoints.map(({ address, port }) => `${address}:${port}`).join(',');
  return `${SCHEMES[kind]}://${hosts}?tls=false&discoveryInterval=${DISCOVERY_MS}`;
}

class Nodes implements Cluster {
  readonly log: Log;
  readonly faults = new Faults();
  readonly nodes: readonly ServerNode[];
  leaderIndex: number | undefined = 0;
  #lastLeader = 0;

  constructor(options: ProtocolServerOptions, ports: readonly number[]) {
    this.log = new Log(options);
    this.nodes = ports.map(
      (port) =>
        new ServerNode(
          {
            log: this.log,
            faults: this.faults,
            maxAppendSize: options.maxAppendSize ?? MAX_APPEND_SIZE,
            version: options.version ?? VERSION,
            port,
          },
          this,
        ),
    );
  }

  members(): ReturnType<Cluster['members']> {
    return this.nodes.map((node, index) => ({
      ...node.endpoint,
      id: node.id,
      isLeader: index === this.leaderIndex,
      isAlive: node.isListening,
    }));
  }

  leader(): Endpoint | undefined {
    return this.leaderIndex === undefined ? undefined : this.nodes[this.leaderIndex]?.endpoint;
  }

  changeLeader(to?: number): void {
    this.#lastLeader = to ?? (this.#lastLeader + 1) % this.nodes.length;
    this.leaderIndex = this.#lastLeader;
  }
}
