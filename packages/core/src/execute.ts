/** Executes commands: read, fold, decide, append; and again after a conflict. Or several, as one append. */
import { isLeft } from 'fp-ts/lib/Either.js';
import {
  type Event as AnyEvent,
  decodeEvent,
  decodeRecord,
  encodeEvent,
  openerOf,
  sealerOf,
} from './catalog.ts';
import type { AppendRequest, EventStore, Receipt } from './event-store.ts';
import {
  type Aggregate,
  type AnyCommand,
  type CommandOf,
  type EventOf,
  fold,
  type RejectionOf,
  type StateOf,
} from './kernel/aggregate.ts';
import type { EncodedEvent, EventMetadata, RecordedEvent, StoredEvent } from './kernel/envelope.ts';
import { fingerprintOf } from './kernel/fingerprint.ts';
import { type CommandId, eventIdOf, type StreamName } from './kernel/ids.ts';
import type { AnyVault, PersonalDataVault } from './kernel/personal-data.ts';

/** Attempts at one command before the result is `conflict`. */
export const MAX_DECISIONS = 8;

/** What comes with a command from outside: its id, who sent it, and when. */
export interface CommandContext {
  /** A repeat of an id on a stream has no further effect. */
  readonly commandId: CommandId;
  readonly metadata: EventMetadata;
  /** When it is recorded (ISO 8601, GMT). */
  readonly recordedAt: string;
  /**
   * What makes two commands the same, where that is less than all of the command: a request repeated
   * later has another `at`, and is still the same. The whole command but `at` when absent.
   */
  readonly fingerprint?: string;
}

/**
 * `accepted`: the events are durable (none when there was nothing to do); `repeated` where the
 * command had been executed before, and `events` are those of the first time. `rejected`: the
 * domain refused. `command-id-reused`: the id belongs to another command. `conflict`: others were
 * faster `MAX_DECISIONS` times in a row; nothing was written.
 */
export type Execution<Of extends Aggregate> =
  | {
      readonly outcome: 'accepted';
      readonly events: readonly EventOf<Of>[];
      readonly state: StateOf<Of>;
      readonly receipt: Receipt | undefined;
      readonly repeated: boolean;
    }
  | {
      readonly outcome: 'rejected';
      readonly rejection: RejectionOf<Of>;
      readonly state: StateOf<Of>;
    }
  | { readonly outcome: 'command-id-reused' }
  | { readonly outcome: 'conflict' };

/** The state of one stream, with what is needed to recognise its commands. */
export interface Loaded<State> {
  readonly state: State;
  /** Of the last event; -1 for an empty stream. */
  readonly revision: number;
  /**
   * Shared by all loaded states of one stream, so that it is not copied for each command: it may have
   * commands beyond the revision.
   */
  readonly commands: Map<CommandId, Carried>;
  /** Characters of the events that the state is folded from: it holds about as many at most. */
  readonly characters: number;
  /** The event at the revision, which mostly shares its texts with the state; absent in an empty stream. */
  readonly last?: AnyEvent;
}

interface Carried {
  readonly fingerprint: string;
  readonly firstRevision: number;
  readonly receipt: Receipt;
}

/** Caches the folded states of streams between commands. Entries may be stale, never wrong. */
export interface StateCache {
  get(stream: StreamName): Loaded<unknown> | undefined;
  set(stream: StreamName, loaded: Loaded<unknown>): void;
}

export interface Executor {
  readonly store: EventStore;
  readonly cache?: StateCache;
  /** Encrypts personal data; without one it is stored in the clear. */
  readonly vault?: AnyVault;
}

/** Reads a stream and folds it. */
export async function load<Of extends Aggregate>(
  { store, cache, vault }: Executor,
  aggregate: Of,
  stream: StreamName,
): Promise<Loaded<StateOf<Of>>> {
  const known = (cache?.get(stream) ?? emptyStream(aggregate)) as Loaded<StateOf<Of>>;
  const news = await store.read(stream, { from: known.revision + 1 });
  if (news.length === 0) return known;
  const opener = await openerOf(vault, news);
  const events = news.map((stored) => decodeEvent(stored, opener));
  const loaded = advance(aggregate, known, news, events);
  cache?.set(stream, loaded);
  return loaded as Loaded<StateOf<Of>>;
}

/** The events of a stream, oldest first, and the state that they made. */
export interface Recorded<State> {
  readonly records: readonly RecordedEvent<AnyEvent>[];
  readonly state: State;
}

/**
 * Reads the events of a stream. Their state is not cached: of the many that are looked at, few are changed
 * next.
 */
