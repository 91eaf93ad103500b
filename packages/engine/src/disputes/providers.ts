/** Who reports disputes to a tenant: secrets, and what is signed with them (Standard Webhooks). */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DisputeProvider, type TenantId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** How long the secret before stays good. */
const OVERLAP_MS = 24 * 3_600_000;
/** Between the time of a message and ours. */
const TOLERANCE_MS = 5 * 60_000;
const VERSION = 'v1,';
/** Signatures that a message may carry: one for each secret of its sender. */
const MAX_SIGNATURES = 10;

/** The headers of a message, and its body as it was sent. */
export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  /** `v1,<base64>`, several with spaces between them. */
  readonly signature: string;
  readonly body: Uint8Array;
}

export class DisputeProviders {
  readonly #commands: CommandRunner;
  readonly #vault: CredentialVault;

  constructor(commands: CommandRunner, vault: CredentialVault) {
    this.#commands = commands;
    this.#vault = vault;
  }

  /** Sets a secret, a new one by default, and answers it: it is not shown again. */
  async setSecret(
    tenantId: TenantId,
    { provider, secret = newSecret() }: { provider: string; secret?: string | undefined },
    caller: Caller,
  ): Promise<string> {
    const at = this.#commands.clock.now();
    const overlapEndsAt = new Date(Date.parse(at) + OVERLAP_MS).toISOString();
    const sealed = this.#vault.sealText(secret);
    await this.#commands.execute(
      DisputeProvider,
      { type: 'SetDisputeProviderSecret', tenantId, provider, sealed, overlapEndsAt, at },
      { commandId: uuidV7() },
      caller,
    );
    return secret;
  }

  async remove(tenantId: TenantId, provider: string, caller: Caller): Promise<void> {
    const at = this.#commands.clock.now();
    await this.#commands.execute(
      DisputeProvider,
      { type: 'RemoveDisputeProvider', tenantId, provider, at },
      { commandId: uuidV7() },
      caller,
    );
  }

  /** Whether the provider has signed a message, not longer than five minutes ago. */
  async isSigned(tenantId: TenantId, provider: string, message: SignedMessage): Promise<boolean> {
    const now = this.#commands.clock.now();
    if (
      !isRecent(message.timestamp, now) ||
      !DisputeProvider.ProviderName.safeParse(provider).success
    )
      return false;
    const stream = DisputeProvider.streamOf({ tenantId, provider });
    const state = await this.#commands.stateOf(DisputeProvider, stream);
    const secrets = DisputeProvider.secretsOf(state, now).map((each) => this.#vault.openText(each));
    // Every pair is compared, so that the time tells nothing of which was close.
    return secrets.map((secret) => isSignedWith(secret, message)).includes(true);
  }
}

function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** 24 to 64 bytes in base64 behind `whsec_`. */
export function isSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(text);
}

function isRecent(timestamp: string, now: string): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Date.parse(now) - Number(timestamp) * 1_000) <= TOLERANCE_MS;
}

function isSignedWith(secret: string, { id, timestamp, signature, body }: SignedMessage): boolean {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signature
    .split(' ', MAX_SIGNATURES)
    .filter((each) => each.startsWith(VERSION))
    .map((each) => Buffer.from(each.slice(VERSION.length), 'base64'))
    .map((given) => given.length === expected.length && timingSafeEqual(given, expected))
    .includes(true);
}
