/** The API keys, keys of the email service and lead keys of one tenant, for one caller. */
import { Tenant } from '@counterfoil/core';
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { type Listing, Listing as ListingInput, type Page, pageOf } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import { KeyInput, LeadKeyChange, LeadKeyInput, Rotation } from './key-input.ts';
import type { References } from './references.ts';
import type { Tenants } from './tenants.ts';

/** A key as it is listed: recognised by its hint, never shown. */
export interface KeyView extends Omit<Tenant.Key, 'keyId' | 'digest' | 'leadKeyId' | 'kind'> {
  readonly id: string;
  readonly kind: 'api' | 'tenant' | 'payment-publishable';
}

/** Two keys of one application, for pages and for servers. */
export interface LeadKeyView
  extends Pick<Tenant.Key, 'environment' | 'label' | 'issuedAt' | 'revokedAt' | 'rowVersion'> {
  readonly id: string;
  readonly applicationId: number;
  /** Where pages may write leads from. */
  readonly allowedOrigins: readonly string[];
  readonly publishableHint: string;
  readonly secretHint: string;
}

/** The key is returned once, and kept as a digest only. */
export type Shown<View> = View & { readonly key: string };
export type ShownLeadKey = LeadKeyView & {
  readonly publishableKey: string;
  readonly secretKey: string;
};

interface KeyServices {
  readonly tenants: Tenants;
  readonly references: References;
  readonly readSide: Pick<ReadSide, 'caughtUp'>;
  /** Whether this process follows the log. */
  readonly background: boolean;
}

export class TenantKeys {
  readonly #tenants: Tenants;
  readonly #references: References;
  readonly #readSide: KeyServices['readSide'];
  readonly #serves: boolean;
  readonly #acting: Acting;

  constructor({ tenants, references, readSide, background }: KeyServices, acting: Acting) {
    this.#readSide = readSide;
    this.#serves = background;
    this.#tenants = tenants;
    this.#references = references;
    this.#acting = acting;
  }

  async list(listing: Listing = {}): Promise<Page<KeyView>> {
    const keys = await this.#tenants.keysOf(this.#acting.tenantId);
    return pageOf(keys.flatMap(keyViewOf), listing);
  }

  /** Refuses with `KeyUnknown`. */
  async get(keyId: string): Promise<KeyView> {
    const keys = await this.#tenants.keysOf(this.#acting.tenantId);
    const [found] = keys.filter((key) => key.keyId === keyId).flatMap(keyViewOf);
    if (found === undefined) throw refused({ type: 'KeyUnknown', keyId });
    return found;
  }

