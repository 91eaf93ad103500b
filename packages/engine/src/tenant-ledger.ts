/** The slices of a ledger for one caller of one tenant. */
import { TenantId } from '@counterfoil/core';
import type { OwnProjection, View } from '@counterfoil/projections';
import { z } from 'zod';
import type { Acting } from './acting.ts';
import { type ActivityLog, recordedRun } from './activity/index.ts';
import type { Calls } from './calls.ts';
import { checkedCalls, inputOf } from './input/checked-calls.ts';
import { definedOf } from './input/defined.ts';
import { name, text } from './input/texts.ts';
import { nothing, observedCalls } from './recorded-calls.ts';
import type { OwnProjections } from './runtime/projecting/own-projections.ts';
import type { TenantPart } from './slice.ts';
import type { TenantSlices } from './slices.ts';
import { isTracing, traced } from './tracing.ts';

/** Who acts, and for which tenant. Read for each request of some hosts: compiled. */
const Actor = z.compile(
  z.strictObject({
    tenantId: TenantId,
    actor: name(255),
    keyId: text(255).optional(),
    requestId: text(255).optional(),
    traceparent: text(255).optional(),
    /** Where the request came from, for the activity of the tenant. */
    remoteAddress: text(64).optional(),
    /** `test` makes and sees sandbox data only. Default: `live`. */
    environment: z.enum(['live', 'test']).optional(),
  }),
);
export type Actor = Omit<z.input<typeof Actor>, 'tenantId'> & { readonly tenantId: number };

export interface TenantLedger extends TenantSlices {
  /** The rows of a projection that the ledger was opened with; they show one's own writes. */
  view<Row>(projection: OwnProjection<Row>): View<Row>;
}

interface NamedPart<Made extends object> extends TenantPart<Made> {
  readonly name: string;
}
type Prepare = <Made extends object>(made: Made, part?: NamedPart<Made>) => Made;

interface LedgerParts {
  readonly parts: Readonly<Record<string, TenantPart<object>>>;
  readonly ownProjections: OwnProjections;
  readonly activity: ActivityLog;
}

/** Makes the ledgers of callers. */
export class TenantLedgers {
  readonly #Ledger: ReturnType<typeof ledgerClass>;
  readonly #activity: ActivityLog;
  /** The names of all calls that activity records, such as `payments.refund`. */
  readonly actions: readonly string[];

  constructor(parts: LedgerParts) {
    this.actions = Object.entries(parts.parts).flatMap(([name, { recorded }]) =>
      Object.keys(recorded).map((call) => `${name}.${call}`),
    );
    this.#activity = parts.activity;
    this.#Ledger = ledgerClass(parts);
  }

  /**
   * Each call checks its input, is counted with `calls`, and recorded as activity. Throws
   * `InputInvalid`.
   */
  as(given: Actor, calls?: Calls): TenantLedger {
    const { environment = 'live', tenantId, remoteAddress, actor, ...more } = inputOf(Actor, given);
    const caller = { actor, ...definedOf(more) };
    const acting: Acting = { tenantId, environment, caller, remoteAddress };
    const counted = <Made extends object>(made: Made, names?: readonly string[]) =>
      calls?.counted(made, names) ?? made;
    return new this.#Ledger(acting, (made, part) => {
      if (part === undefined) return counted(made);
      const { name, inputs, recorded } = part;
      const observed = observedCalls(checkedCalls(made, inputs), recorded, (call) =>
        recordedRun(this.#activity, acting, name, call),
      );
      return counted(observed, Object.keys(inputs));
    });
  }

  /** For interfaces that have checked the input of each call, and record their requests themselves. */
  unchecked(acting: Acting): TenantLedger {
    return new this.#Ledger(acting, (made, part) =>
      part === undefined ? made : notingCalls(made, part, acting),
    );
  }
}

function notingCalls<Made extends object>(
  made: Made,
  { recorded }: NamedPart<Made>,
  { noteSubject }: Acting,
): Made {
  if (noteSubject === undefined) return made;
  return observedCalls(made, recorded, async (call) => {
    noteSubject(call.subject());
    const answer = await call.run();
    noteSubject(call.subject(answer));
    return answer;
  });
}

function tracedCalls<Made extends object>(
  made: Made,
  { name, inputs }: NamedPart<Made>,
  { tenantId, environment }: Acting,
): Made {
  const attributes = {
    'counterfoil.tenant_id': tenantId,
    'counterfoil.environment': environment,
  };
  const calls = Object.fromEntries(Object.keys(inputs).map((call) => [call, nothing]));
  return observedCalls(made, calls, (call) =>
    traced(
      () => ({ name: `${name}.${call.name}`, attributes }),
      () => call.run(),
    ),
  );
}

/** A ledger is made for every request: a slice only when it is first used. */
function ledgerClass({ parts, ownProjections }: LedgerParts) {
  class Ledger {
    readonly #acting: Acting;
    readonly #prepared: Prepare;
    readonly #made = new Map<string, object>();

    constructor(acting: Acting, prepared: Prepare) {
      this.#acting = acting;
      this.#prepared = prepared;
    }

    static {
      for (const [name, part] of Object.entries(parts)) {
        Object.defineProperty(Ledger.prototype, name, {
          enumerable: true,
          get(this: Ledger) {
            return this.#part(name, part);
          },
        });
      }
    }

    #part(name: string, part: TenantPart<object>): object {
      let made = this.#made.get(name);
      if (made === undefined) {
        const prepared = this.#prepared(part.make(this.#acting), { name, ...part });
        made = isTracing() ? tracedCalls(prepared, { name, ...part }, this.#acting) : prepared;
        this.#made.set(name, made);
      }
      return made;
    }

    view<Row>(projection: OwnProjection<Row>): View<Row> {
      const { tenantId, environment } = this.#acting;
      const owner = { tenantId, sandbox: environment === 'test' };
      return this.#prepared(ownProjections.view(projection, owner));
    }
  }
  // Its getters are the slices.
  return Ledger as unknown as new (
    acting: Acting,
    prepared: Prepare,
  ) => TenantLedger;
}
