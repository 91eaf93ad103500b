// The protocol's Streams service over a log: append, batch append, delete, tombstone and read.
import type {
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  StatusObject,
  sendUnaryData,
} from '@grpc/grpc-js';
import { appendedAnswer, wrongExpectedVersionAnswer } from './append-answers.ts';
import { expectedOf, proposedEventOf, sizeOnDisk } from './append-request.ts';
import type { CallContext } from './call-context.ts';
import type { Fault, Moment, Operation } from './faults.ts';
import type { AppendOutcome, Expected, ProposedEvent } from './log.ts';
import { meetFault, meetFaultOfRead } from './meet-fault.ts';
import { positionMessage, streamNameOf } from './messages.ts';
import { Outlet } from './outlet.ts';
import type { Position } from './position.ts';
import { readRequestOf } from './read-request.ts';
import { read } from './reads.ts';
import {
  appendTooLarge,
  invalidArgument,
  metadataMissing,
  refusalOf,
  streamDeleted,
  wrongExpectedVersion,
} from './refusals.ts';
import { subscribe } from './subscriptions.ts';
import { type Fields, Message } from './wire.ts';

interface AppendBeingSent {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: ProposedEvent[];
  size: number;
  refusal: StatusObject | undefined;
}

export function appendHandler(context: CallContext): handleClientStreamingCall<Fields, Buffer> {
  return (call, answer) => {
    let append: AppendBeingSent | undefined;
    call.on('data', (request: Fields) => {
      if (append === undefined) append = startOf(request);
      else take(append, request, context.maxAppendSize);
    });
    // The library ends a call whose connection broke before it says that it was cancelled.
    call.on('end', () => setImmediate(finish));
    const finish = () => {
      if (call.cancelled) return;
      if (append === undefined) return answer(invalidArgument('The options are missing.'));
      const { stream, expected, events, refusal } = append;
      void execute(context, { call, operation: 'append', stream }, answer, (twice) => {
        if (refusal !== undefined) return refusal;
        if (twice) context.log.append(stream, expected, events);
        return appendAnswer(stream, expected, context.log.append(stream, expected, events));
      });
    };
    // A call that breaks off is answered nothing; it must not end the process.
    call.on('error', () => undefined);
  };
}

function startOf(request: Fields): AppendBeingSent {
  const options = request.message(1);
  return {
    stream: streamNameOf(options?.message(1)),
    expected: options === undefined ? 'any' : expectedOf(options),
    events: [],
    size: 0,
    refusal: options === undefined ? invalidArgument('The options are missing.') : undefined,
  };
}

function take(append: AppendBeingSent, request: Fields, maxAppendSize: number): void {
  const message = request.message(2);
  if (message === undefined || append.refusal !== undefined) return;
  const event = proposedEventOf(message);
  if (typeof event === 'string') {
    append.refusal = metadataMissing(event);
    return;
  }
  append.size += sizeOnDisk(event);
  if (append.size > maxAppendSize) append.refusal = appendTooLarge(maxAppendSize);
  append.events.push(event);
}

function appendAnswer(
  stream: string,
  expected: Expected,
  outcome: AppendOutcome,
): Buffer | StatusObject {
  switch (outcome.kind) {
    case 'appended':
      return appendedAnswer(outcome);
    case 'wrongExpectedVersion':
      return wrongExpectedVersionAnswer(expected, outcome.current);
    case 'streamDeleted':
      return streamDeleted(stream);
  }
}

export function deleteHandler(context: CallContext): handleUnaryCall<Fields, Buffer> {
  return deletionHandler(context, (stream, expected) => context.log.softDelete(stream, expected));
}

export function tombstoneHandler(context: CallContext): handleUnaryCall<Fields, Buffer> {
  return deletionHandler(context, (stream, expected) => context.log.tombstone(stream, expected));
}

function deletionHandler(
  context: CallContext,
  remove: (stream: string, expected: Expected) => ReturnType<typeof context.log.tombstone>,
): handleUnaryCall<Fields, Buffer> {
  return (call, answer) => {
    const options = call.request.message(1);
    if (options === undefined) return answer(invalidArgument('The options are missing.'));
    const stream = streamNameOf(options.message(1));
    const expected = expectedOf(options);
    void execute(context, { call, operation: 'delete', stream }, answer, () => {
      const outcome = remove(stream, expected);
      if (outcome.kind !== 'appended') return deletionRefusal(stream, expected, outcome);
      return deletedAnswer(outcome.position);
    });
  };
}

function deletedAnswer(position: Position | undefined): Buffer {
  const answer = new Message();
  if (position === undefined) answer.empty(2);
  else answer.message(1, positionMessage(position));
  return answer.encode();
}

function deletionRefusal(
  stream: string,
  expected: Expected,
  outcome: Exclude<AppendOutcome, { kind: 'appended' }>,
): StatusObject {
  return outcome.kind === 'streamDeleted'
    ? streamDeleted(stream)
    : wrongExpectedVersion(stream, expected, outcome.current);
}

interface WriteCall {
  readonly call: { getPeer(): string; readonly metadata: Metadata };
  readonly operation: Operation;
  readonly stream: string;
}

/** Does what a write asks for, between the faults that are set for it. */
async function execute(
  context: CallContext,
  { call, operation, stream }: WriteCall,
  answer: sendUnaryData<Buffer>,
  apply: (twice: boolean) => Buffer | StatusObject,
): Promise<void> {
  context.count(operation);
  const refusal = context.refusalFor(call.metadata);
  if (refusal !== undefined) return answer(refusal);
  const fault = context.faults.take(operation, stream);
  // Without a fault the answer leaves in the same turn: a bench measures clients, not promises.
  if (fault !== undefined && (await settles('beforeApply'))) return;
  const response = apply(fault?.kind === 'duplicate');
  if (fault !== undefined && (await settles('afterApply'))) return;
  if (Buffer.isBuffer(response)) answer(null, response);
  else answer(response);

  async function settles(moment: Moment): Promise<boolean> {
    const met = await meetFault(context, call.getPeer(), fault, moment);
    if (typeof met === 'object') answer(refusalOf(met.refused, context.maxAppendSize));
    return met !== 'goOn';
  }
}

export function readHandler(context: CallContext): handleServerStreamingCall<Fields, Buffer> {
  return (call) => {
    const request = readRequestOf(call.request);
    const operation =
      typeof request === 'object' && request.count === undefined ? 'subscribe' : 'read';
    context.count(operation);
    const refusal =
      typeof request === 'string' ? invalidArgument(request) : context.refusalFor(call.metadata);
    if (typeof request === 'string' || refusal !== undefined) {
      call.emit('error', refusal);
      return;
    }
    const fault = context.faults.take(operation, request.stream);
    const outlet = new Outlet({
      call,
      structuredIds: request.structuredIds,
      fault,
      faults: context.faults,
      dropConnection: () => context.dropConnection(call.getPeer()),
    });
    void serveRead(context, call.getPeer(), fault, outlet, async () => {
      if (request.count === undefined) {
        return subscribe(context.log, request, outlet, context.subscriptions);
      }
      const answer = read(context.log, request);
      if ('refusal' in answer) return outlet.fail(answer.refusal);
      await outlet.send(answer.sent);
      outlet.end();
    });
  };
}

async function serveRead(
  context: CallContext,
  peer: string,
  fault: Fault | undefined,
  outlet: Outlet,
  serve: () => Promise<void>,
): Promise<void> {
  const met = await meetFaultOfRead(context, peer, fault);
  if (met === 'silence') return;
  if (met === 'goOn') return serve();
  outlet.fail(refusalOf(met.refused, context.maxAppendSize));
}
