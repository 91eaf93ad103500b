/** Use cases of merchant accounts: open, replace, amend, read. */
import { MerchantAccount, mergePatch, Sequence, type TenantId } from '@counterfoil/core';
import { type Caller, type CommandName, type CommandRunner, SYSTEM } from '../command-runner.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import { inputOf } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { Refused, refused } from '../refusal.ts';
import { KeyedMutex } from '../runtime/keyed-mutex.ts';
import type { References } from '../tenants/index.ts';
import { AccountInput, type GivenAccount } from './account-input.ts';
import { shownSettings } from './account-view.ts';
import type { CredentialVault } from './credential-vault.ts';

type Account = MerchantAccount.MerchantAccount;
type Settings = MerchantAccount.Settings;
/** Settings with secrets in the clear, or masked where they are kept. */
type Given = MerchantAccount.RequiredSettings & Partial<Settings>;

/** Amendments without a version are made again so often when other processes get ahead of them. */
const AMENDMENT_TRIES = 5;
const LONGEST_WAIT_MS = 30_000;

interface Amendment {
  readonly patch: unknown;
  /** Absent: whatever the version is. */
  readonly rowVersion?: number | undefined;
}

export interface NamedAccount {
  readonly tenantId: TenantId;
  readonly merchantAccountId: number;
}

export interface OpeningRequest {
  readonly tenantId: TenantId;
  /** The idempotency id of the opening. */
  readonly requestId: string;
  readonly given: GivenAccount;
}

interface MerchantAccountServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly gateways: Pick<GatewayRegistry, 'ids'>;
  readonly vault: CredentialVault;
}

export class MerchantAccounts {
  readonly #services: MerchantAccountServices;
  /** One amendment at a time of an account: those of this process never get ahead of each other. */
  readonly #amending = new KeyedMutex({ longestWaitMs: LONGEST_WAIT_MS });

  constructor(services: MerchantAccountServices) {
    this.#services = services;
  }

  /** Refuses with `MerchantAccountUnknown`. */
  async get(named: NamedAccount): Promise<Account> {
    const account = await this.#find(named);
    if (account === null) throw refused({ type: 'MerchantAccountUnknown' });
    return account;
  }

  /** Opens an account under an id of the ledger's. The same request opens it once. */
  async open({ tenantId, requestId, given }: OpeningRequest, caller: Caller): Promise<Account> {
    const settings = await this.sealed(tenantId, given);
    const name = { requestId, content: given };
    const merchantAccountId = await this.allocated(tenantId, { ...name, size: 1 });
    return this.opened({ tenantId, merchantAccountId }, { ...name, settings }, caller);
  }

  /** The settings of a new account, checked and with sealed secrets. */
  async sealed(tenantId: TenantId, given: GivenAccount): Promise<Settings> {
    await this.#checkReferences(tenantId, given);
    const settings = this.#sealedOver([], definedOf(given));
    const fault = MerchantAccount.faultOf(settings);
    if (fault !== undefined) throw refused(fault);
    return settings;
  }

  /** The first of `size` new ids; the same request gets the same ones. */
  async allocated(
    tenantId: TenantId,
    { requestId, content, size }: { requestId: string; content: unknown; size: number },
  ): Promise<number> {
    const { commands } = this.#services;
    const at = commands.clock.now();
    const { events } = await commands.execute(
      Sequence,
      { type: 'ReserveBlock', tenantId, sequence: 'merchant_account', size, at },
      { commandId: deterministicUuid([requestId, 'allocate']), content },
      SYSTEM,
    );
    const [block] = events;
    if (block === undefined) throw new Error('no ids of merchant accounts were reserved');
    return block.from;
  }

  async opened(
    named: NamedAccount,
    { requestId, content, settings }: { requestId: string; content: unknown; settings: Settings },
    caller: Caller,
  ): Promise<Account> {
    const { commands } = this.#services;
    const { state } = await commands.execute(
      MerchantAccount,
      { type: 'OpenMerchantAccount', ...named, settings, at: commands.clock.now() },
      { commandId: deterministicUuid([requestId, 'open']), content },
      caller,
    );
    return known(state);
  }

  /** Settings that are not given take their defaults. Refuses with `StaleRowVersion`. */
  async replace(
    named: NamedAccount,
    {
      rowVersion,
      given,
      name,
    }: { rowVersion: number; given: GivenAccount; name?: CommandName | undefined },
    caller: Caller,
  ): Promise<Account> {
    const before = await this.get(named);
    if (before.rowVersion !== rowVersion) {
      throw refused({ type: 'StaleRowVersion', rowVersion, current: before.rowVersion });
    }
    await this.#checkReferences(named.tenantId, given, before.settings);
    return this.#replaced(named, { before, given, name }, caller);
  }

