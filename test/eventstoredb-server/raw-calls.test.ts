// Calls that neither client makes: what is incomplete, late, malformed, or not offered at all.
import { randomUUID } from 'node:crypto';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  mapEntry,
  positionMessage,
  streamIdentifier,
  structuredUuid,
  textUuid,
  timestampMessage,
  uuidOf,
} from './messages.ts';
import { newStream } from './protocol-suite.ts';
import { type ProtocolServer, startProtocolServer } from './server.ts';
import { Fields, Message } from './wire.ts';

const STREAMS = '/event_store.client.streams.Streams';
const PERSISTENT = '/event_store.client.persistent_subscriptions.PersistentSubscriptions';
const asSent = (message: Buffer) => message;
const asFields = (bytes: Buffer) => new Fields(bytes);

let server: ProtocolServer;
let client: Client;

beforeEach(async () => {
  server = await startProtocolServer();
  client = new Client(new URL(server.url).host, credentials.createInsecure());
});

afterEach(async () => {
  client.close();
  await server.close();
});

describe('a call', () => {
  test('of a service that is not offered is unimplemented', async () => {
    expect(await unary(`${PERSISTENT}/Create`, new Message())).toMatchObject({
      code: status.UNIMPLEMENTED,
    });
  });

  test('without its options is refused', async () => {
    const refused = { code: status.INVALID_ARGUMENT };
    expect(await unary(`${STREAMS}/Delete`, new Message())).toMatchObject(refused);
    expect(await append([new Message().message(2, proposed())])).toMatchObject(refused);
    expect(await read(new Message())).toMatchObject({ error: refused });
  });

  test('whose message is cut short is refused', async () => {
    const cut = Buffer.from([0x0a, 0x7f]);
    expect(await unaryBytes(`${STREAMS}/Delete`, cut)).toMatchObject({ code: status.INTERNAL });
  });
});

describe('an append', () => {
  test('without an event of a type is refused, and says what is missing', async () => {
    const stream = newStream();
    const untyped = new Message().message(1, textUuid(randomUUID()));
    const answer = await append([toStream(stream), new Message().message(2, untyped)]);
    expect(answer).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect((answer as ServiceError).metadata.getMap()['exception']).toBe(
      'missing-required-metadata-property',
    );
  });

  test('of nothing answers where the stream is', async () => {
    const answer = (await append([toStream(newStream())])) as Fields;
    expect(answer.message(1)?.has(2)).toBe(true);
    const stream = newStream();
    await append([toStream(stream), new Message().message(2, proposed())]);
    const again = (await append([toStream(stream)])) as Fields;
    expect([again.message(1)?.unsigned(1), again.message(1)?.has(4)]).toEqual([0n, true]);
  });
});

describe('an append that breaks off', () => {
  test('before its end leaves nothing of what had come', async () => {
    const stream = newStream();
    const event = new Message().message(2, proposed());
    const broken = new Promise<ServiceError | null>((resolve) => {
      const path = `${STREAMS}/Append`;
      const call = client.makeClientStreamRequest(path, asSent, asFields, resolve);
      call.write(toStream(stream).encode());
      call.write(event.encode());
    });
    // What comes later on the same connection is answered: so the event is there.
    await append([toStream(newStream()), event]);
    server.dropConnections();
    expect(await broken).toMatchObject({ code: status.UNAVAILABLE });
    // By now the server has heard of the end of the one before.
    await append([toStream(newStream()), event]);
    const answer = (await append([toStream(stream)])) as Fields;
    expect(answer.message(1)?.has(2)).toBe(true);
  });
});

describe('a batch append', () => {
  test('may come in parts', async () => {
    const stream = newStream();
    const id = randomUUID();
    const parts = [
      batchPart(id, false).message(2, batchOptions(stream)).message(3, proposed()),
      batchPart(id, false).message(3, proposed()),
      batchPart(id, true).message(3, proposed()),
    ];
    const [answer, ...more] = await batch(parts);
    expect(more).toEqual([]);
    expect(uuidOf(answer?.message(1))).toBe(id);
    expect(answer?.message(3)?.unsigned(1)).toBe(2n);
  });

  test('whose deadline has passed is answered a timeout', async () => {
    const late = [
      batchOptions(newStream()).message(6, timestampMessage(Date.now() - 1_000)),
      batchOptions(newStream()).message(7, new Message().unsigned(1, 0).unsigned(2, 0)),
    ];
    const answers = await batch(
      late.map((options) => batchPart(randomUUID(), true).message(2, options)),
    );
    expect(answers.map((answer) => answer.message(2)?.text(2))).toEqual(['Timeout', 'Timeout']);
    expect(server.calls.batchAppend).toBe(0);
  });

  test('without a stream is a bad request', async () => {
    const [answer] = await batch([
      batchPart(randomUUID(), true).message(2, new Message().empty(4)),
    ]);
    expect(answer?.message(2)?.text(2)).toBe('BadRequest');
  });
});