export async function loadRecords<Of extends Aggregate>(
  { store, cache, vault }: Executor,
  aggregate: Of,
  stream: StreamName,
): Promise<Recorded<StateOf<Of>>> {
  const stored = await store.read(stream);
  const opener = await openerOf(vault, stored);
  const records = stored.map((each) => decodeRecord(each, opener));
  const known = cache?.get(stream);
  if (known?.revision === stored.length - 1) return { records, state: known.state as StateOf<Of> };
  const events = records.map(({ event }) => event);
  return { records, state: fold<AnyEvent, unknown>(aggregate, events) as StateOf<Of> };
}

function emptyStream({ initial }: Aggregate): Loaded<unknown> {
  return { state: initial, revision: -1, commands: new Map(), characters: 0 };
}

function advance(
  aggregate: Aggregate,
  { state, revision: seen, commands, characters }: Loaded<unknown>,
  news: readonly StoredEvent[],
  events: readonly AnyEvent[],
): Loaded<unknown> {
  let revision = seen;
  let firstRevision = seen + 1;
  for (const [index, stored] of news.entries()) {
    revision = stored.revision;
    // The events of a command are consecutive.
    if (news[index + 1]?.commandId === stored.commandId) continue;
    const receipt = { revision, position: stored.position };
    commands.set(stored.commandId, {
      fingerprint: stored.commandFingerprint,
      firstRevision,
      receipt,
    });
    firstRevision = revision + 1;
  }
  return {
    state: fold<AnyEvent, unknown>(aggregate, events, state),
    revision,
    commands,
    characters: characters + charactersOf(news),
    ...lastOf(events),
  };
}

/** Runs one command on its stream. */
export async function execute<Of extends Aggregate>(
  executor: Executor,
  aggregate: Of,
  command: CommandOf<Of>,
  context: CommandContext,
): Promise<Execution<Of>> {
  const addressed = addressOf({ aggregate, command, context });
  const { stream } = addressed;
  if (isLikelyNew(executor, addressed)) {
    // Not read first: the append itself reports an existing stream.
    const begun = await decideOnce(executor, addressed, emptyStream(aggregate));
    if (begun?.outcome === 'accepted' && begun.receipt !== undefined) return begun as Execution<Of>;
  }
  for (let decision = 1; decision <= MAX_DECISIONS; decision += 1) {
    const loaded = await load(executor, aggregate, stream);
    const done = await decideOnce(executor, addressed, loaded);
    if (done !== undefined) return done as Execution<Of>;
  }
  return { outcome: 'conflict' };
}

/** One of several commands that are executed together. */
export interface Step<Of extends Aggregate = Aggregate> {
  readonly aggregate: Of;
  readonly command: CommandOf<Of>;
  readonly context: CommandContext;
  /** Of the stream as the others were made from it: where it has moved on, none is executed. */
  readonly revision?: number | undefined;
}

export type Accepted = Extract<Execution<Aggregate>, { readonly outcome: 'accepted' }>;

/**
 * Runs commands on different streams, each decided by itself, whose events become durable as one.
 * Undefined where that is not possible: the store appends to one stream at a time, a stream has moved on,
 * a command is refused, has nothing to do or was executed before, or another writer was faster. Nothing
 * is written then, unless the store had lost its answer and repeated the append: all of it is. Each command
 * is to be executed by itself, which tells.
 */
export async function executeTogether(
  executor: Executor,
  steps: readonly Step[],
): Promise<readonly Accepted[] | undefined> {
  const { store } = executor;
  if (store.appendAll === undefined) return undefined;
  const decisions: Decided[] = [];
  for (const step of steps) {
    const { aggregate } = step;
    const addressed = addressOf(step);
    const { stream } = addressed;
    const loaded = isLikelyNew(executor, addressed)
      ? emptyStream(aggregate)
      : await load(executor, aggregate, stream);
    if (loaded.commands.has(step.context.commandId)) return undefined;
    if (step.revision !== undefined && step.revision !== loaded.revision) return undefined;
    const decided = aggregate.decide(loaded.state, step.command);
    // One that has nothing to do, such as a claim of what another holds, may be a reason for the others not to be.
    if (isLeft(decided) || decided.right.length === 0) return undefined;
    decisions.push({ ...addressed, loaded, events: decided.right as readonly AnyEvent[] });
  }
  const requests: AppendRequest[] = [];
  for (const decided of decisions) requests.push(await requestOf(executor, decided));
  const appended = await store.appendAll(requests);
  if (appended.outcome !== 'appended') return undefined;
  const { receipts } = appended;
  return decisions.map((decided, index) => {
    const [request, receipt] = [requests[index], receipts[index]];
    if (request === undefined || receipt === undefined) {
      throw new Error('the store answered fewer appends than it was given');
    }
    return accept(executor, decided, request, receipt);
  });
}

