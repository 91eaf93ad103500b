/** The slices of a ledger for one caller of one tenant. */
import { TenantId } from '@counterfoil/core';
import type { OwnProjection, View } from '@counterfoil/projections';
import { z } from 'zod';
import type { Acting } from './acting.ts';
import type { Calls } from './calls.ts';
import { type CallInputs, checkedCalls, inputOf } from './input/checked-calls.ts';
import { definedOf } from './input/defined.ts';
import { name, text } from './input/texts.ts';
import type { OwnProjections } from './runtime/projecting/own-projections.ts';
import type { TenantPart } from './slice.ts';
import type { TenantSlices } from './slices.ts';

/** Who acts, and for which tenant. */
const Actor = z.strictObject({
  tenantId: TenantId,
  actor: name(255),
  keyId: text(255).optional(),
  requestId: text(255).optional(),
  traceparent: text(255).optional(),
  /** `test` makes and sees sandbox data only. Default: `live`. */
  environment: z.enum(['live', 'test']).optional(),
});
export type Actor = Omit<z.input<typeof Actor>, 'tenantId'> & { readonly tenantId: number };

export interface TenantLedger extends TenantSlices {
  /** The rows of a projection that the ledger was opened with; they show one's own writes. */
  view<Row>(projection: OwnProjection<Row>): View<Row>;
}

type Prepare = <Made extends object>(made: Made, inputs?: CallInputs<Made>) => Made;

interface LedgerParts {
  readonly parts: Readonly<Record<string, TenantPart<object>>>;
  readonly ownProjections: OwnProjections;
}

/** Makes the ledgers of callers. */
export class TenantLedgers {
  readonly #Ledger: ReturnType<typeof ledgerClass>;

  constructor(parts: LedgerParts) {
    this.#Ledger = ledgerClass(parts);
  }

  /** Each call checks its input, and is counted with `calls`. Throws `InputInvalid`. */
  as(given: Actor, calls?: Calls): TenantLedger {
    const { environment = 'live', tenantId, actor, ...more } = inputOf(Actor, given);
    const acting: Acting = { tenantId, environment, caller: { actor, ...definedOf(more) } };
    const counted = <Made extends object>(made: Made, names?: readonly string[]) =>
      calls?.counted(made, names) ?? made;
    return new this.#Ledger(acting, (made, inputs) =>
      inputs === undefined
        ? counted(made)
        : counted(checkedCalls(made, inputs), Object.keys(inputs)),
    );
  }

  /** For interfaces that have checked the input of each call. */
  unchecked(acting: Acting): TenantLedger {
    return new this.#Ledger(acting, (made) => made);
  }
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

    #part(name: string, { make, inputs }: TenantPart<object>): object {
      let made = this.#made.get(name);
      if (made === undefined) {
        made = this.#prepared(make(this.#acting), inputs);
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
