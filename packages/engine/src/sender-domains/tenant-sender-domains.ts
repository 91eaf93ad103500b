/** The sender domains of one tenant, for one caller. */
import { createPrivateKey } from 'node:crypto';
import { type SenderDomains as Aggregate, mailDomain } from '@counterfoil/core';
import type { Acting } from '../acting.ts';
import { uuidV7 } from '../ids.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { EmailText } from '../input/texts.ts';
import { MASK } from '../merchant-accounts/index.ts';
import { Listing, type Page, pageOf } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import { DomainId, SenderDomainChange, SenderDomainInput } from './sender-domain-input.ts';
import type { SenderDomains } from './sender-domains.ts';

export interface SenderDomainView extends Omit<Aggregate.SenderDomain, 'domainId' | 'dkim'> {
  readonly id: string;
  /** In lower case and punycode: as it stands in the DNS. */
  readonly asciiDomain: string;
  readonly dkimSelector: string | null;
  /** Masked. */
  readonly dkimPrivateKey: string | null;
}

interface Dkim {
  readonly dkimSelector?: string | null | undefined;
  readonly dkimPrivateKey?: string | null | undefined;
}

const MIN_KEY_BITS = 1_024;
const MAX_KEY_BITS = 4_096;

export class TenantSenderDomains {
  readonly #domains: SenderDomains;
  readonly #acting: Acting;

  constructor(domains: SenderDomains, acting: Acting) {
    this.#domains = domains;
    this.#acting = acting;
  }

  async list(listing: Listing = {}): Promise<Page<SenderDomainView>> {
    const state = await this.#domains.state(this.#acting.tenantId);
    return pageOf([...state.values()].map(viewOf), listing);
  }

  /** Refuses with `SenderDomainUnknown`. */
  async get(domainId: string): Promise<SenderDomainView> {
    return viewOf(await this.#find(domainId));
  }

  /** Whether the tenant may send from this address. */
  async isAuthorized(from: string): Promise<boolean> {
    return (await this.#domains.senderOf(this.#acting.tenantId, from)) !== undefined;
  }

  /**
   * Refuses with `SenderDomainExists`, `SenderDomainInvalid`, `DkimIncomplete` and `DkimKeyInvalid`.
   */
  async create(input: SenderDomainInput): Promise<SenderDomainView> {
    const { domain, includeSubdomains = false, status = 'authorized' } = input;
    const { tenantId, caller } = this.#acting;
    const domainId = uuidV7();
    const dkim = this.#dkimOver(null, input);
    const settings = { includeSubdomains, status, dkim };
    const command = { type: 'AddSenderDomain', domainId, domain, ...settings } as const;
    await this.#domains.execute(tenantId, command, caller);
    return this.get(domainId);
  }

  /** Refuses with `StaleRowVersion` where another `rowVersion` is given than the present one. */
  async change(domainId: string, change: SenderDomainChange): Promise<SenderDomainView> {
    const before = await this.#find(domainId);
    const { rowVersion = before.rowVersion, dkimSelector, dkimPrivateKey, ...given } = change;
    const { includeSubdomains, status } = before;
    const dkim = this.#dkimOver(before.dkim, { dkimSelector, dkimPrivateKey });
    const settings = { includeSubdomains, status, ...definedOf(given), dkim };
    const { tenantId, caller } = this.#acting;
    const command = { type: 'ChangeSenderDomain', domainId, ...settings, rowVersion } as const;
    await this.#domains.execute(tenantId, command, caller);
    return this.get(domainId);
  }

  /** Mails from it are refused from now on. */
  async remove(domainId: string): Promise<SenderDomainView> {
    const removed = await this.get(domainId);
    const { tenantId, caller } = this.#acting;
    await this.#domains.execute(tenantId, { type: 'RemoveSenderDomain', domainId }, caller);
    return removed;
  }

  #dkimOver(
    kept: Aggregate.Settings['dkim'],
    { dkimSelector = kept?.selector, dkimPrivateKey = MASK }: Dkim,
  ): Aggregate.Settings['dkim'] {
    const given = dkimPrivateKey ?? '';
    const sealedKey = this.#domains.vault.textOver(kept?.sealedKey ?? '', given) ?? '';
    const selector = dkimSelector ?? '';
    if (selector === '' && sealedKey === '') return null;
    if (selector === '') throw refused({ type: 'DkimIncomplete', missing: 'dkimSelector' });
    if (sealedKey === '') throw refused({ type: 'DkimIncomplete', missing: 'dkimPrivateKey' });
    if (sealedKey !== kept?.sealedKey) checkKey(given);
    return { selector, sealedKey };
  }

  async #find(domainId: string): Promise<Aggregate.SenderDomain> {
    const found = (await this.#domains.state(this.#acting.tenantId)).get(domainId);
    if (found === undefined) throw refused({ type: 'SenderDomainUnknown' });
    return found;
  }
}

/** RSA, which every receiver verifies. The error of the parser may quote the key. */
function checkKey(pem: string): void {
  const bits = bitsOf(pem);
  if (bits < MIN_KEY_BITS || bits > MAX_KEY_BITS) throw refused({ type: 'DkimKeyInvalid' });
}

function bitsOf(pem: string): number {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'rsa' ? (asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  } catch {
    return 0;
  }
}

function viewOf({ domainId: id, dkim, ...entry }: Aggregate.SenderDomain): SenderDomainView {
  return {
    id,
    asciiDomain: mailDomain(entry.domain) ?? entry.domain,
    ...entry,
    dkimSelector: dkim?.selector ?? null,
    dkimPrivateKey: dkim === null ? null : MASK,
  };
}

export const SENDER_DOMAIN_INPUTS: CallInputs<TenantSenderDomains> = {
  list: [Listing.optional()],
  get: [DomainId],
  isAuthorized: [EmailText],
  create: [SenderDomainInput],
  change: [DomainId, SenderDomainChange],
  remove: [DomainId],
};

export const SENDER_DOMAIN_CALLS: RecordedCalls<TenantSenderDomains> = {
  create: made,
  change: named,
  remove: named,
};
