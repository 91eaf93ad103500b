/** The webhook endpoints of all tenants: their secrets, and who has signed a message. */
import { WebhookEndpoints as Aggregate, DisputeProvider, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';
import type { KeyRecord, References } from '../tenants/index.ts';
import { isSigned, newSecret, type SignedMessage } from './signatures.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_OVERLAP_DAYS = 1;

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at' | 'tenantId'> : never;

interface WebhookServices {
  readonly commands: CommandRunner;
  readonly credentials: CredentialVault;
  readonly references: References;
}

export interface Rotation {
  readonly overlapDays?: number | undefined;
  readonly signingSecret?: string | undefined;
}

export class WebhookEndpoints {
  readonly #services: WebhookServices;

  constructor(services: WebhookServices) {
    this.#services = services;
  }

  now(): string {
    return this.#services.commands.clock.now();
  }

  /** By id. A change is in it at once, on every host. */
  state(tenantId: TenantId): Promise<Aggregate.State> {
    return this.#services.commands.stateOf(Aggregate, Aggregate.streamOf({ tenantId }));
  }

  async execute(
    tenantId: TenantId,
    command: WithoutTime<Aggregate.Command>,
    caller: Caller,
  ): Promise<void> {
    const whole = { ...command, tenantId, at: this.now() };
    await this.#services.commands.execute(Aggregate, whole, { commandId: uuidV7() }, caller);
  }

  /** Answers the secret, which is not shown again. */
  async add(
    tenantId: TenantId,
    {
      signingSecret = newSecret(),
      ...terms
    }: Omit<
      WithoutTime<Extract<Aggregate.Command, { type: 'AddWebhookEndpoint' }>>,
      'type' | 'sealed'
    > & {
      readonly signingSecret?: string | undefined;
    },
    caller: Caller,
  ): Promise<string> {
    const sealed = this.#services.credentials.sealText(signingSecret);
    await this.execute(tenantId, { type: 'AddWebhookEndpoint', ...terms, sealed }, caller);
    return signingSecret;
  }

  /** Answers the new secret, which is not shown again. */
  async rotate(
    { tenantId, endpointId }: { readonly tenantId: TenantId; readonly endpointId: string },
    { overlapDays = DEFAULT_OVERLAP_DAYS, signingSecret = newSecret() }: Rotation,
    caller: Caller,
  ): Promise<string> {
    const sealed = this.#services.credentials.sealText(signingSecret);
    const overlapEndsAt = new Date(Date.parse(this.now()) + overlapDays * DAY_MS).toISOString();
    const rotated = { endpointId, sealed, overlapEndsAt };
    await this.execute(tenantId, { type: 'RotateWebhookSecret', ...rotated }, caller);
    return signingSecret;
  }

  /** Sets the secret of a source, which is added where there is none; the one before is good for a day. */
  async setSecretOf(
    tenantId: TenantId,
    { source, secret }: { readonly source: string; readonly secret?: string | undefined },
    caller: Caller,
  ): Promise<string> {
    const known = Aggregate.sourceOf(await this.state(tenantId), source);
    if (known !== undefined) {
      const { endpointId } = known;
      return this.rotate({ tenantId, endpointId }, { signingSecret: secret }, caller);
    }
    const terms = { ...INCOMING, endpointId: uuidV7(), source, environment: 'live' } as const;
    return this.add(tenantId, { ...terms, description: '', signingSecret: secret }, caller);
  }

  /** Its messages are refused from now on. */
  async removeSource(tenantId: TenantId, source: string, caller: Caller): Promise<void> {
    const known = Aggregate.sourceOf(await this.state(tenantId), source);
    if (known !== undefined) {
      const { endpointId } = known;
      await this.execute(tenantId, { type: 'RemoveWebhookEndpoint', endpointId }, caller);
    }
    const { commands } = this.#services;
    const removal = { type: 'RemoveDisputeProvider', tenantId, provider: source } as const;
    const name = { commandId: uuidV7() };
    await commands.execute(DisputeProvider, { ...removal, at: this.now() }, name, caller);
  }

  /** Who has signed a message, with these scopes; undefined for nobody. */
  async signerOf(
    { tenantId, source }: { readonly tenantId: TenantId; readonly source: string },
    message: SignedMessage,
    scopes: ReadonlySet<string>,
  ): Promise<KeyRecord | undefined> {
    if (!Aggregate.SourceName.safeParse(source).success) return undefined;
    const known = Aggregate.sourceOf(await this.state(tenantId), source);
    if (known !== undefined && known.status !== 'active') return undefined;
    const sealed =
      known === undefined
        ? await this.#earlierSecretsOf(tenantId, source)
        : Aggregate.secretsOf(known, this.now());
    const secrets = sealed.map((each) => this.#services.credentials.openText(each));
    if (!isSigned(message, secrets, this.now())) return undefined;
    const { requestsPerMinute } = await this.#services.references.settingsOf(tenantId);
    return {
      keyId: `source:${source}`,
      tenantId,
      kind: 'api',
      environment: known?.environment ?? 'live',
      scopes,
      rateLimitPerMinute: requestsPerMinute,
    };
  }

  /** Of a source that was set by a version that had streams of their own for them. */
  async #earlierSecretsOf(tenantId: TenantId, provider: string): Promise<readonly string[]> {
    const stream = DisputeProvider.streamOf({ tenantId, provider });
    const state = await this.#services.commands.stateOf(DisputeProvider, stream);
    return DisputeProvider.secretsOf(state, this.now());
  }
}

/** The terms that only endpoints have that are sent to. */
export const INCOMING = {
  direction: 'in' as const,
  url: null,
  eventTypes: [] as Aggregate.EventType[],
  ordered: false,
};
