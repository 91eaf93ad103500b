/** Who may send mail for a tenant: asked before every mail, and answered from the log. */
import {
  SenderDomains as Aggregate,
  domainOfEmail,
  mailDomain,
  type TenantId,
} from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';

/** How mails of an authorized domain are signed. */
export interface Sender {
  readonly domain: string;
  /** Null: mails are not signed. The key is PEM, in the clear. */
  readonly dkim: {
    readonly domainName: string;
    readonly keySelector: string;
    readonly privateKey: string;
  } | null;
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at' | 'tenantId'> : never;

export class SenderDomains {
  readonly #commands: CommandRunner;
  readonly #vault: CredentialVault;

  constructor(commands: CommandRunner, vault: CredentialVault) {
    this.#commands = commands;
    this.#vault = vault;
  }

  get vault(): CredentialVault {
    return this.#vault;
  }

  /** By id. A change is in it at once, on every host. */
  state(tenantId: TenantId): Promise<Aggregate.State> {
    return this.#commands.stateOf(Aggregate, Aggregate.streamOf({ tenantId }));
  }

  /** Undefined where the tenant may not send from this address. */
  async senderOf(tenantId: TenantId, from: string): Promise<Sender | undefined> {
    const domain = domainOfEmail(from);
    if (domain === undefined) return undefined;
    const entry = Aggregate.authorizing(await this.state(tenantId), domain);
    if (entry === undefined) return undefined;
    const { dkim } = entry;
    if (dkim === null) return { domain, dkim };
    const privateKey = this.#vault.openText(dkim.sealedKey);
    // The signature is of the entry's domain, which has the public key.
    const domainName = mailDomain(entry.domain) ?? entry.domain;
    return { domain, dkim: { domainName, keySelector: dkim.selector, privateKey } };
  }

  async execute(
    tenantId: TenantId,
    command: WithoutTime<Aggregate.Command>,
    caller: Caller,
  ): Promise<void> {
    const whole = { ...command, tenantId, at: this.#commands.clock.now() };
    await this.#commands.execute(Aggregate, whole, { commandId: uuidV7() }, caller);
  }
}
