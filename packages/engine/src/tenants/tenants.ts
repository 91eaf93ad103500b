/** Administration of tenants: onboarding, keys, reference data. */
import { Reference, Tenant, type TenantId, Users } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { type Environment, type KeyKind, keyDigest, makeKey, maskKey } from './api-keys.ts';

export interface KeyRequest {
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string;
  readonly applicationId?: number;
  /** Of a publishable key. */
  readonly allowedOrigins?: readonly string[];
}

/** A key in clear. It cannot be shown again. */
export interface IssuedKey {
  readonly keyId: string;
  readonly key: string;
}

type LeadKeyTerms = Pick<
  Extract<Tenant.Command, { type: 'IssueLeadKey' }>,
  'environment' | 'label' | 'applicationId' | 'allowedOrigins'
>;

/** Two keys in clear. They cannot be shown again. */
export interface IssuedLeadKey {
  readonly publishableKey: string;
  readonly secretKey: string;
}

type Definition = Parameters<typeof Reference.streamOf>[0];

export class Tenants {
  readonly #commands: CommandRunner;

  constructor(commands: CommandRunner) {
    this.#commands = commands;
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
    rowVersion?: number,
  ): Promise<void> {
    await this.#execute({ type: 'ChangeSettings', tenantId, settings, rowVersion }, caller);
  }

  async issueKey(tenantId: TenantId, request: KeyRequest, caller: Caller): Promise<IssuedKey> {
    const { kind, environment, label, scopes, expiresAt = null, applicationId = null } = request;
    const { allowedOrigins = [] } = request;
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
          scopes: [...new Set(scopes)],
          leadKeyId: null,
          allowedOrigins: [...allowedOrigins],
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
    const old = (await this.tenant(tenantId))?.keys[keyId];
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

  async issueLeadKey(
    tenantId: TenantId,
    terms: LeadKeyTerms,
    caller: Caller,
  ): Promise<IssuedLeadKey & { readonly leadKeyId: string }> {
    const { kept, shown } = newLeadKey(terms.environment);
    const leadKeyId = uuidV7();
    await this.#execute({ type: 'IssueLeadKey', tenantId, leadKeyId, ...terms, ...kept }, caller);
    return { leadKeyId, ...shown };
  }

  async changeLeadKey(
    tenantId: TenantId,
    change: Pick<LeadKeyTerms, 'label' | 'allowedOrigins'> & {
      readonly leadKeyId: string;
      readonly rowVersion?: number;
    },
    caller: Caller,
  ): Promise<void> {
    await this.#execute({ type: 'ChangeLeadKey', tenantId, ...change }, caller);
  }

  async rotateLeadKey(
    tenantId: TenantId,
    rotation: { leadKeyId: string; environment: Environment; overlapDays: number },
    caller: Caller,
  ): Promise<IssuedLeadKey> {
    const { environment, ...terms } = rotation;
    const { kept, shown } = newLeadKey(environment);
    await this.#execute({ type: 'RotateLeadKey', tenantId, ...terms, ...kept }, caller);
    return shown;
  }

  async revokeLeadKey(tenantId: TenantId, leadKeyId: string, caller: Caller): Promise<void> {
    await this.#execute({ type: 'RevokeLeadKey', tenantId, leadKeyId }, caller);
  }

  async keysOf(tenantId: TenantId): Promise<readonly Tenant.Key[]> {
    return Object.values((await this.tenant(tenantId))?.keys ?? {});
  }

  /** ISO 8601, GMT. */
  now(): string {
    return this.#commands.clock.now();
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

  /** Null where it is not onboarded. */
  async tenant(tenantId: TenantId): Promise<Tenant.State> {
    return this.#commands.stateOf(Tenant, Tenant.streamOf({ tenantId }));
  }

  async hasActiveOwner(tenantId: TenantId): Promise<boolean> {
    return Users.hasActiveOwner(await this.#commands.stateOf(Users, Users.streamOf({ tenantId })));
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

function newLeadKey(environment: Environment) {
  const publishable = newKey('lead-publishable', environment);
  const secret = newKey('lead-secret', environment);
  return {
    shown: { publishableKey: publishable.shown.key, secretKey: secret.shown.key },
    kept: { publishable: publishable.kept, secret: secret.kept },
  };
}
