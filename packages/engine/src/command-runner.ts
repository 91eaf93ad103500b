/** Executes commands for a caller, with ids, times and fingerprints; turns a rejection into a refusal. */
import {
  type Aggregate,
  type AnyCommand,
  type CommandContext,
  type CommandId,
  type CommandOf,
  type Step as CoreStep,
  categoryOf,
  type Decision,
  decodeEvent,
  type Event,
  type EventOf,
  type Executor,
  execute,
  executeTogether,
  fingerprintOf,
  fold,
  load,
  loadRecords,
  openerOf,
  type Position,
  type Recorded,
  type Rejection,
  type StateOf,
  type StoredEvent,
  type StreamName,
  type TenantId,
} from '@counterfoil/core';
import { type KeyedHash, keyedHash } from './keyed-hash.ts';
import { refused } from './refusal.ts';
import type { Clock } from './runtime/clock.ts';
import { KeyedMutex, type KeyedMutexOptions } from './runtime/keyed-mutex.ts';
import { traced } from './tracing.ts';

/** Hex digits of a keyed mark: 128 bits. */
const MARK_LENGTH = 32;

/** A command waits at most so long for those before it on its stream. */
const LONGEST_WAIT_MS = 30_000;

/** On whose behalf commands are executed; kept in the metadata of their events. */
export interface Caller {
  readonly actor: string;
  readonly keyId?: string;
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** The host acting by itself: reactors and sweepers. */
export const SYSTEM: Caller = { actor: 'system' };

export interface Done<Of extends Aggregate> {
  readonly events: readonly EventOf<Of>[];
  readonly state: StateOf<Of>;
  readonly repeated: boolean;
}

export interface CommandName {
  readonly commandId: string;
  /** What makes two requests the same, where it is not the command itself. */
  readonly content?: unknown;
}

/** One of several commands that are executed together. */
export interface Step<Of extends Executable = Executable> {
  readonly aggregate: Of;
  readonly command: CommandOf<Of>;
  readonly name: CommandName;
  /** Of the stream as the others were made from it: where it has moved on, none is executed. */
  readonly revision?: number | undefined;
}

/** What became of each of them. */
type DoneOf<Steps extends readonly Step[]> = {
  readonly [Index in keyof Steps]: Steps[Index] extends Step<infer Of> ? Done<Of> : never;
};

/** Called with each position that a tenant's command was acknowledged at, and its stream. */
type Acknowledged = (tenantId: TenantId, position: Position, stream: StreamName) => void;

/** An aggregate whose rejections are refusals of the engine. */
export interface Executable extends Aggregate {
  decide(state: unknown, command: AnyCommand): Decision<Event, Rejection>;
}

export class CommandRunner {
  readonly executor: Executor;
  readonly clock: Clock;
  readonly #acknowledged: Acknowledged;
  readonly #hash: KeyedHash | undefined;
  /** One command at a time on a stream: those of this host never lose a race against each other. */
  readonly #mutex: KeyedMutex;

  /**
   * `acknowledged` is called with each position that a command was acknowledged at. With a `secret`
   * fingerprints of commands are keyed (HMAC-SHA256): against plain ones, a reader of the log could try
   * names and emails, also those of a person who was erased.
   */
  constructor(
    executor: Executor,
    clock: Clock,
    acknowledged: Acknowledged,
    secret?: Uint8Array,
    mutex: KeyedMutexOptions = { longestWaitMs: LONGEST_WAIT_MS },
  ) {
    this.executor = executor;
    this.clock = clock;
    this.#acknowledged = acknowledged;
    this.#hash = secret && keyedHash(secret);
    this.#mutex = new KeyedMutex(mutex);
  }

  /**
   * Throws `Refused` where the domain says no, with `ConcurrentUpdate` where other processes kept
   * winning, and with `StreamBusy` where the commands before it on the stream take too long.
   */
  execute<Of extends Executable>(
    aggregate: Of,
    command: CommandOf<Of>,
    name: CommandName,
    caller: Caller,
  ): Promise<Done<Of>> {
    return traced(
      () => ({
        name: `append ${categoryOf(aggregate.streamOf(command))}`,
        attributes: {
          'counterfoil.tenant_id': command.tenantId,
          'counterfoil.command': command.type,
        },
      }),
      async (span) => {
        const done = await this.#execute(aggregate, command, name, caller);
        span?.setAttributes({
          'counterfoil.events': done.events.length,
          'counterfoil.repeated': done.repeated,
        });
        return done;
      },
    );
  }

