/** Which server a tenant's mails go to, and whom they are from: the tenant's own, else the host's. */
import { MailProfile, type TenantId } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import type { CommandRunner } from '../command-runner.ts';
import type { CredentialVault } from '../merchant-accounts/index.ts';
import type { SenderDomains } from '../sender-domains/index.ts';
import type { MailOwner } from './mail-seal.ts';
import type { MailAddress, MailSettings } from './mail-settings.ts';
import { type Mailer, smtpMailer } from './mailer.ts';
import type { MailKind } from './outbox.ts';

/** Their links set a password. */
export const OF_USERS: ReadonlySet<MailKind> = new Set(['invited', 'password-reset']);

/** Servers of tenants that connections are held to. */
const MAX_MAILERS = 200;

/** Of mails that are kept to be shown where the host names no sender. */
const KEPT_FROM: MailAddress = { name: '', address: 'mails@counterfoil.invalid' };

const KEPT = { kind: 'kept', key: '' } as const;

/** `kept`: handed to no server. `none`: there is no server yet. */
export type Route =
  | { readonly kind: 'server'; readonly key: string; readonly mailer: Mailer }
  | { readonly kind: 'kept'; readonly key: string }
  | { readonly kind: 'none'; readonly key: string };

export interface MailRoutesOptions {
  readonly settings: MailSettings | undefined;
  /** Whether mails without a server are kept to be shown, rather than tried again. */
  readonly keepsMails: boolean;
  readonly production: boolean;
  readonly commands: CommandRunner;
  readonly senderDomains: SenderDomains;
  readonly vault: CredentialVault;
}

interface TenantMailer {
  readonly key: string;
  readonly mailer: Mailer;
}

export class MailRoutes {
  readonly #options: MailRoutesOptions;
  readonly #common: Mailer | undefined;
  readonly #own = new LRUCache<TenantId, TenantMailer>({
    max: MAX_MAILERS,
    dispose: ({ mailer }) => mailer.close(),
  });

  constructor(options: MailRoutesOptions) {
    this.#options = options;
    const { settings } = options;
    this.#common = settings && smtpMailer(settings);
  }

  profileOf(tenantId: TenantId): Promise<MailProfile.State> {
    return this.#options.commands.stateOf(MailProfile, MailProfile.streamOf({ tenantId }));
  }

  /** Why nothing that the ledger mails by itself is sent; undefined where it is, or is kept. */
  async whyNone(owner: MailOwner): Promise<'no-settings' | 'sandbox' | undefined> {
    const { settings } = this.#options;
    const { smtp } = await this.profileOf(owner.tenantId);
    const hasServer = settings !== undefined || smtp !== null;
    if (!hasServer || (await this.senderOf(owner.tenantId)) === undefined) return 'no-settings';
    return owner.sandbox && settings?.sandbox !== true ? 'sandbox' : undefined;
  }

  /**
   * Whether what the ledger mails by itself is queued, to be sent or to be kept. Codes for users are mailed by the server of the host
   * only: without one they are in the answer to who has asked, and a mail would have another one.
   */
  async takes(owner: MailOwner, kind: MailKind): Promise<'send' | 'keep' | undefined> {
    const { settings, keepsMails } = this.#options;
    if (settings === undefined && OF_USERS.has(kind)) return undefined;
    const why = await this.whyNone(owner);
    if (why === undefined) return 'send';
    return why === 'no-settings' && keepsMails ? 'keep' : undefined;
  }

  /** Whom mails of the ledger are from: undefined where nobody is named. */
  async senderOf(tenantId: TenantId): Promise<MailAddress | undefined> {
    const { settings, senderDomains, keepsMails } = this.#options;
    const { sender } = await this.profileOf(tenantId);
    // Its domain may have been removed since.
    const isOwn = sender !== null && (await senderDomains.senderOf(tenantId, sender.address));
    if (isOwn) return sender;
    return settings?.from ?? (keepsMails ? KEPT_FROM : undefined);
  }

  async routeOf({ tenantId, sandbox }: MailOwner): Promise<Route> {
    const { settings, keepsMails } = this.#options;
    if (sandbox && settings?.sandbox !== true) return KEPT;
    const { smtp } = await this.profileOf(tenantId);
    if (smtp !== null) return { kind: 'server', ...this.#ownMailer(tenantId, smtp) };
    this.#own.delete(tenantId);
    if (this.#common !== undefined) return { kind: 'server', key: '', mailer: this.#common };
    return keepsMails ? KEPT : { kind: 'none', key: `none ${tenantId}` };
  }

  async keeps(owner: MailOwner): Promise<boolean> {
    return (await this.routeOf(owner)).kind === 'kept';
  }

  #ownMailer(tenantId: TenantId, smtp: MailProfile.Settings['smtp'] & object): TenantMailer {
    const key = JSON.stringify([tenantId, smtp]);
    const known = this.#own.get(tenantId);
    if (known?.key === key) return known;
    const { host, port, secure, user, sealedPassword } = smtp;
    const { vault, production } = this.#options;
    const password = vault.openText(sealedPassword);
    const credentials = user === '' ? undefined : { user, password };
    const server = { host, port, secure, credentials };
    const made = { key, mailer: smtpMailer({ server, publicOnly: production }) };
    // Closes the one before.
    this.#own.set(tenantId, made);
    return made;
  }

  close(): void {
    this.#common?.close();
    this.#own.clear();
  }
}
