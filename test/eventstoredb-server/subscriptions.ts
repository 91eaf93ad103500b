// Subscriptions: what stands in the log already, then what comes, with checkpoints where a filter
// passes over events.
import { randomUUID } from 'node:crypto';
import type { StatusObject } from '@grpc/grpc-js';
import type { Log, LogEvent } from './log.ts';
import { positionMessage, timestampMessage } from './messages.ts';
import type { Outlet, Sent } from './outlet.ts';
import type { Position } from './position.ts';
import type { EventFilter, ReadRequest } from './read-request.ts';
import { invalidPosition, streamDeleted } from './refusals.ts';
import { Message } from './wire.ts';

/** How many events a page of catching up holds at most. */
const PAGE_SIZE = 32;
/** A live subscription that is further behind than this has to catch up again. */
const LIVE_BUFFER = 32;

export interface SubscriptionOptions {
  /** Newer servers say in `caughtUp` how far the subscription is. */
  readonly tellsPlace: boolean;
  /** Older servers notify a subscription that it fell behind. */
  readonly tellsFellBehind: boolean;
}

export async function subscribe(
  log: Log,
  request: ReadRequest,
  outlet: Outlet,
  options: SubscriptionOptions,
): Promise<void> {
  const feed =
    request.stream === undefined
      ? new AllFeed(log, request)
      : new StreamFeed(log, request, request.stream);
  const refusal = feed.refusal();
  if (refusal !== undefined) return outlet.fail(refusal);
  await outlet.send([confirmation()]);
  let live = false;
  while (!outlet.closed) {
    const ended = feed.refusal();
    if (ended !== undefined) return outlet.fail(ended);
    if (feed.pending > 0) {
      await outlet.send(feed.page(live));
      if (!live || feed.pending <= LIVE_BUFFER) continue;
      live = false;
      if (options.tellsFellBehind) await outlet.send([fellBehind()]);
      continue;
    }
    if (!live && feed.isThere) {
      live = true;
      await outlet.send([...feed.checkpointAtEnd(), caughtUp(options, feed)]);
      continue;
    }
    await untilAppended(log, outlet);
  }
}

async function untilAppended(log: Log, outlet: Outlet): Promise<void> {
  let unfollow: () => void = () => undefined;
  await outlet.wait((wake) => {
    unfollow = log.follow(wake);
  });
  unfollow();
}

interface Feed {
  /** How many events have not been looked at yet. */
  readonly pending: number;
  readonly place: bigint | Position | undefined;
  /** A subscription of a stream that is not there is not caught up before it is. */
  readonly isThere: boolean;
  /** Why the subscription cannot go on. */
  refusal(): StatusObject | undefined;
  page(live: boolean): readonly Sent[];
  checkpointAtEnd(): readonly Buffer[];
}

class StreamFeed implements Feed {
  readonly #log: Log;
  readonly #stream: string;
  #next: number;

  constructor(log: Log, request: ReadRequest, stream: string) {
    this.#log = log;
    this.#stream = stream;
    const { from } = request;
    const view = log.view(stream);
    const length = view.kind === 'found' ? view.events.length : 0;
    this.#next = typeof from === 'bigint' ? Number(from) + 1 : from === 'end' ? length : 0;
  }

