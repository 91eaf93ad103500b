// Reads of a stream or of $all that come to an end.
import type { StatusObject } from '@grpc/grpc-js';
import type { Log, LogEvent } from './log.ts';
import { streamIdentifier } from './messages.ts';
import type { Sent } from './outlet.ts';
import type { ReadRequest } from './read-request.ts';
import { invalidPosition, streamDeleted } from './refusals.ts';
import { Message } from './wire.ts';

export type ReadAnswer = { readonly sent: Iterable<Sent> } | { readonly refusal: StatusObject };

export function read(log: Log, request: ReadRequest): ReadAnswer {
  return request.stream === undefined
    ? readAll(log, request)
    : readStream(log, request, request.stream);
}

export function streamNotFound(stream: string): Buffer {
  const notFound = new Message().message(1, streamIdentifier(stream));
  return new Message().message(4, notFound).encode();
}

function readStream(log: Log, request: ReadRequest, stream: string): ReadAnswer {
  const view = log.view(stream);
  if (view.kind === 'deleted') return { refusal: streamDeleted(stream) };
  if (view.kind === 'notFound') return { sent: [streamNotFound(stream)] };
  const { events, first } = view;
  const count = request.count ?? 0;
  const last = events.length - 1;
  const sent: Sent[] = [];
  if (request.backwards) {
    const start = request.from === 'start' ? first : indexOf(request.from, last);
    const lowest = Math.max(first, start - count + 1);
    for (let index = start; index >= lowest; index -= 1) sent.push(events[index] as LogEvent);
  } else {
    const start =
      request.from === 'start' ? first : Math.max(first, indexOf(request.from, last + 1));
    sent.push(...events.slice(start, Math.min(events.length, start + count)));
    if (request.compatibility >= 1) sent.push(lastStreamPosition(last));
  }
  return { sent };
}

/** A place beyond the stream's end counts as its end. */
function indexOf(from: ReadRequest['from'], end: number): number {
  if (typeof from !== 'bigint') return end;
  return from > BigInt(end) ? end : Number(from);
}

function lastStreamPosition(revision: number): Buffer {
  return new Message().unsigned(6, revision).encode();
}

function readAll(log: Log, request: ReadRequest): ReadAnswer {
  const { from } = request;
  if (typeof from === 'object' && !log.isRecordStart(from.commit)) {
    return { refusal: invalidPosition() };
  }
  const start = startOf(log, from);
  return { sent: request.backwards ? down(log, request, start - 1) : up(log, request, start) };
}

function startOf(log: Log, from: ReadRequest['from']): number {
  if (from === 'start') return 0;
  return typeof from === 'object' ? log.indexAt(from) : log.events.length;
}

/** Ends where the log ended as the read began. */
function* up(log: Log, request: ReadRequest, start: number): Iterable<Sent> {
  const end = log.events.length;
  let left = request.count ?? 0;
  for (let index = start; index < end && left > 0; index += 1) {
    const event = log.events[index] as LogEvent;
    if (request.filter?.passes(event) === false) continue;
    left -= 1;
    yield event;
  }
}

function* down(log: Log, request: ReadRequest, start: number): Iterable<Sent> {
  let left = request.count ?? 0;
  for (let index = start; index >= 0 && left > 0; index -= 1) {
    const event = log.events[index] as LogEvent;
    if (request.filter?.passes(event) === false) continue;
    left -= 1;
    yield event;
  }
}
