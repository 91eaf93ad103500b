/** What is done with tenants outside the HTTP interface: onboarding, keys, merchant accounts, reference data. */
import { MerchantAccount, Reference, Tenant, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { type Environment, type KeyKind, keyDigest, makeKey, maskKey } from './api-keys.ts';
import type { CredentialVault } from './credential-vault.ts';

/** Everything that the documented endpoints ask for. */
export const ALL_SCOPES = [
  'clock:write',
  'customers:erase',
  'customers:read',
  'customers:write',
  'ledger:read',
  'payments:read',
  'payments:write',
  'subscriptions:freeze',
  'subscriptions:read',
  'subscriptions:unsubscribe',
  'subscriptions:write',
  'transactions:read',
  'transactions:refund',
] as const;

export interface KeyRequest {
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
  readonly applicationId?: number;
}

/** A key as it is handed out: shown now, and never again. */
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

  /** Onboards a tenant; doing it again under the same name changes nothing. */
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

  /** Issues a successor with the same rights; the old key ends after the overlap. */
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

  /** Opens a merchant account, and leaves one that is there as it is. */
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
   * States a merchant account as it is from now on, and opens one that is not there; answers whether
   * that changed anything. Of an account that is there, secrets that are masked stay as they are.
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

  /**
   * States a company, shop, application, product or the like as it is from now on; answers whether
   * that changed anything.
   */
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