interface Addressed extends Step {
  readonly stream: StreamName;
  readonly mark: string;
}

/** A command with the state that it was decided on. */
interface Decided extends Addressed {
  readonly loaded: Loaded<unknown>;
  readonly events: readonly AnyEvent[];
}

function addressOf({ aggregate, command, context }: Step): Addressed {
  const stream = aggregate.streamOf(command);
  const mark = context.fingerprint ?? fingerprintOf({ ...command, at: undefined });
  return { aggregate, stream, command, context, mark };
}

function isLikelyNew({ cache }: Executor, { aggregate, command, stream }: Addressed): boolean {
  return aggregate.begins?.(command) === true && cache?.get(stream) === undefined;
}

/** Decides on the loaded state; undefined when the log has newer events. */
async function decideOnce(
  executor: Executor,
  addressed: Addressed,
  loaded: Loaded<unknown>,
): Promise<Execution<Aggregate> | undefined> {
  const { aggregate, stream, command, mark } = addressed;
  const before = loaded.commands.get(addressed.context.commandId);
  if (before !== undefined && before.receipt.revision <= loaded.revision)
    return repeat(executor, stream, loaded, before, mark);

  const decision = aggregate.decide(loaded.state, command);
  if (isLeft(decision)) {
    return { outcome: 'rejected', rejection: decision.left, state: loaded.state };
  }
  const decided = { ...addressed, loaded, events: decision.right as readonly AnyEvent[] };
  if (decided.events.length === 0) {
    const { state } = loaded;
    return { outcome: 'accepted', events: [], state, receipt: undefined, repeated: false };
  }
  const request = await requestOf(executor, decided);
  const appended = await executor.store.append(request);
  switch (appended.outcome) {
    case 'appended': {
      const { revision, position } = appended;
      return accept(executor, decided, request, { revision, position });
    }
    case 'command-id-reused':
      return { outcome: 'command-id-reused' };
    case 'conflict':
    case 'repeated':
      return undefined;
  }
}

async function requestOf(
  { vault: keys }: Executor,
  { stream, command, context, mark, loaded, events }: Decided,
): Promise<AppendRequest> {
  const vault = await sealerOf(keys, { tenantId: command.tenantId, events });
  const { commandId } = context;
  return {
    stream,
    events: events.map((event, index) =>
      envelope(vault, event, eventIdOf(commandId, stream, index), command, context),
    ),
    expected:
      loaded.revision < 0 ? { kind: 'noStream' } : { kind: 'exact', revision: loaded.revision },
    command: { id: commandId, fingerprint: mark },
  };
}

/** Caches the state after an append. */
function accept(
  { cache }: Executor,
  { aggregate, stream, context, mark, loaded, events }: Decided,
  { events: encoded }: AppendRequest,
  receipt: Receipt,
): Accepted {
  const { revision } = receipt;
  const state = events.reduce(aggregate.evolve, loaded.state);
  const firstRevision = revision - events.length + 1;
  const { commands } = loaded;
  commands.set(context.commandId, { fingerprint: mark, firstRevision, receipt });
  const characters = loaded.characters + charactersOf(encoded);
  cache?.set(stream, { state, revision, commands, characters, ...lastOf(events) });
  return { outcome: 'accepted', events, state, receipt, repeated: false };
}

function lastOf(events: readonly AnyEvent[]): Pick<Loaded<unknown>, 'last'> {
  const last = events.at(-1);
  return last === undefined ? {} : { last };
}

function charactersOf(events: readonly { readonly data: string }[]): number {
  return events.reduce((sum, { data }) => sum + data.length, 0);
}

async function repeat(
  { store, vault }: Executor,
  stream: StreamName,
  { state }: Loaded<unknown>,
  carried: Carried,
  mark: string,
): Promise<Execution<Aggregate>> {
  if (carried.fingerprint !== mark) return { outcome: 'command-id-reused' };
  const { firstRevision, receipt } = carried;
  const stored = await store.read(stream, {
    from: firstRevision,
    limit: receipt.revision - firstRevision + 1,
  });
  const opener = await openerOf(vault, stored);
  const events = stored.map((event) => decodeEvent(event, opener));
  return { outcome: 'accepted', events, state, receipt, repeated: true };
}

function envelope(
  vault: PersonalDataVault | undefined,
  event: AnyEvent,
  id: string,
  { tenantId }: AnyCommand,
  { metadata, recordedAt }: CommandContext,
): EncodedEvent {
  return {
    ...encodeEvent(event, vault && { tenantId, vault }),
    id,
    tenantId,
    time: recordedAt,
    metadata: JSON.stringify(metadata),
  };
}