  /**
   * Applies a JSON merge patch (RFC 7396) to the settings as they are shown. Secrets of currencies that it
   * does not name stay. The same command id is applied once.
   */
  async amend(
    named: NamedAccount,
    { commandId = uuidV7(), ...amendment }: Amendment & { readonly commandId?: string },
    caller: Caller,
  ): Promise<Account> {
    const stream = MerchantAccount.streamOf(named);
    const name = { commandId, content: amendment };
    return this.#amending.runExclusive(stream, async () => {
      const isRepeat = await this.#services.commands.isRepeat(MerchantAccount, stream, name);
      return isRepeat ? this.get(named) : this.#amended(named, { ...amendment, name }, caller);
    });
  }

  async #amended(
    named: NamedAccount,
    { patch, rowVersion, name }: Amendment & { readonly name: CommandName },
    caller: Caller,
  ): Promise<Account> {
    for (let tries = AMENDMENT_TRIES; tries > 0; tries -= 1) {
      const before = await this.get(named);
      const shown = shownSettings(before.settings);
      const patched = withSecretsOf(shown, mergePatch(shown, patch));
      const given = inputOf(AccountInput, patched);
      const asked = rowVersion ?? before.rowVersion;
      try {
        return await this.replace(named, { rowVersion: asked, given, name }, caller);
      } catch (error) {
        const isStale = error instanceof Refused && error.code === 'StaleRowVersion';
        if (!isStale || rowVersion !== undefined) throw error;
      }
    }
    throw refused({ type: 'ConcurrentUpdate' });
  }

  /**
   * Creates or replaces the account of this id, whatever its version; returns whether anything changed.
   * For operators, whose definitions have ids of their own.
   */
  async define(
    tenantId: TenantId,
    merchantAccountId: number,
    given: Given,
    caller: Caller,
  ): Promise<boolean> {
    const named = { tenantId, merchantAccountId };
    const before = await this.#find(named);
    if (before !== null) {
      const after = await this.#replaced(named, { before, given }, caller);
      return after.rowVersion > before.rowVersion;
    }
    const settings = this.#sealedOver([], given);
    await this.opened(named, { requestId: uuidV7(), content: given, settings }, caller);
    return true;
  }

  /** The same for an account that is not there; does not change an existing one. */
  async openOnce(
    tenantId: TenantId,
    merchantAccountId: number,
    given: Given,
    caller: Caller,
  ): Promise<void> {
    if ((await this.#find({ tenantId, merchantAccountId })) !== null) return;
    await this.define(tenantId, merchantAccountId, given, caller);
  }

  async #replaced(
    named: NamedAccount,
    {
      before,
      given,
      name = { commandId: uuidV7() },
    }: { before: Account; given: Given | GivenAccount; name?: CommandName | undefined },
    caller: Caller,
  ): Promise<Account> {
    const { commands } = this.#services;
    const { rowVersion } = before;
    const settings = this.#sealedOver(before.settings.currencies, definedOf(given));
    const at = commands.clock.now();
    const { state } = await commands.execute(
      MerchantAccount,
      { type: 'ReplaceMerchantAccount', ...named, rowVersion, settings, at },
      name,
      caller,
    );
    return known(state);
  }

  #sealedOver(kept: Settings['currencies'], given: Given): Settings {
    const currencies = this.#services.vault.sealOver(kept, given.currencies);
    return MerchantAccount.withDefaults({ ...given, currencies });
  }

  /** Refuses with `ReferenceUnknown`. An account of a gateway that is gone can still be changed. */
  async #checkReferences(
    tenantId: TenantId,
    { companyId, gatewayId }: GivenAccount,
    before?: Settings,
  ): Promise<void> {
    const { references, gateways } = this.#services;
    if (companyId !== before?.companyId) await references.check(tenantId, { companyId });
    if (gatewayId === before?.gatewayId || gateways.ids.has(gatewayId)) return;
    const unknown = { field: 'gatewayId', id: gatewayId };
    throw refused({ type: 'ReferenceUnknown', references: [unknown] });
  }

  #find({ tenantId, merchantAccountId }: NamedAccount): Promise<MerchantAccount.State> {
    return this.#services.references.merchantAccount(tenantId, merchantAccountId);
  }
}

/**
 * A patch replaces the list of currencies. Secrets are never read back, so one that a patch does not name
 * stays as it is: masked, as it is shown.
 */
function withSecretsOf(shown: ReturnType<typeof shownSettings>, patched: unknown): unknown {
  const { currencies } = patched as { currencies?: unknown };
  if (!Array.isArray(currencies)) return patched;
  const kept = currencies.map((given: unknown) => {
    if (typeof given !== 'object' || given === null) return given;
    const { currency, gatewayCredentials } = given as Record<string, unknown>;
    const stored = shown.currencies.find((each) => each.currency === currency);
    const isPart = gatewayCredentials === undefined || isObject(gatewayCredentials);
    if (stored === undefined || !isPart) return given;
    return {
      ...given,
      gatewayCredentials: { ...stored.gatewayCredentials, ...gatewayCredentials },
    };
  });
  return { ...(patched as object), currencies: kept };
}

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function known(state: MerchantAccount.State): Account {
  if (state === null) throw new Error('a command on a merchant account left no state');
  return state;
}
