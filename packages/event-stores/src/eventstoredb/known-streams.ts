/** Caches the last revision and the commands of streams. */
import type { CommandId, StoredEvent, StreamName } from '@counterfoil/core';

/** Commands and streams together, about 130 bytes each. */
const CAPACITY = 200_000;

export interface KnownStream {
  /** Everything up to this revision is known; -1 for nothing. Others may have appended since. */
  readonly revision: number;
  /** The revision of each command's last event. */
  readonly commands: ReadonlyMap<CommandId, number>;
}

interface Entry extends KnownStream {
  revision: number;
  readonly commands: Map<CommandId, number>;
}

/** LRU; the stream in use is never evicted. */
export class KnownStreams {
  readonly #streams = new Map<StreamName, Entry>();
  readonly #capacity: number;
  #size = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  get(stream: StreamName): KnownStream | undefined {
    const known = this.#streams.get(stream);
    if (known !== undefined) this.#use(stream, known);
    return known;
  }

  /**
   * `events` are consecutive and begin at `from`; an empty list means that the stream ends before.
   * Ignored when there is a gap to what is known.
   */
  learn(stream: StreamName, from: number, events: readonly StoredEvent[]): void {
    const known = this.#streams.get(stream) ?? this.#begin(stream, from);
    if (known === undefined || from > known.revision + 1) return;
    for (const { revision, commandId } of events) this.#add(known, commandId, revision);
    this.#use(stream, known);
  }

  /** The command's events were appended after `revision`, and end at `last`. */
  appended(stream: StreamName, revision: number, command: CommandId, last: number): void {
    const known = this.#streams.get(stream) ?? this.#begin(stream, revision + 1);
    if (known === undefined || known.revision < revision) return;
    this.#add(known, command, last);
    this.#use(stream, known);
  }

  #begin(stream: StreamName, from: number): Entry | undefined {
    if (from !== 0) return undefined;
    const entry: Entry = { revision: -1, commands: new Map() };
    this.#streams.set(stream, entry);
    this.#size += 1;
    return entry;
  }

  #add(known: Entry, command: CommandId, revision: number): void {
    if (revision <= known.revision) return;
    const before = known.commands.size;
    known.commands.set(command, revision);
    known.revision = revision;
    this.#size += known.commands.size - before;
  }

  #use(stream: StreamName, known: Entry): void {
    this.#streams.delete(stream);
    this.#streams.set(stream, known);
    for (const [oldest, { commands }] of this.#streams) {
      if (this.#size <= this.#capacity || oldest === stream) return;
      this.#streams.delete(oldest);
      this.#size -= commands.size + 1;
    }
  }
}
