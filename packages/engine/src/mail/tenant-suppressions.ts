/** The addresses that one tenant's mails are not sent to, for one caller. */
import { type Acting, sandboxOf } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import type { Page } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import { SuppressionId, SuppressionInput, SuppressionList } from './mail-input.ts';
import type { MailOwner } from './mail-seal.ts';
import type { Suppression, Suppressions } from './suppressions.ts';

const MAX_LIMIT = 100;

export interface SuppressionServices {
  readonly suppressions: Suppressions;
  readonly clock: Clock;
}

export class TenantSuppressions {
  readonly #services: SuppressionServices;
  readonly #acting: Acting;

  constructor(services: SuppressionServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /** By their ids; with `email` the one of that address. */
  async list(asked: SuppressionList = {}): Promise<Page<Suppression>> {
    const { email, limit = MAX_LIMIT, after = '' } = asked;
    const { suppressions } = this.#services;
    const owner = this.#owner(asked.sandbox);
    if (email !== undefined) {
      const found = await suppressions.find(owner, suppressions.idOf(owner, email));
      return { items: found === undefined ? [] : [found] };
    }
    const found = await suppressions.list(owner, { after, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.id } : { items };
  }

  /** Refuses with `SuppressionUnknown`. */
  async get(suppressionId: string): Promise<Suppression> {
    const { tenantId, environment } = this.#acting;
    const found = await this.#services.suppressions.find({ tenantId }, suppressionId);
    const isVisible = found !== undefined && (environment === 'live' || found.sandbox);
    if (!isVisible) throw refused({ type: 'SuppressionUnknown' });
    return found;
  }

  /** Mails to it fail from now on. An address that is there stays as it is. */
  async create({ email, note = '', sandbox }: SuppressionInput): Promise<Suppression> {
    const { suppressions, clock } = this.#services;
    const suppression = { email, reason: 'manual', note, at: clock.now() } as const;
    return suppressions.add(this.#owner(sandbox), suppression);
  }

  /** Mails to it are sent again. Refuses with `SuppressionUnknown`. */
  async remove(suppressionId: string): Promise<Suppression> {
    const removed = await this.get(suppressionId);
    const { tenantId } = this.#acting;
    await this.#services.suppressions.remove({ tenantId }, suppressionId);
    return removed;
  }

  #owner(sandbox: boolean | undefined): MailOwner {
    return { tenantId: this.#acting.tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
  }
}

export const SUPPRESSION_INPUTS: CallInputs<TenantSuppressions> = {
  list: [SuppressionList.optional()],
  get: [SuppressionId],
  create: [SuppressionInput],
  remove: [SuppressionId],
};

export const SUPPRESSION_CALLS: RecordedCalls<TenantSuppressions> = {
  create: made,
  remove: named,
};