describe('a read', () => {
  test('gives ids as two numbers on request', async () => {
    const stream = newStream();
    const id = randomUUID();
    await append([toStream(stream), new Message().message(2, proposed(id))]);
    const { messages } = await read(new Message().message(1, readOptions(stream)));
    const recorded = messages[0]?.message(1)?.message(1);
    expect(recorded?.message(1)?.has(1)).toBe(true);
    expect(uuidOf(recorded?.message(1))).toBe(id);
  });

  test('sends the end of the stream to clients that understand it', async () => {
    const stream = newStream();
    await append([toStream(stream), new Message().message(2, proposed())]);
    const options = readOptions(stream).message(10, new Message().unsigned(1, 1));
    const { messages } = await read(new Message().message(1, options));
    expect(messages.map((message) => message.has(6))).toEqual([false, true]);
  });

  test('of $all from the inside of a record is refused', async () => {
    await append([toStream(newStream()), new Message().message(2, proposed())]);
    const last = server.log.events.at(-1);
    const inside = { commit: (last?.commit ?? 0n) + 1n, prepare: (last?.prepare ?? 0n) + 1n };
    const all = new Message().message(1, positionMessage(inside));
    const asked = new Message().message(2, all).empty(8).message(9, new Message().empty(2));
    const refused = { error: { code: status.INVALID_ARGUMENT } };
    expect(await read(new Message().message(1, asked.unsigned(5, 1)))).toMatchObject(refused);
    const subscribing = new Message().message(2, all).empty(6).message(9, new Message().empty(2));
    expect(await read(new Message().message(1, subscribing))).toMatchObject(refused);
  });
});

function toStream(stream: string): Message {
  const options = new Message().message(1, streamIdentifier(stream)).empty(4);
  return new Message().message(1, options);
}

function proposed(id: string = randomUUID()): Message {
  return new Message()
    .message(1, textUuid(id))
    .message(2, mapEntry('type', 'Happened'))
    .message(2, mapEntry('content-type', 'application/json'))
    .bytes(4, Buffer.from('{}'));
}

function batchPart(id: string, isFinal: boolean): Message {
  return new Message().message(1, structuredUuid(id)).flag(4, isFinal);
}

function batchOptions(stream: string): Message {
  return new Message().message(1, streamIdentifier(stream)).empty(4);
}

/** Forwards from the start, two events at most, with ids as two numbers. */
function readOptions(stream: string): Message {
  const place = new Message().message(1, streamIdentifier(stream)).empty(3);
  return new Message().message(1, place).unsigned(5, 2).empty(8).message(9, new Message().empty(1));
}

function unary(path: string, message: Message): Promise<Fields | ServiceError> {
  return unaryBytes(path, message.encode());
}

function unaryBytes(path: string, bytes: Buffer): Promise<Fields | ServiceError> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, asSent, asFields, bytes, (error, answer) =>
      resolve(error ?? (answer as Fields)),
    );
  });
}

function append(parts: readonly Message[]): Promise<Fields | ServiceError> {
  return new Promise((resolve) => {
    const call = client.makeClientStreamRequest(
      `${STREAMS}/Append`,
      asSent,
      asFields,
      new Metadata(),
      (error, answer) => resolve(error ?? (answer as Fields)),
    );
    for (const part of parts) call.write(part.encode());
    call.end();
  });
}

async function batch(parts: readonly Message[]): Promise<readonly Fields[]> {
  const call = client.makeBidiStreamRequest(`${STREAMS}/BatchAppend`, asSent, asFields);
  for (const part of parts) call.write(part.encode());
  call.end();
  const answers: Fields[] = [];
  for await (const answer of call) answers.push(answer as Fields);
  return answers;
}

async function read(
  request: Message,
): Promise<{ readonly messages: readonly Fields[]; readonly error?: unknown }> {
  const bytes = request.encode();
  const call = client.makeServerStreamRequest(`${STREAMS}/Read`, asSent, asFields, bytes);
  const messages: Fields[] = [];
  try {
    for await (const message of call) messages.push(message as Fields);
    return { messages };
  } catch (error) {
    return { messages, error };
  }
}
