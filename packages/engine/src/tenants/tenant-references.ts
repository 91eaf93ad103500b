/** Companies, shops, applications and the like of one tenant, for one caller. */
import { mergePatch, type Reference, toDecimal } from '@counterfoil/core';
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import { minorOf } from '../input/amounts.ts';
import { type CallInputs, inputOf } from '../input/checked-calls.ts';
import { Id } from '../input/texts.ts';
import { type Listing, Listing as ListingInput, type Page, pageOf } from '../pages.ts';
import type { RecordedCalls } from '../recorded-calls.ts';
import { Refused, refused } from '../refusal.ts';
import { type Choices, choicesIn } from './choices.ts';
import {
  REFERENCE_KINDS,
  type ReferenceInput,
  type ReferenceItem,
  ReferenceKind,
} from './reference-input.ts';
import type { References } from './references.ts';
import type { Tenants } from './tenants.ts';

/** Ids that others take while one is chosen; more in a row means that something is wrong. */
const MAX_TRIES = 100;

interface ReferenceServices {
  readonly tenants: Tenants;
  readonly references: References;
}

type Definition = Parameters<typeof Reference.streamOf>[0];
type Content = Readonly<Record<string, unknown>>;

export class TenantReferences {
  readonly #tenants: Tenants;
  readonly #references: References;
  readonly #acting: Acting;

  constructor({ tenants, references }: ReferenceServices, acting: Acting) {
    this.#tenants = tenants;
    this.#references = references;
    this.#acting = acting;
  }

  /** In ascending order of the ids. */
  async list<Of extends ReferenceKind>(
    kind: Of,
    listing: Listing = {},
  ): Promise<Page<ReferenceItem<Of>>> {
    const names = await this.#references.names(this.#acting.tenantId);
    const all = names.all(REFERENCE_KINDS[kind].event);
    return pageOf(
      all.map((each) => itemOf(kind, each)),
      listing,
    );
  }

  /** Short lists to choose from by name: frozen, and the same objects until something in them changes. */
  async choices(): Promise<Choices> {
    return choicesIn(await this.#references.names(this.#acting.tenantId));
  }

  /** Refuses with `DefinitionUnknown`. */
  async get<Of extends ReferenceKind>(kind: Of, id: number): Promise<ReferenceItem<Of>> {
    const named = { tenantId: this.#acting.tenantId, ...commandOf(kind, id) };
    const definition = await this.#references.definitionOf(named);
    if (definition === null) throw refused({ type: 'DefinitionUnknown' });
    return itemOf(kind, definition);
  }

  /** Without an `id` it gets the next free one. Refuses with `DefinitionExists`. */
  async create<Of extends ReferenceKind>(
    kind: Of,
    { id, ...content }: ReferenceInput<Of> & { readonly id?: number | undefined },
  ): Promise<ReferenceItem<Of>> {
    const input = inputOf(REFERENCE_KINDS[kind].input, content);
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#define(kind, id ?? (await this.#nextId(kind)), input, 'absent');
      } catch (error) {
        const isTaken = error instanceof Refused && error.code === 'DefinitionExists';
        if (!isTaken || id !== undefined || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** `rowVersion` is the one that the caller saw. Refuses with `StaleRowVersion` for another one. */
  async replace<Of extends ReferenceKind>(
    kind: Of,
    id: number,
    { rowVersion, ...content }: ReferenceInput<Of> & { readonly rowVersion: number },
  ): Promise<ReferenceItem<Of>> {
    return this.#define(kind, id, inputOf(REFERENCE_KINDS[kind].input, content), rowVersion);
  }

  /** Changes what a JSON merge patch (RFC 7396) names. */
  async amend<Of extends ReferenceKind>(
    kind: Of,
    id: number,
    { rowVersion, ...patch }: Content & { readonly rowVersion?: number | undefined },
  ): Promise<ReferenceItem<Of>> {
    const before = await this.get(kind, id);
    const { id: _, rowVersion: current, updatedAt: __, ...content } = before;
    const input = inputOf(REFERENCE_KINDS[kind].input, mergePatch(content, patch));
    return this.#define(kind, id, input, rowVersion ?? current);
  }

  async #define<Of extends ReferenceKind>(
    kind: Of,
    id: number,
    input: Content,
    expected: Reference.Expected,
  ): Promise<ReferenceItem<Of>> {
    const { tenantId, caller } = this.#acting;
    const { companyId } = input;
    if (typeof companyId === 'number') await this.#references.check(tenantId, { companyId });
    const known = REFERENCE_KINDS[kind];
    const defaults = 'defaults' in known ? known.defaults : {};
    const at = this.#tenants.now();
    const content = { ...defaults, ...contentOf(input), at, expected };
    const command = { tenantId, ...commandOf(kind, id), ...content } as unknown as Definition;
    await this.#tenants.define(command, caller);
    return this.get(kind, id);
  }

  async #nextId(kind: ReferenceKind): Promise<number> {
    const { event, firstId } = REFERENCE_KINDS[kind];
    const names = await this.#references.names(this.#acting.tenantId);
    const ids = names.all(event).map((each) => itemOf(kind, each).id);
    const last = ids.reduce((greatest, id) => Math.max(greatest, id), firstId - 1);
    if (last < Number.MAX_SAFE_INTEGER) return last + 1;
    // None is greater: the first that is free.
    const taken = new Set(ids);
    let next = firstId;
    while (taken.has(next)) next += 1;
    return next;
  }
}

function commandOf(kind: ReferenceKind, id: number) {
  const { command, id: name } = REFERENCE_KINDS[kind];
  return { type: command, [name]: id };
}

function itemOf<Of extends ReferenceKind>(
  kind: Of,
  definition: Reference.Definition,
): ReferenceItem<Of> {
  const { type: _, at: updatedAt, rowVersion, ...content } = definition;
  const { [REFERENCE_KINDS[kind].id]: id, ...rest } = content as Record<string, unknown>;
  const shown = definition.type === 'PricePointDefined' ? withAmount(rest, definition) : rest;
  return { id, ...shown, rowVersion, updatedAt } as unknown as ReferenceItem<Of>;
}

function withAmount(
  { amountMinor: _, ...rest }: Content,
  { amountMinor, currency }: { amountMinor: bigint; currency: string },
): Content {
  return { amount: toDecimal(amountMinor, currency), ...rest };
}

/** With minor units in the place of an amount. */
function contentOf({ amount, ...rest }: Content): Content {
  if (typeof amount !== 'string') return rest;
  const currency = String(rest['currency']);
  return { amountMinor: minorOf(amount, currency, 'amount'), ...rest };
}

const Given = z.record(z.string().max(64), z.unknown());

export const REFERENCE_INPUTS: CallInputs<TenantReferences> = {
  list: [ReferenceKind, ListingInput.optional()],
  choices: [],
  get: [ReferenceKind, Id],
  // The content is checked by its kind.
  create: [ReferenceKind, Given as unknown as z.ZodType<never>],
  replace: [ReferenceKind, Id, Given as unknown as z.ZodType<never>],
  amend: [ReferenceKind, Id, Given],
};

export const REFERENCE_CALLS: RecordedCalls<TenantReferences> = {
  create: ([kind], item) => item && `${kind}/${(item as ReferenceItem).id}`,
  replace: ([kind, id]) => `${kind}/${id}`,
  amend: ([kind, id]) => `${kind}/${id}`,
};