  /** Refuses with `ExpiryInThePast`, and with `ReferenceUnknown` without such an application. */
  async create(input: KeyInput): Promise<Shown<KeyView>> {
    const { kind = 'api', environment = 'live', label = '', scopes = [], ...more } = input;
    const { tenantId, caller } = this.#acting;
    if (more.applicationId !== undefined) {
      await this.#references.applicationKindOf(tenantId, more.applicationId);
    }
    const { keyId, key } = await this.#tenants.issueKey(
      tenantId,
      { kind, environment, label, scopes, ...definedOf(more) },
      caller,
    );
    await this.#known();
    return { ...(await this.get(keyId)), key };
  }

  /** The successor has the same rights. Refuses with `KeyUnknown` and `KeyNotActive`. */
  async rotate(keyId: string, { overlapDays = 0 }: Rotation = {}): Promise<Shown<KeyView>> {
    // A lead key is rotated as a whole.
    await this.get(keyId);
    const { tenantId, caller } = this.#acting;
    const made = await this.#tenants.rotateKey(tenantId, { keyId, overlapDays }, caller);
    await this.#known();
    return { ...(await this.get(made.keyId)), key: made.key };
  }

  /** From the answer on this process finds the key and its origins: they are looked up in the read models. */
  async #known(): Promise<void> {
    // A process that follows nothing serves nobody.
    if (!this.#serves) return;
    // The key is there, and is found later.
    await this.#readSide.caughtUp(this.#acting.tenantId).catch(() => undefined);
  }

  /** From now on every process refuses it. */
  async revoke(keyId: string): Promise<KeyView> {
    await this.get(keyId);
    await this.#tenants.revokeKey(this.#acting.tenantId, keyId, this.#acting.caller);
    return this.get(keyId);
  }

  async listLeadKeys(listing: Listing = {}): Promise<Page<LeadKeyView>> {
    const keys = await this.#tenants.keysOf(this.#acting.tenantId);
    const ids = new Set(keys.flatMap(({ leadKeyId }) => leadKeyId ?? []));
    return pageOf(
      [...ids].flatMap((id) => leadKeyViewOf(id, keys) ?? []),
      listing,
    );
  }

  /** Refuses with `LeadKeyUnknown`. */
  async getLeadKey(leadKeyId: string): Promise<LeadKeyView> {
    const keys = await this.#tenants.keysOf(this.#acting.tenantId);
    const found = leadKeyViewOf(leadKeyId, keys);
    if (found === undefined) throw refused({ type: 'LeadKeyUnknown', leadKeyId });
    return found;
  }

  /** Refuses with `ReferenceUnknown` without such an application. */
  async createLeadKey(input: LeadKeyInput): Promise<ShownLeadKey> {
    const { environment = 'live', label = '', applicationId, allowedOrigins = [] } = input;
    const { tenantId, caller } = this.#acting;
    await this.#references.applicationKindOf(tenantId, applicationId);
    const terms = { environment, label, applicationId, allowedOrigins: [...allowedOrigins] };
    const { leadKeyId, ...keys } = await this.#tenants.issueLeadKey(tenantId, terms, caller);
    await this.#known();
    return { ...(await this.getLeadKey(leadKeyId)), ...keys };
  }

  /** Refuses with `StaleRowVersion` where another `rowVersion` is given than the present one. */
  async changeLeadKey(leadKeyId: string, change: LeadKeyChange): Promise<LeadKeyView> {
    const { label, allowedOrigins } = await this.getLeadKey(leadKeyId);
    const changed = { label, allowedOrigins: [...allowedOrigins], ...definedOf(change) };
    const { tenantId, caller } = this.#acting;
    await this.#tenants.changeLeadKey(tenantId, { leadKeyId, ...changed }, caller);
    await this.#known();
    return this.getLeadKey(leadKeyId);
  }

  /** Both keys get a successor. */
  async rotateLeadKey(
    leadKeyId: string,
    { overlapDays = 0 }: Rotation = {},
  ): Promise<ShownLeadKey> {
    const { environment } = await this.getLeadKey(leadKeyId);
    const { tenantId, caller } = this.#acting;
    const rotation = { leadKeyId, environment, overlapDays };
    const keys = await this.#tenants.rotateLeadKey(tenantId, rotation, caller);
    await this.#known();
    return { ...(await this.getLeadKey(leadKeyId)), ...keys };
  }

  async revokeLeadKey(leadKeyId: string): Promise<LeadKeyView> {
    const { tenantId, caller } = this.#acting;
    await this.#tenants.revokeLeadKey(tenantId, leadKeyId, caller);
    return this.getLeadKey(leadKeyId);
  }
}

/** Lead keys are listed as pairs. */
function keyViewOf({ keyId, digest: _, leadKeyId, kind, ...key }: Tenant.Key): readonly KeyView[] {
  if (kind === 'lead-publishable' || kind === 'lead-secret') return [];
  return leadKeyId === null ? [{ id: keyId, kind, ...key }] : [];
}

function leadKeyViewOf(id: string, all: readonly Tenant.Key[]): LeadKeyView | undefined {
  const keys = all.filter((key) => key.leadKeyId === id && key.successorId === null);
  const publishable = Tenant.publishableOf(keys);
  const secret = keys.find((key) => key !== publishable);
  if (publishable === undefined || secret === undefined) return undefined;
  const { environment, label, issuedAt, revokedAt, rowVersion, allowedOrigins } = publishable;
  return {
    id,
    environment,
    label,
    applicationId: publishable.applicationId ?? 0,
    allowedOrigins,
    publishableHint: publishable.hint,
    secretHint: secret.hint,
    issuedAt,
    revokedAt,
    rowVersion,
  };
}

const KeyId = z.string().max(64);

export const KEY_INPUTS: CallInputs<TenantKeys> = {
  list: [ListingInput.optional()],
  get: [KeyId],
  create: [KeyInput],
  rotate: [KeyId, Rotation.optional()],
  revoke: [KeyId],
  listLeadKeys: [ListingInput.optional()],
  getLeadKey: [KeyId],
  createLeadKey: [LeadKeyInput],
  changeLeadKey: [KeyId, LeadKeyChange],
  rotateLeadKey: [KeyId, Rotation.optional()],
  revokeLeadKey: [KeyId],
};

export const KEY_CALLS: RecordedCalls<TenantKeys> = {
  create: made,
  rotate: named,
  revoke: named,
  createLeadKey: made,
  changeLeadKey: named,
  rotateLeadKey: named,
  revokeLeadKey: named,
};
