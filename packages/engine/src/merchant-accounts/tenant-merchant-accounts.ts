/** The merchant accounts of one tenant, for one caller. They are those of live and of test data. */
import type { MerchantAccount } from '@counterfoil/core';
import type { Acting } from '../acting.ts';
import { idOfKey } from '../idempotency-key.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { Id } from '../input/texts.ts';
import { made, named, nothing, type RecordedCalls } from '../recorded-calls.ts';
import { AccountInput, Amendment, Batch, Listing, Opening, Replacement } from './account-input.ts';
import type { AccountPage, AccountReads } from './account-reads.ts';
import type { MerchantAccountView } from './account-view.ts';
import { type BatchLine, openBatch } from './batch.ts';
import type { MerchantAccounts, NamedAccount } from './merchant-accounts.ts';

interface MerchantAccountServices {
  readonly merchantAccounts: MerchantAccounts;
  readonly accountReads: AccountReads;
}

export class TenantMerchantAccounts {
  readonly #services: MerchantAccountServices;
  readonly #acting: Acting;

  constructor(services: MerchantAccountServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /** Refuses with `MerchantAccountUnknown`. Secrets are masked. */
  async get(merchantAccountId: number): Promise<MerchantAccountView> {
    return this.#view(await this.#services.merchantAccounts.get(this.#named(merchantAccountId)));
  }

  /** A page in ascending order of the ids. Reads the caller's own writes. */
  async list(listing: Listing = {}): Promise<AccountPage> {
    return this.#services.accountReads.page(this.#acting.tenantId, listing);
  }

  /** Opens an account under an id of the ledger's. Refuses with `ReferenceUnknown`. */
  async open({ idempotencyKey: key, ...input }: Opening): Promise<MerchantAccountView> {
    const { tenantId, caller } = this.#acting;
    const requestId = idOfKey(this.#acting, 'openMerchantAccount', { key });
    const given = AccountInput.parse(input);
    const request = { tenantId, requestId, given };
    return this.#view(await this.#services.merchantAccounts.open(request, caller));
  }

  /**
   * Replaces all settings; those that are absent take their defaults. A masked secret stays as it is.
   * Refuses with `StaleRowVersion` after a concurrent change.
   */
  async replace(
    merchantAccountId: number,
    { rowVersion, ...input }: Replacement,
  ): Promise<MerchantAccountView> {
    const replacement = { rowVersion, given: AccountInput.parse(input) };
    const named = this.#named(merchantAccountId);
    const { merchantAccounts } = this.#services;
    return this.#view(await merchantAccounts.replace(named, replacement, this.#acting.caller));
  }

  /**
   * Changes what a JSON merge patch (RFC 7396) names; null resets to the default. Under one key it is
   * changed once.
   */
  async amend(
    merchantAccountId: number,
    { idempotencyKey: key, ...amendment }: Amendment,
  ): Promise<MerchantAccountView> {
    const named = this.#named(merchantAccountId);
    const actsOn = [String(merchantAccountId)];
    const commandId = idOfKey(this.#acting, 'amendMerchantAccount', { key, actsOn });
    const { merchantAccounts } = this.#services;
    const request = { ...amendment, commandId };
    return this.#view(await merchantAccounts.amend(named, request, this.#acting.caller));
  }

  /**
   * Opens many accounts. Each line is what `open` takes, and a result stands for it in the same place.
   * Under one key each line is opened once, however often the batch is sent.
   */
  async batch({
    idempotencyKey: key,
    lines,
    atomic = false,
    onProgress,
  }: Batch): Promise<readonly BatchLine[]> {
    const { tenantId, caller } = this.#acting;
    const requestId = idOfKey(this.#acting, 'openMerchantAccounts', { key });
    const request = { tenantId, requestId, lines, atomic, onProgress };
    return openBatch(this.#services.merchantAccounts, request, caller);
  }

  #named(merchantAccountId: number): NamedAccount {
    return { tenantId: this.#acting.tenantId, merchantAccountId };
  }

  #view(account: MerchantAccount.MerchantAccount): Promise<MerchantAccountView> {
    return this.#services.accountReads.view(this.#acting.tenantId, account);
  }
}

export const MERCHANT_ACCOUNT_INPUTS: CallInputs<TenantMerchantAccounts> = {
  get: [Id],
  list: [Listing.optional()],
  open: [Opening],
  replace: [Id, Replacement],
  amend: [Id, Amendment],
  batch: [Batch],
};

export const MERCHANT_ACCOUNT_CALLS: RecordedCalls<TenantMerchantAccounts> = {
  open: made,
  replace: named,
  amend: named,
  batch: nothing,
};
