// What the server answers to an append: in the unary form, and in the form of batches.
import type { AppendOutcome, Expected } from './log.ts';
import { positionMessage, streamIdentifier } from './messages.ts';
import { Message } from './wire.ts';

type Appended = Extract<AppendOutcome, { kind: 'appended' }>;

/** The codes of google.rpc.Status that are used. */
const CODE = { unknown: 2, invalidArgument: 3, deadlineExceeded: 4, notFound: 5, alreadyExists: 6 };
/** The expected revision that clients of version 20.6 get when they expected no stream. */
const NO_STREAM_2060 = 2n ** 64n - 1n;

export function appendedAnswer(outcome: Appended): Buffer {
  return new Message().message(1, success(outcome)).encode();
}

export function wrongExpectedVersionAnswer(expected: Expected, current: bigint): Buffer {
  const wrong = new Message();
  // Servers still answer what clients of version 20.6 understand beside what newer ones read.
  if (current < 0n) wrong.empty(2).empty(7);
  else wrong.unsigned(1, current).unsigned(6, current);
  switch (expected) {
    case 'any':
      wrong.empty(4).empty(9);
      break;
    case 'streamExists':
      wrong.empty(5).empty(10);
      break;
    case 'noStream':
      wrong.unsigned(3, NO_STREAM_2060).empty(11);
      break;
    default:
      wrong.unsigned(3, expected).unsigned(8, expected);
  }
  return new Message().message(2, wrong).encode();
}

/** The answer to one append of a batch, but for whose answer it is. */
export function batchOutcome(outcome: AppendOutcome, expected: Expected, stream: string): Message {
  switch (outcome.kind) {
    case 'appended':
      return new Message().message(3, success(outcome));
    case 'wrongExpectedVersion': {
      const details = batchWrongExpectedVersion(expected, outcome.current);
      return batchError(CODE.alreadyExists, 'WrongExpectedVersion', details);
    }
    case 'streamDeleted': {
      const details = new Message().message(1, streamIdentifier(stream));
      return batchError(CODE.notFound, 'StreamDeleted', details);
    }
  }
}

export function batchTimeout(): Message {
  return batchError(CODE.deadlineExceeded, 'Timeout', new Message());
}

export function batchTooLarge(maxAppendSize: number): Message {
  const details = new Message().unsigned(1, maxAppendSize);
  return batchError(CODE.invalidArgument, 'MaximumAppendSizeExceeded', details);
}

export function batchBadRequest(text: string): Message {
  return batchError(CODE.invalidArgument, 'BadRequest', new Message().text(1, text));
}

export function batchUnknown(): Message {
  return batchError(CODE.unknown, 'Unknown', new Message());
}

/** Both forms of the protocol have it in the same fields. */
function success({ revision, position }: Appended): Message {
  const message = new Message();
  if (revision < 0n) message.empty(2);
  else message.unsigned(1, revision);
  return position === undefined ? message.empty(4) : message.message(3, positionMessage(position));
}

function batchWrongExpectedVersion(expected: Expected, current: bigint): Message {
  const wrong = new Message();
  if (current < 0n) wrong.empty(2);
  else wrong.unsigned(1, current);
  switch (expected) {
    case 'any':
      return wrong.empty(4);
    case 'streamExists':
      return wrong.empty(5);
    case 'noStream':
      return wrong.empty(6);
    default:
      return wrong.unsigned(3, expected);
  }
}

function batchError(code: number, name: string, details: Message): Message {
  const packed = new Message()
    .text(1, `type.googleapis.com/event_store.client.${name}`)
    .bytes(2, details.written());
  const status = new Message().unsigned(1, code).text(2, name).message(3, packed);
  return new Message().message(2, status);
}
