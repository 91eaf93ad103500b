/** The settings of one tenant, for one caller. */
import { mergePatch, Tenant } from '@counterfoil/core';
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import { type CallInputs, inputOf } from '../input/checked-calls.ts';
import { nothing, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import { SettingsPatch } from './key-input.ts';
import type { Tenants } from './tenants.ts';

export interface SettingsView extends Tenant.Settings {
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
}

export class TenantSettings {
  readonly #tenants: Tenants;
  readonly #acting: Acting;

  constructor({ tenants }: { readonly tenants: Tenants }, acting: Acting) {
    this.#tenants = tenants;
    this.#acting = acting;
  }

  /** Refuses with `TenantUnknown`. */
  async get(): Promise<SettingsView> {
    const tenant = await this.#tenants.tenant(this.#acting.tenantId);
    if (tenant === null) throw refused({ type: 'TenantUnknown' });
    return { ...tenant.settings, rowVersion: tenant.settingsVersion };
  }

  /**
   * Changes what a JSON merge patch (RFC 7396) names; null resets to the default. Refuses with
   * `StaleRowVersion` where another `rowVersion` is given than the present one, and `requireKnownUsers`
   * with `ActiveOwnerRequired` where no user could take it back.
   */
  async amend(patch: SettingsPatch, rowVersion?: number): Promise<SettingsView> {
    const { rowVersion: current, ...before } = await this.get();
    const merged = mergePatch(before, patch);
    const settings = inputOf(Tenant.Settings, withDefaults(merged, Tenant.DEFAULT_SETTINGS));
    const { tenantId, caller } = this.#acting;
    const isNews = settings.requireKnownUsers && !before.requireKnownUsers;
    if (isNews && !(await this.#tenants.hasActiveOwner(tenantId))) {
      throw refused({ type: 'ActiveOwnerRequired' });
    }
    await this.#tenants.changeSettings(tenantId, settings, caller, rowVersion ?? current);
    return this.get();
  }
}

/** Members that a patch removed, with their defaults. */
function withDefaults(given: unknown, defaults: object): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const present: Record<string, unknown> = { ...given };
  for (const [name, value] of Object.entries(defaults)) {
    const isGroup = typeof value === 'object' && !Array.isArray(value);
    if (!(name in present)) present[name] = value;
    else if (isGroup) present[name] = withDefaults(present[name], value as object);
  }
  return present;
}

export const SETTINGS_INPUTS: CallInputs<TenantSettings> = {
  get: [],
  amend: [SettingsPatch, z.int().positive().optional()],
};

export const SETTINGS_CALLS: RecordedCalls<TenantSettings> = {
  amend: nothing,
};