  get pending(): number {
    const view = this.#log.view(this.#stream);
    if (view.kind !== 'found') return 0;
    return Math.max(0, view.events.length - Math.max(view.first, this.#next));
  }

  get place(): bigint | undefined {
    return this.#next === 0 ? undefined : BigInt(this.#next) - 1n;
  }

  get isThere(): boolean {
    return this.#log.view(this.#stream).kind === 'found';
  }

  refusal(): StatusObject | undefined {
    const deleted = this.#log.view(this.#stream).kind === 'deleted';
    return deleted ? streamDeleted(this.#stream) : undefined;
  }

  page(): readonly LogEvent[] {
    const view = this.#log.view(this.#stream);
    if (view.kind !== 'found') return [];
    const start = Math.max(view.first, this.#next);
    const page = view.events.slice(start, start + PAGE_SIZE);
    this.#next = start + page.length;
    return page;
  }

  checkpointAtEnd(): readonly Buffer[] {
    return [];
  }
}

class AllFeed implements Feed {
  readonly isThere = true;
  readonly #log: Log;
  readonly #filter: EventFilter | undefined;
  readonly #valid: boolean;
  #next: number;
  /** The last event that was sent, or a place before which nothing is left to send. */
  #checkpoint: Position | undefined;
  #sentCheckpoint: Position | undefined;
  #considered = 0;

  constructor(log: Log, request: ReadRequest) {
    this.#log = log;
    this.#filter = request.filter;
    const { from } = request;
    this.#valid = typeof from !== 'object' || log.isRecordStart(from.commit);
    this.#next = nextIndex(log, from);
    const last = log.events[this.#next - 1];
    this.#checkpoint = typeof from === 'object' ? from : last;
  }

  get pending(): number {
    return this.#log.events.length - this.#next;
  }

  get place(): Position | undefined {
    return this.#checkpoint;
  }

  refusal(): StatusObject | undefined {
    return this.#valid ? undefined : invalidPosition();
  }

  page(live: boolean): readonly Sent[] {
    const { events } = this.#log;
    const filter = this.#filter;
    if (filter === undefined) {
      const page = events.slice(this.#next, this.#next + PAGE_SIZE);
      this.#next += page.length;
      this.#checkpoint = page.at(-1) ?? this.#checkpoint;
      return page;
    }
    return live ? this.#livePage(filter) : this.#catchUpPage(filter);
  }

  /** Going live comes with a checkpoint, so that there is one in every interval. */
  checkpointAtEnd(): readonly Buffer[] {
    return this.#filter === undefined ? [] : this.#checkpointOnce();
  }

  /**
   * Looks at one window. The checkpoint is never after the first event of the window that was not
   * sent: it trails by up to a window, as the real server's does.
   */
  #catchUpPage(filter: EventFilter): readonly Sent[] {
    const { events } = this.#log;
    const first = events[this.#next] as LogEvent;
    const end = Math.min(events.length, this.#next + filter.window);
    const page: Sent[] = [];
    let last: LogEvent = first;
    for (; this.#next < end && page.length < PAGE_SIZE; this.#next += 1) {
      this.#considered += 1;
      const event = events[this.#next] as LogEvent;
      if (!filter.passes(event)) continue;
      page.push(event);
      last = event;
    }
    this.#checkpoint = last;
    if (this.#considered < filter.checkpointInterval || this.pending === 0) return page;
    this.#considered %= filter.checkpointInterval;
    return [...page, ...this.#checkpointOnce()];
  }

  #livePage(filter: EventFilter): readonly Sent[] {
    const { events } = this.#log;
    const page: Sent[] = [];
    const end = Math.min(events.length, this.#next + PAGE_SIZE);
    for (; this.#next < end; this.#next += 1) {
      const event = events[this.#next] as LogEvent;
      if (filter.passes(event)) page.push(event);
      this.#considered += 1;
      this.#checkpoint = event;
      if (this.#considered < filter.checkpointInterval) continue;
      this.#considered = 0;
      page.push(...this.#checkpointOnce());
    }
    return page;
  }

  #checkpointOnce(): readonly Buffer[] {
    const position = this.#checkpoint;
    if (position === undefined || position === this.#sentCheckpoint) return [];
    this.#sentCheckpoint = position;
    return [checkpoint(position)];
  }
}

/** A subscription starts after the place that it names, not at it. */
function nextIndex(log: Log, from: ReadRequest['from']): number {
  if (from === 'start') return 0;
  if (typeof from !== 'object') return log.events.length;
  const index = log.indexAt(from);
  const event = log.events[index];
  return event?.commit === from.commit && event.prepare === from.prepare ? index + 1 : index;
}

function confirmation(): Buffer {
  return new Message().message(2, new Message().text(1, randomUUID())).encode();
}

function checkpoint(position: Position): Buffer {
  return new Message().message(3, positionMessage(position)).encode();
}

function caughtUp(options: SubscriptionOptions, feed: Feed): Buffer {
  const message = new Message();
  if (options.tellsPlace) {
    message.message(1, timestampMessage(Date.now()));
    const { place } = feed;
    if (typeof place === 'bigint') message.signed(2, place);
    if (typeof place === 'object') message.message(3, positionMessage(place));
  }
  return new Message().message(8, message).encode();
}

function fellBehind(): Buffer {
  return new Message().empty(9).encode();
}
