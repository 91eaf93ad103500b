/** Administration of tenants: onboarding, keys, merchant accounts, reference data. */
import { MerchantAccount, Reference, Tenant, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { type Environment, type KeyKind, keyDigest, makeKey, maskKey } from './api-keys.ts';
import type { CredentialVault } from './credential-vault.ts';

export interface KeyRequest {
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
  readonly applicationId?: number;
}

/** A key in clear. It cannot be shown again. */
export interface IssuedKey {
  readonly keyId: string;
  readonly key: string;
}

type Definition = Parameters<typeof Reference.streamOf>[0];

export class Tenants {
  readonly #commands: CommandRunner;
  readonly #vault: CredentialVault;

  constructor(commands: CommandRunner, vault: CredentialVault) {
    this.#commands = commands;
    this.#vault = vault;
  }

  /** Onboards a tenant. Idempotent under the same name. */
  async onboard(
    tenantId: TenantId,
    { name, settings = {} }: { name: string; settings?: Tenant.SettingsChange },
    caller: Caller,
  ): Promise<void> {
    await this.#execute({ type: 'OnboardTenant', tenantId, name, settings }, caller);
  }

  async changeSettings(
    tenantId: TenantId,
    settings: Tenant.SettingsChange,
    caller: Caller,
  ): Promise<void> {
    await this.#execute({ type: 'ChangeSettings', tenantId, settings }, caller);
  }

  async issueKey(tenantId: TenantId, request: KeyRequest, caller: Caller): Promise<IssuedKey> {
    const { kind, environment, label, scopes, expiresAt = null, applicationId = null } = request;
    const made = newKey(kind, environment);
    await this.#execute(
      {
        type: 'IssueKey',
        tenantId,
        key: {
          ...made.kept,
          kind,
          environment,
          label,
          scopes: [...scopes],
          applicationId,
          expiresAt,
        },
      },
      caller,
    );
    return made.shown;
  }

  /** Issues a successor with the same rights; the old key expires after the overlap. */
  async rotateKey(
    tenantId: TenantId,
    { keyId, overlapDays }: { keyId: string; overlapDays: number },
    caller: Caller,
  ): Promise<IssuedKey> {
    const old = (await this.#tenant(tenantId))?.keys[keyId];
    const made = newKey(old?.kind ?? 'api', old?.environment ?? 'live');
    await this.#execute(
      { type: 'RotateKey', tenantId, keyId, successor: made.kept, overlapDays },
      caller,
    );
    return made.shown;
  }

  async revokeKey(tenantId: TenantId, keyId: string, caller: Caller): Promise<void> {
    await this.#execute({ type: 'RevokeKey', tenantId, keyId }, caller);
  }

  async keysOf(tenantId: TenantId): Promise<readonly Tenant.Key[]> {
    return Object.values((await this.#tenant(tenantId))?.keys ?? {});
  }

  /** Opens a merchant account; does not change an existing one. */
  async openMerchantAccount(
    tenantId: TenantId,
    merchantAccountId: number,
    given: MerchantAccount.RequiredSettings & Partial<MerchantAccount.Settings>,
    caller: Caller,
  ): Promise<void> {
    const stream = MerchantAccount.streamOf({ tenantId, merchantAccountId });
    if ((await this.#commands.stateOf(MerchantAccount, stream)) !== null) return;
    await this.defineMerchantAccount(tenantId, merchantAccountId, given, caller);
  }

  /**
   * Creates or replaces a merchant account; returns whether anything changed. Masked secrets keep their
   * stored value.
   */
  async defineMerchantAccount(
    tenantId: TenantId,
    merchantAccountId: number,
    given: MerchantAccount.RequiredSettings & Partial<MerchantAccount.Settings>,
    caller: Caller,
  ): Promise<boolean> {
    const stream = MerchantAccount.streamOf({ tenantId, merchantAccountId });
    const present = await this.#commands.stateOf(MerchantAccount, stream);
    const kept = present?.settings.currencies ?? [];
    const currencies = given.currencies.map(({ currency, gatewayCredentials }) => ({
      currency,
      gatewayCredentials: this.#vault.sealOver(
        kept.find((each) => each.currency === currency)?.gatewayCredentials,
        gatewayCredentials,
      ),
    }));
    const settings = MerchantAccount.withDefaults({ ...given, currencies });
    const at = this.#commands.clock.now();
    const command = { tenantId, merchantAccountId, settings, at };
    const { events } = await this.#commands.execute(
      MerchantAccount,
      present === null
        ? { type: 'OpenMerchantAccount', ...command }
        : { type: 'ReplaceMerchantAccount', ...command, rowVersion: present.rowVersion },
      { commandId: uuidV7() },
      caller,
    );
    return events.length > 0;
  }

  /** Creates or replaces reference data (company, shop, product, ...); returns whether anything changed. */
  async define(definition: Definition, caller: Caller): Promise<boolean> {
    const done = await this.#commands.execute(
      Reference,
      definition,
      { commandId: uuidV7() },
      caller,
    );
    return done.events.length > 0;
  }

  async #tenant(tenantId: TenantId): Promise<Tenant.State> {
    return this.#commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
  }

  async #execute(command: WithoutTime<Tenant.Command>, caller: Caller): Promise<void> {
    const at = this.#commands.clock.now();
    await this.#commands.execute(Tenant, { ...command, at }, { commandId: uuidV7() }, caller);
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

function newKey(kind: KeyKind, environment: Environment) {
  const key = makeKey(kind, environment);
  const keyId = uuidV7();
  return { shown: { keyId, key }, kept: { keyId, digest: keyDigest(key), hint: maskKey(key) } };
}
