/** Appends: checks the expectation, sends the events, and finds the outcome whatever happens. */
import type { AppendRequest, AppendResult, Expected, StreamName } from '@counterfoil/core';
import { EventStoreError } from '@counterfoil/core';
import { expectationCode, fits } from '../append-request.ts';
import type { Calls, Retries } from './calls.ts';
import type { Appended } from './client.ts';
import { newAttempt, propose } from './envelope.ts';
import type { KnownStream, KnownStreams } from './known-streams.ts';
import { type Place, positionOf } from './positions.ts';
import type { StreamNames } from './stream-names.ts';
import type { StreamReader } from './stream-reader.ts';
import { Queues } from './turns.ts';

/** Conflicts with other writers of a stream before an append fails. */
const MAX_RACES = 64;

export interface AppenderParts {
  readonly calls: Calls;
  readonly names: StreamNames;
  readonly known: KnownStreams;
  readonly reader: StreamReader;
  /** Called with the place of the last event of every append. */
  readonly onAppended: (place: Place) => void;
}

/** An append on its way. */
interface Sending {
  readonly request: AppendRequest;
  readonly name: string;
  readonly attempt: string;
  readonly proposed: ReturnType<typeof propose>[];
  readonly retries: Retries;
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
        retries: calls.retries(),
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
   * they are read, and the append is decided again.
   */
  async #settle(sending: Sending): Promise<AppendResult> {
    const { request, retries } = sending;
    const { stream, expected, command } = request;
    const expectation = expectationCode(expected);
    let isFresh = false;
    for (let race = 0; race <= MAX_RACES; race += 1) {
      const known = await this.#look(stream, expected, retries);
      const last = known.commands.get(command.id);
      if (last !== undefined) return this.#repeated(sending, last);
      if (!fits(expectation, known.revision)) {
        if (isFresh) return { outcome: 'conflict', actual: known.revision };
      } else {
        // A concurrent read of the stream may see these events before their answer arrives.
        const before = known.revision;
        const answer = await this.#send(sending, before);
        if (answer !== 'conflict') return this.#appended(sending, before, answer);
      }
      await this.#refresh(stream, retries);
      isFresh = true;
    }
    throw new EventStoreError(
      'unavailable',
      `others were faster on ${stream} ${MAX_RACES} times in a row`,
    );
  }

  /** A stream that is expected not to exist is not read: the append itself finds out. */
  async #look(stream: StreamName, expected: Expected, retries: Retries): Promise<KnownStream> {
    const known = this.#parts.known.get(stream);
    if (known !== undefined) return known;
    if (expected.kind === 'noStream') return { revision: -1, commands: new Map() };
    await this.#refresh(stream, retries);
    return this.#known(stream);
  }

  async #refresh(stream: StreamName, retries: Retries): Promise<void> {
    const from = (this.#parts.known.get(stream)?.revision ?? -1) + 1;
    await this.#parts.reader.read(stream, from, Number.POSITIVE_INFINITY, retries);
  }

  #known(stream: StreamName): KnownStream {
    // It was read just now and cannot have been evicted: the stream in use never is.
    return this.#parts.known.get(stream) ?? { revision: -1, commands: new Map() };
  }

  /**
   * Sends until an answer arrives. Attempts without one do no harm: either their events are in the
   * stream already, and the server treats the next attempt as a repeat, or they arrive later and
   * conflict.
   */
  async #send(sending: Sending, revision: number): Promise<Appended> {
    const { name, proposed, retries } = sending;
    for (;;) {
      try {
        return await this.#parts.calls.once((client) => client.append(name, proposed, revision));
      } catch (error) {
        await retries.after(error, `appending to ${name}`, 'append');
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

  /** The stream has the command: by this call, when an attempt without an answer had succeeded. */
  async #repeated({ request, attempt, retries }: Sending, last: number): Promise<AppendResult> {
    const { stream, events, command } = request;
    const [found] = await this.#parts.reader.read(stream, last, 1, retries);
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