  async #execute<Of extends Executable>(
    aggregate: Of,
    command: CommandOf<Of>,
    name: CommandName,
    caller: Caller,
  ): Promise<Done<Of>> {
    const { open, context } = this.#contextOf({ aggregate, command, name }, caller);
    const done = await this.#mutex.runExclusive(aggregate.streamOf(command), async () => {
      const keyed = await execute(this.executor, aggregate, command, context);
      if (keyed.outcome !== 'command-id-reused' || this.#hash === undefined) return keyed;
      // A log of before has open marks.
      return execute(this.executor, aggregate, command, { ...context, fingerprint: open });
    });
    switch (done.outcome) {
      case 'accepted': {
        const { events, state, repeated, receipt } = done;
        if (receipt !== undefined) {
          this.#acknowledged(command.tenantId, receipt.position, aggregate.streamOf(command));
        }
        return { events, state, repeated };
      }
      case 'rejected':
        throw refused(done.rejection as Rejection);
      case 'command-id-reused':
        throw refused({ type: 'IdempotencyKeyReused' });
      case 'conflict':
        throw refused({ type: 'ConcurrentUpdate' });
    }
  }

  #contextOf(
    { command, name: { commandId, content } }: Step,
    caller: Caller,
  ): { readonly open: string; readonly context: CommandContext } {
    const open = fingerprintOf(content === undefined ? { ...command, at: undefined } : content);
    const context = {
      commandId: commandId as CommandId,
      metadata: metadataOf(caller),
      recordedAt: this.clock.now(),
      fingerprint: this.#keyed(open),
    };
    return { open, context };
  }

  /** Whether the log can append the events of several commands as one. */
  get executesTogether(): boolean {
    return this.executor.store.appendAll !== undefined;
  }

  /**
   * Executes commands on different streams, each decided by itself, whose events become durable as one,
   * in the order of the commands. Undefined where that was not possible, also where one has nothing to do:
   * then each is to be executed by itself, which says why.
   */
  async executeTogether<const Steps extends readonly Step[]>(
    steps: Steps,
    caller: Caller,
  ): Promise<DoneOf<Steps> | undefined> {
    if (!this.executesTogether) return undefined;
    const streams = steps.map(({ aggregate, command }) => aggregate.streamOf(command));
    if (new Set(streams).size < streams.length) return undefined;
    // Without waiting for others, who might wait for one of these streams in turn.
    return this.#mutex.tryExclusive(streams, () =>
      traced(
        () => ({
          name: `append ${streams.map(categoryOf).join(' and ')}`,
          attributes: {
            'counterfoil.tenant_id': Number(steps[0]?.command.tenantId),
            'counterfoil.command': steps.map(({ command }) => command.type).join(' and '),
          },
        }),
        async (span) => {
          const contexts = steps.map(
            (step): CoreStep => ({ ...step, context: this.#contextOf(step, caller).context }),
          );
          const done = await executeTogether(this.executor, contexts);
          if (done !== undefined) {
            span?.setAttributes({
              'counterfoil.events': done.reduce((sum, { events }) => sum + events.length, 0),
              'counterfoil.repeated': done.some(({ repeated }) => repeated),
            });
          }
          for (const [index, { command }] of steps.entries()) {
            const [receipt, stream] = [done?.[index]?.receipt, streams[index]];
            if (receipt === undefined || stream === undefined) continue;
            this.#acknowledged(command.tenantId, receipt.position, stream);
          }
          return done as unknown as DoneOf<Steps> | undefined;
        },
      ),
    );
  }

  /**
   * What a command would do if it were executed now, at which revision of its stream; undefined where it
   * would be refused.
   */
  async foreseen<Of extends Executable>(
    aggregate: Of,
    command: CommandOf<Of>,
  ): Promise<(Pick<Done<Of>, 'events' | 'state'> & { readonly revision: number }) | undefined> {
    const stream = aggregate.streamOf(command);
    const { state, revision } = await load(this.executor, aggregate, stream);
    const decided = aggregate.decide(state, command);
    if (decided._tag === 'Left') return undefined;
    const events = decided.right as readonly EventOf<Of>[];
    return { events, state: events.reduce(aggregate.evolve, state) as StateOf<Of>, revision };
  }

  /**
   * What a command needs, found out before it is executed. A refusal on the way stands only where
   * the command was not executed before: undefined then, as a repetition needs nothing of it.
   */
  async prepared<Of extends Executable, Needed>(
    aggregate: Of,
    stream: StreamName,
    name: Required<CommandName>,
    findOut: () => Promise<Needed>,
  ): Promise<Needed | undefined> {
    try {
      return await findOut();
    } catch (error) {
      if (await this.isRepeat(aggregate, stream, name)) return undefined;
      throw error;
    }
  }

  /** Whether a stream holds this command already. Refuses when it holds another one of that id. */
  async isRepeat<Of extends Executable>(
    aggregate: Of,
    stream: StreamName,
    { commandId, content }: Required<CommandName>,
  ): Promise<boolean> {
    const { commands } = await load(this.executor, aggregate, stream);
    const before = commands.get(commandId as CommandId);
    if (before === undefined) return false;
    const open = fingerprintOf(content);
    if (before.fingerprint === this.#keyed(open) || before.fingerprint === open) return true;
    throw refused({ type: 'IdempotencyKeyReused' });
  }

  #keyed(fingerprint: string): string {
    return this.#hash?.(fingerprint).slice(0, MARK_LENGTH) ?? fingerprint;
  }

  /** The event, with its personal data opened. Rejects with `DamagedEvent` where that cannot be read. */
  async eventOf(stored: StoredEvent): Promise<Event> {
    return decodeEvent(stored, await openerOf(this.executor.vault, [stored]));
  }

  /** The events of a stream and their state. Rejects with `DamagedEvent` where one cannot be read. */
  async recordedIn<Of extends Executable>(
    aggregate: Of,
    stream: StreamName,
  ): Promise<Recorded<StateOf<Of>>> {
    return loadRecords(this.executor, aggregate, stream);
  }

  /** The present state of a stream. */
  async stateOf<Of extends Executable>(aggregate: Of, stream: StreamName): Promise<StateOf<Of>> {
    return (await load(this.executor, aggregate, stream)).state;
  }

  /**
   * The event at a place in a stream, and the state that it made; of the last one both may be cached.
   * Undefined where the stream has no such event. Rejects with `DamagedEvent` where it cannot be read.
   */
  async asOf<Of extends Executable>(
    aggregate: Of,
    stream: StreamName,
    revision: number,
  ): Promise<{ readonly event: EventOf<Of>; readonly state: StateOf<Of> } | undefined> {
    const { store, cache, vault } = this.executor;
    const known = cache?.get(stream);
    if (known?.revision === revision && known.last !== undefined) {
      return { event: known.last as EventOf<Of>, state: known.state as StateOf<Of> };
    }
    const stored = await store.read(stream, { from: 0, limit: revision + 1 });
    const opener = await openerOf(vault, stored);
    const events = stored.map((each) => decodeEvent(each, opener));
    const event = events.at(-1);
    if (event === undefined || stored.at(-1)?.revision !== revision) return undefined;
    const state = fold<Event, unknown>(aggregate, events, aggregate.initial);
    return { event: event as EventOf<Of>, state: state as StateOf<Of> };
  }

  /** A state of the stream that nothing is read for, and that may be of the past; undefined without one. */
  rememberedStateOf<Of extends Executable>(
    _aggregate: Of,
    stream: StreamName,
  ): StateOf<Of> | undefined {
    return this.executor.cache?.get(stream)?.state as StateOf<Of> | undefined;
  }

  /** Whether a command would do nothing, as far as that is known without reading. */
  isKnownToChangeNothing<Of extends Executable>(aggregate: Of, command: CommandOf<Of>): boolean {
    const state = this.rememberedStateOf(aggregate, aggregate.streamOf(command));
    if (state === undefined) return false;
    const decided = aggregate.decide(state, command);
    return decided._tag === 'Right' && decided.right.length === 0;
  }
}

function metadataOf({ actor, keyId, requestId, traceparent }: Caller) {
  return {
    actor,
    ...(keyId !== undefined && { keyId }),
    ...(requestId !== undefined && { requestId, correlationId: requestId }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
