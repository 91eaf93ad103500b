/** Faults that tests plan for the next calls. */

/** Whether the server has done what it was asked before it fails. */
export type Moment = 'before' | 'after';

export type Fault =
  /** The connection breaks without an answer. */
  | { readonly kind: 'cut'; readonly when: Moment }
  /**
   * 500 or another status. Stripe keeps such an answer under the idempotency key and repeats it;
   * with `kept: false` a proxy before Stripe's API answered, and nothing is kept of it.
   */
  | {
      readonly kind: 'error';
      readonly when: Moment;
      readonly status?: 500 | 502 | 503 | 504;
      readonly kept?: boolean;
    }
  /** 429, for so many seconds of the server's clock, or `times` calls. */
  | { readonly kind: 'rateLimit'; readonly seconds?: number }
  /** 429 with `lock_timeout`: another request holds the object. */
  | { readonly kind: 'lockTimeout' }
  /**
   * The work is done, and the answer waits until `release` of the plan is called. The idempotency
   * key is in use as long.
   */
  | { readonly kind: 'stall' };

export type FaultPlan = Fault & {
  /** Of the published document: `POST /v1/payment_intents/{intent}/capture`; any call if not given. */
  readonly on?: string;
  /** How many calls it is for; one if not given. */
  readonly times?: number;
  /** How many such calls go through before. */
  readonly skip?: number;
};

export interface Planned {
  readonly plan: FaultPlan;
  /** How many calls have met it. */
  readonly met: number;
  /** Lets stalled answers go. */
  release(): void;
  /** Meets no more calls. */
  cancel(): void;
}

interface Armed {
  readonly plan: FaultPlan;
  readonly until: number | null;
  skip: number;
  left: number;
  met: number;
  readonly waiting: (() => void)[];
  released: boolean;
}

export class Faults {
  #armed: Armed[] = [];

  /** @param now - Seconds. */
  plan(plan: FaultPlan, now: number): Planned {
    const timed = plan.kind === 'rateLimit' && plan.seconds !== undefined;
    const armed: Armed = {
      plan,
      until: timed ? now + (plan.seconds ?? 0) : null,
      skip: plan.skip ?? 0,
      left: plan.times ?? (timed ? Number.POSITIVE_INFINITY : 1),
      met: 0,
      waiting: [],
      released: false,
    };
    this.#armed.push(armed);
    return {
      plan,
      get met() {
        return armed.met;
      },
      release() {
        armed.released = true;
        for (const go of armed.waiting.splice(0)) go();
      },
      cancel: () => {
        this.#armed = this.#armed.filter((each) => each !== armed);
      },
    };
  }

  /** @param on - Method and path of the published document. */
  meet(on: string, now: number): Met | undefined {
    const found = this.#armed.find(
      ({ plan, left, until }) =>
        left > 0 && (until === null || now < until) && (plan.on === undefined || plan.on === on),
    );
    if (found === undefined) return undefined;
    if (found.skip > 0) {
      found.skip -= 1;
      return undefined;
    }
    found.left -= 1;
    found.met += 1;
    return { fault: found.plan, released: () => this.#released(found) };
  }

  /** Lets all go: no call waits for ever. */
  close(): void {
    for (const armed of this.#armed) for (const go of armed.waiting.splice(0)) go();
    this.#armed = [];
  }

  #released(armed: Armed): Promise<void> {
    if (armed.released) return Promise.resolve();
    return new Promise((resolve) => armed.waiting.push(resolve));
  }
}

export interface Met {
  readonly fault: Fault;
  /** When a stalled answer may go. */
  released(): Promise<void>;
}
