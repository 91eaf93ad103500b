// The services of the protocol as gRPC knows them: their methods, and which of them are streams.
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { Fields } from './wire.ts';

const STREAMS = 'event_store.client.streams.Streams';
const GOSSIP = 'event_store.client.gossip.Gossip';
const FEATURES = 'event_store.client.server_features.ServerFeatures';

export const STREAMS_SERVICE: ServiceDefinition = {
  read: method(`/${STREAMS}/Read`, { responseStream: true }),
  append: method(`/${STREAMS}/Append`, { requestStream: true }),
  batchAppend: method(`/${STREAMS}/BatchAppend`, { requestStream: true, responseStream: true }),
  delete: method(`/${STREAMS}/Delete`),
  tombstone: method(`/${STREAMS}/Tombstone`),
};

export const GOSSIP_SERVICE: ServiceDefinition = { read: method(`/${GOSSIP}/Read`) };

export const FEATURES_SERVICE: ServiceDefinition = {
  getSupportedMethods: method(`/${FEATURES}/GetSupportedMethods`),
};

/** Answers are encoded where they are made: an event that is read many times is encoded once. */
function method(
  path: string,
  { requestStream = false, responseStream = false } = {},
): MethodDefinition<Fields, Buffer> {
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: () => {
      throw new Error('The server sends no requests.');
    },
    requestDeserialize: (bytes) => new Fields(bytes),
    responseSerialize: (bytes) => bytes,
    responseDeserialize: (bytes) => bytes,
  };
}
