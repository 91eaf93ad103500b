// One node of the protocol server: a port, the services on it, and its place in the cluster.
import { randomUUID } from 'node:crypto';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type StatusObject,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { batchAppendHandler } from './batch-append.ts';
import type { CallContext } from './call-context.ts';
import type { Faults, Operation } from './faults.ts';
import { supportedMethods } from './features.ts';
import type { Log } from './log.ts';
import { meetFaultOfRead } from './meet-fault.ts';
import { structuredUuid } from './messages.ts';
import { type Endpoint, notLeader, refusalOf } from './refusals.ts';
import { FEATURES_SERVICE, GOSSIP_SERVICE, STREAMS_SERVICE } from './services.ts';
import { appendHandler, deleteHandler, readHandler, tombstoneHandler } from './streams-service.ts';
import type { SubscriptionOptions } from './subscriptions.ts';
import { type Fields, Message } from './wire.ts';

export interface Member extends Endpoint {
  readonly id: string;
  readonly isLeader: boolean;
  readonly isAlive: boolean;
}

/** What a node knows of the others. */
export interface Cluster {
  members(): readonly Member[];
  leader(): Endpoint | undefined;
}

export interface NodeOptions {
  readonly log: Log;
  readonly faults: Faults;
  readonly maxAppendSize: number;
  readonly version: string;
  readonly port: number;
}

export const ADDRESS = '127.0.0.1';
/** What the real server allows on one connection. */
const MAX_STREAMS = 100;
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
const STATE = { follower: 6, leader: 8 };
const TICKS_PER_MILLISECOND = 10_000n;

export class ServerNode implements CallContext {
  readonly id = randomUUID();
  readonly log: Log;
  readonly faults: Faults;
  readonly maxAppendSize: number;
  readonly subscriptions: SubscriptionOptions;
  readonly calls: Record<Operation, number> = {
    append: 0,
    batchAppend: 0,
    delete: 0,
    read: 0,
    subscribe: 0,
    gossip: 0,
    features: 0,
  };

  readonly #version: string;
  readonly #cluster: Cluster;
  readonly #sockets = new Map<string, Socket>();
  #listener: NetServer | undefined;
  #server: Server | undefined;
  #port: number;

  constructor(options: NodeOptions, cluster: Cluster) {
    this.log = options.log;
    this.faults = options.faults;
    this.maxAppendSize = options.maxAppendSize;
    this.#version = options.version;
    this.#port = options.port;
    this.#cluster = cluster;
    const [major] = options.version.split('.');
    this.subscriptions = { tellsPlace: Number(major) >= 25, tellsFellBehind: Number(major) === 23 };
  }

  get endpoint(): Endpoint {
    return { address: ADDRESS, port: this.#port };
  }

  get isListening(): boolean {
    return this.#listener !== undefined;
  }

  async start(): Promise<void> {
    if (this.#listener !== undefined) return;
    const server = this.#serve();
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    // The sockets are this node's own, so that a fault can break one of them.
    const listener = createServer((socket) => {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`;
      this.#sockets.set(peer, socket);
      socket.once('close', () => this.#sockets.delete(peer));
      injector.injectConnection(socket);
    });
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(this.#port, ADDRESS, resolve);
    });
    const address = listener.address();
    if (typeof address === 'object' && address !== null) this.#port = address.port;
    this.#listener = listener;
    this.#server = server;
  }

  /** Breaks every connection and accepts no new ones, like a killed process. */
  async stop(): Promise<void> {
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    const closed = new Promise((resolve) => listener.close(resolve));
    for (const socket of this.#sockets.values()) socket.destroy();
    this.#server?.forceShutdown();
    await closed;
  }

  /** Breaks the connections that are open; new ones are taken. */
  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  dropConnection(peer: string): void {
    this.#sockets.get(peer)?.destroy();
  }

  die(): void {
    void this.stop();
  }

  count(operation: Operation): void {
    this.calls[operation] += 1;
  }

  refusalFor(metadata: { get(key: string): readonly unknown[] }): StatusObject | undefined {
    const leader = this.#cluster.leader();
    if (leader === undefined) return refusalOf('notReady', this.maxAppendSize);
    // A follower passes writes on to the leader, unless it is asked not to.
    if (leader.port === this.#port) return undefined;
    return metadata.get('requires-leader').includes('true') ? notLeader(leader) : undefined;
  }

  #serve(): Server {
    const server = new Server({
      'grpc.max_concurrent_streams': MAX_STREAMS,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    });
    server.addService(STREAMS_SERVICE, {
      append: appendHandler(this),
      batchAppend: batchAppendHandler(this),
      delete: deleteHandler(this),
      tombstone: tombstoneHandler(this),
      read: readHandler(this),
    });
    server.addService(GOSSIP_SERVICE, { read: this.#gossip });
    server.addService(FEATURES_SERVICE, { getSupportedMethods: this.#features });
    return server;
  }

  readonly #features: handleUnaryCall<Fields, Buffer> = (call, answer) =>
    this.#answer('features', call.getPeer(), answer, () => supportedMethods(this.#version));

  readonly #gossip: handleUnaryCall<Fields, Buffer> = (call, answer) =>
    this.#answer('gossip', call.getPeer(), answer, () => {
      const info = new Message();
      for (const member of this.#cluster.members()) info.message(1, memberInfo(member));
      return info.encode();
    });

  async #answer(
    operation: 'features' | 'gossip',
    peer: string,
    answer: sendUnaryData<Buffer>,
    respond: () => Buffer,
  ): Promise<void> {
    this.count(operation);
    const met = await meetFaultOfRead(this, peer, this.faults.take(operation));
    if (met === 'goOn') answer(null, respond());
    else if (met !== 'silence') answer(refusalOf(met.refused, this.maxAppendSize));
  }
}

function memberInfo(member: Member): Message {
  const endpoint = new Message().text(1, member.address).unsigned(2, member.port);
  return new Message()
    .message(1, structuredUuid(member.id))
    .signed(2, BigInt(Date.now()) * TICKS_PER_MILLISECOND)
    .unsigned(3, member.isLeader ? STATE.leader : STATE.follower)
    .flag(4, member.isAlive)
    .message(5, endpoint);
}
