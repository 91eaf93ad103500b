// Switches that make the protocol server fail: each is set by a test, counted, and never timed.

export type Operation =
  | 'append'
  | 'batchAppend'
  | 'delete'
  | 'read'
  | 'subscribe'
  | 'gossip'
  | 'features';

export type Refusal =
  | 'diskFull'
  | 'appendTooLarge'
  | 'notReady'
  | 'tooBusy'
  | 'noLeader'
  | 'commitTimeout'
  | 'accessDenied'
  | 'unauthenticated';

/** Whether the server has done what it was asked before it fails. */
export type Moment = 'beforeApply' | 'afterApply';

export type Fault =
  /** The connection breaks, with all the calls on it. */
  | { readonly kind: 'drop'; readonly when: Moment }
  /** The server ends as a process does that is killed, or whose disk is full, until `start`. */
  | { readonly kind: 'die'; readonly when: Moment }
  /**
   * The answer never comes, until `release` is called. What was stalled before it was applied is
   * applied then, whether its caller still waits or not: a network may hold a request that long.
   */
  | { readonly kind: 'stall'; readonly when: Moment }
  /** An error is answered, although the append may have been applied. */
  | { readonly kind: 'refuse'; readonly reason: Refusal; readonly when?: Moment }
  /**
   * A batch append is answered twice; a single append is applied twice, as by a proxy that sends it
   * again; each event of a read or of a subscription is sent twice.
   */
  | { readonly kind: 'duplicate' }
  /** A read or a subscription sends so many events, and then its connection breaks, it stalls, ... */
  | {
      readonly kind: 'cut';
      readonly afterEvents: number;
      readonly how: 'drop' | 'stall' | 'slowConsumer' | 'cancel';
    };

export type FaultSwitch = Fault & {
  /** The kinds of calls that it is for; every kind if not given. */
  readonly on?: Operation | readonly Operation[];
  /** Only calls about this stream. */
  readonly stream?: string;
  /** How many calls it is for; one if not given. */
  readonly times?: number;
  /** How many such calls go through before. */
  readonly skip?: number;
};

interface Armed {
  readonly fault: FaultSwitch;
  left: number;
  skip: number;
}

export class Faults {
  #armed: Armed[] = [];
  #stalled: (() => void)[] = [];
  #fired = 0;

  set(fault: FaultSwitch): void {
    this.#armed.push({ fault, left: fault.times ?? 1, skip: fault.skip ?? 0 });
  }

  /** Switches all off; what is stalled stays so. */
  clear(): void {
    this.#armed = [];
  }

  /** Lets every stalled call go on. */
  release(): void {
    const stalled = this.#stalled;
    this.#stalled = [];
    for (const go of stalled) go();
  }

  /** How many calls have met a fault so far. */
  get fired(): number {
    return this.#fired;
  }

  /** How many more calls will meet one. */
  get waiting(): number {
    return this.#armed.reduce((sum, { left }) => sum + left, 0);
  }

  /** How many calls are stalled now. */
  get stalled(): number {
    return this.#stalled.length;
  }

  /** The fault that this call meets. */
  take(operation: Operation, stream?: string): Fault | undefined {
    for (const armed of this.#armed) {
      if (!isFor(armed.fault, operation, stream)) continue;
      if (armed.skip > 0) {
        armed.skip -= 1;
        continue;
      }
      armed.left -= 1;
      if (armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed);
      this.#fired += 1;
      return armed.fault;
    }
    return undefined;
  }

  /** Waits until `release` is called. */
  stall(): Promise<void> {
    return new Promise((resolve) => this.#stalled.push(resolve));
  }
}

function isFor(fault: FaultSwitch, operation: Operation, stream: string | undefined): boolean {
  if (fault.stream !== undefined && fault.stream !== stream) return false;
  if (fault.on === undefined) return true;
  return typeof fault.on === 'string' ? fault.on === operation : fault.on.includes(operation);
}
