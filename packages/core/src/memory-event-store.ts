/** The reference implementation of the event store: a log in memory, for tests and small embeddings. */
import type {
  AppendAllResult,
  AppendRequest,
  AppendResult,
  EventStore,
  Expected,
  NotAppended,
  ReadOptions,
  Receipt,
  SubscribeOptions,
} from './event-store.ts';
import { EventStoreError } from './event-store.ts';
import {
  type CheckedSubscription,
  checkedAppend,
  checkedAppends,
  checkedRead,
  checkedStream,
  checkedSubscription,
} from './event-store-calls.ts';
import { never } from './kernel/aggregate.ts';
import type { StoredEvent } from './kernel/envelope.ts';
import type { CommandId, Position, StreamName } from './kernel/ids.ts';

/** Digits of a position: as many as the largest safe integer has, so that positions compare as text. */
const POSITION_DIGITS = 16;
const POSITION = /^\d{16}$/;

interface Stream {
  readonly events: StoredEvent[];
  readonly commands: Map<CommandId, { readonly fingerprint: string; readonly receipt: Receipt }>;
}

/** A log that lives as long as the process. Appending costs the same however long the log is. */
export function createMemoryEventStore(): EventStore {
  return new MemoryEventStore();
}

class MemoryEventStore implements EventStore {
  readonly #log: StoredEvent[] = [];
  readonly #streams = new Map<StreamName, Stream>();
  /** Callbacks of subscriptions that wait for more events. */
  readonly #waiting = new Set<() => void>();
  #closed = false;

  async append(given: AppendRequest): Promise<AppendResult> {
    this.#refuseWhenClosed();
    const request = checkedAppend(given);
    return this.#refusalOf(request) ?? { outcome: 'appended', ...this.#store(request) };
  }

  async appendAll(given: readonly AppendRequest[]): Promise<AppendAllResult> {
    this.#refuseWhenClosed();
    const requests = checkedAppends(given);
    const refusals = requests.map((request) => this.#refusalOf(request));
    const index = refusals.findIndex((refusal) => refusal !== undefined);
    const result = refusals[index];
    if (result === undefined) {
      return { outcome: 'appended', receipts: requests.map((request) => this.#store(request)) };
    }
    const receipts = refusals.flatMap((refusal) =>
      refusal?.outcome === 'repeated'
        ? [{ revision: refusal.revision, position: refusal.position }]
        : [],
    );
    if (receipts.length === requests.length) return { outcome: 'repeated', receipts };
    return { outcome: 'refused', index, result };
  }

  /** Why an append cannot be made; undefined where it can. */
  #refusalOf({ stream: name, command, expected }: AppendRequest): NotAppended | undefined {
    const stream = this.#streams.get(name);
    const first = stream?.commands.get(command.id);
    if (first !== undefined) {
      return first.fingerprint === command.fingerprint
        ? { outcome: 'repeated', ...first.receipt }
        : { outcome: 'command-id-reused' };
    }
    const actual = (stream?.events.length ?? 0) - 1;
    return fits(expected, actual) ? undefined : { outcome: 'conflict', actual };
  }

  async read(stream: StreamName, options?: ReadOptions): Promise<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    const { from, limit = Number.POSITIVE_INFINITY } = checkedRead(options);
    const events = this.#streams.get(checkedStream(stream))?.events ?? [];
    return copies(events.slice(from, from + limit));
  }

  subscribe(options?: SubscribeOptions): AsyncIterable<readonly StoredEvent[]> {
    const checked = checkedSubscription(options);
    const seen = checked.after === undefined ? 0 : ordinalOf(checked.after);
    return this.#batches(checked, seen, this.#log.length);
  }

  async head(): Promise<Position | undefined> {
    this.#refuseWhenClosed();
    return this.#log.at(-1)?.position;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
  }

  #store(request: AppendRequest): Receipt {
    const existing = this.#streams.get(request.stream);
    const stream: Stream = existing ?? { events: [], commands: new Map() };
    if (existing === undefined) this.#streams.set(request.stream, stream);
    for (const event of request.events) {
      const stored: StoredEvent = {
        ...event,
        stream: request.stream,
        revision: stream.events.length,
        position: positionOf(this.#log.length + 1),
        commandId: request.command.id,
        commandFingerprint: request.command.fingerprint,
      };
      stream.events.push(stored);
      this.#log.push(stored);
    }
    const receipt = {
      revision: stream.events.length - 1,
      position: positionOf(this.#log.length),
    };
    const { id, fingerprint } = request.command;
    stream.commands.set(id, { fingerprint, receipt });
    this.#wake();
    return receipt;
  }

  async *#batches(
    { batchSize, signal, untilHead }: CheckedSubscription,
    after: number,
    head: number,
  ): AsyncGenerator<readonly StoredEvent[]> {
    this.#refuseWhenClosed();
    let seen = after;
    while (!(this.#closed || signal?.aborted)) {
      const end = untilHead ? head : this.#log.length;
      if (seen < end) {
        const batch = this.#log.slice(seen, Math.min(end, seen + batchSize));
        seen += batch.length;
        yield copies(batch);
      } else if (untilHead) {
        return;
      } else {
        await this.#more(signal);
      }
    }
  }

  /** Settles at the next append, at close or when the signal aborts. */
  #more(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new EventStoreError('closed', 'the event store is closed');
  }
}

function fits(expected: Expected, actual: number): boolean {
  switch (expected.kind) {
    case 'any':
      return true;
    case 'noStream':
      return actual === -1;
    case 'exists':
      return actual !== -1;
    case 'exact':
      return actual === expected.revision;
    default:
      return never(expected);
  }
}

/** A copy: changing it does not change the log. */
function copies(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.map((event) => ({ ...event }));
}

/** How many events there are up to a position; throws for positions of other stores. */
function ordinalOf(position: Position): number {
  if (!POSITION.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return Number(position);
}

function positionOf(ordinal: number): Position {
  return String(ordinal).padStart(POSITION_DIGITS, '0') as Position;
}
