/** Appends: finds out what a command has to meet, sends it, and learns what became of it whatever happens. */
import type { AppendRequest, AppendResult, Expected, StreamName } from '@counterfoil/core';
import { EventStoreError, never } from '@counterfoil/core';
import type { Calls, Patience } from './calls.ts';
import type { Appended } from './client.ts';
import { newAttempt, propose } from './envelope.ts';
import type { KnownStream, KnownStreams } from './known-streams.ts';
import { type Place, positionOf } from './positions.ts';
import type { StreamNames } from './stream-names.ts';
import type { StreamReader } from './stream-reader.ts';
import { Queues } from './turns.ts';

/** How often others may be faster on a stream before it is given up. */
const MAX_RACES = 64;

export interface AppenderParts {
  readonly calls: Calls;
  readonly names: StreamNames;
  readonly known: KnownStreams;
  readonly reader: StreamReader;
  /** Hears of the place of every event that is appended here. */
  readonly onAppended: (place: Place) => void;
}

/** An append on its way. */
interface Sending {
  readonly request: AppendRequest;
  readonly name: string;
  readonly attempt: string;
  readonly proposed: ReturnType<typeof propose>[];
  readonly patience: Patience;
}

export class Appender {
  readonly #parts: AppenderParts;
  /** One append of this store at a time on a stream: they would only conflict with each other. */
  readonly #queues = new Queues<StreamName>();

  constructor(parts: AppenderParts) {
    this.#parts = parts;
  }

  append(request: AppendRequest): Promise<AppendResult> {
    const { calls, names } = this.#parts;
    return this.#queues.run(request.stream, () => {
      const attempt = newAttempt();
      return this.#settle({
        request,
        name: names.onServer(request.stream),
        attempt,
        proposed: request.events.map((event) => propose(event, request.command, attempt)),
        patience: calls.patience(),
      });
    });
  }

  /** Settles when no append is under way. */
  finish(): Promise<void> {
    return this.#queues.empty();
  }

  /**
   * Sends the events for the revision that the stream is known to have, and never for any: only then
   * can the server tell a repeated call from a new one, however long ago the first was, and only then
   * is what was sent before and comes late refused. When the stream has more events than was known,
   * they are read, and all is decided anew.
   */
  async #settle(sending: Sending): Promise<AppendResult> {
    const { request, patience } = sending;
    const { stream, expected, command } = request;
    let isFresh = false;
    for (let race = 0; race <= MAX_RACES; race += 1) {
      const known = await this.#look(stream, expected, patience);
      const last = known.commands.get(command.id);
      if (last !== undefined) return this.#repeated(sending, last);
      if (!fits(expected, known.revision)) {
        if (isFresh) return { outcome: 'conflict', actual: known.revision };
      } else {
        // Whoever reads the stream meanwhile may learn of these very events before their answer comes.
        const before = known.revision;
        const answer = await this.#send(sending, before);
        if (answer !== 'conflict') return this.#appended(sending, before, answer);
      }
      await this.#refresh(stream, patience);
      isFresh = true;
    }
    throw new EventStoreError(
      'unavailable',
      `others were faster on ${stream} ${MAX_RACES} times in a row`,
    );
  }

  /** A stream that is expected not to be there is not asked for: the append itself will tell. */
  async #look(stream: StreamName, expected: Expected, patience: Patience): Promise<KnownStream> {
    const known = this.#parts.known.get(stream);
    if (known !== undefined) return known;
    if (expected.kind === 'noStream') return { revision: -1, commands: new Map() };
    await this.#refresh(stream, patience);
    return this.#known(stream);
  }

  async #refresh(stream: StreamName, patience: Patience): Promise<void> {
    const from = (this.#parts.known.get(stream)?.revision ?? -1) + 1;
    await this.#parts.reader.read(stream, from, Number.POSITIVE_INFINITY, patience);
  }

  #known(stream: StreamName): KnownStream {
    // A long stream was read just now and cannot have been forgotten: the one in use never is.
    return this.#parts.known.get(stream) ?? { revision: -1, commands: new Map() };
  }

  /**
   * Sends until an answer comes. What an attempt without one has done does not matter: either its
   * events stand in the stream already, and the server takes the next attempt for a repeated one, or
   * they come later and find the place taken.
   */
  async #send(sending: Sending, revision: number): Promise<Appended> {
    const { name, proposed, patience } = sending;
    for (;;) {
      try {
        return await this.#parts.calls.once((client) => client.append(name, proposed, revision));
      } catch (error) {
        await patience.after(error, `appending to ${name}`, 'append');
      }
    }
  }

  #appended(
    { request, name }: Sending,
    before: number,
    { revision, place }: Exclude<Appended, 'conflict'>,
  ): AppendResult {
    const { stream, events, command } = request;
    if (revision !== before + events.length) {
      throw new EventStoreError(
        'corrupt',
        `${name} went from revision ${before} to ${revision} by ${events.length} events: it was deleted once`,
      );
    }
    this.#parts.known.appended(stream, before, command.id, revision);
    this.#parts.onAppended(place);
    return { outcome: 'appended', revision, position: positionOf(place) };
  }

  /** The stream holds the command: by this call, when an attempt without an answer had come through. */
  async #repeated({ request, attempt, patience }: Sending, last: number): Promise<AppendResult> {
    const { stream, events, command } = request;
    const [found] = await this.#parts.reader.read(stream, last, 1, patience);
    if (found === undefined) {
      throw new EventStoreError('corrupt', `${stream} has lost its event ${last}`);
    }
    const { id, revision, position, commandFingerprint } = found.event;
    if (found.attempt === attempt) {
      if (id === events.at(-1)?.id) return { outcome: 'appended', revision, position };
      throw new EventStoreError('corrupt', `${stream} holds a part of an append up to ${last}`);
    }
    if (commandFingerprint !== command.fingerprint) return { outcome: 'command-id-reused' };
    return { outcome: 'repeated', revision, position };
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
