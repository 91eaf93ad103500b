/** The disputes of one tenant, for one caller. */
import type { MitigationRecord } from '@counterfoil/projections';
import type { Acting } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { refused } from '../refusal.ts';
import { queryOf, type Search, SearchInput } from '../transactions/index.ts';
import type { Disputes } from './disputes.ts';
import { isNarrow, MitigationSearch } from './disputes-input.ts';

export class TenantDisputes {
  readonly #disputes: Disputes;
  readonly #acting: Acting;

  constructor(disputes: Disputes, acting: Acting) {
    this.#disputes = disputes;
    this.#acting = acting;
  }

  /** A page of the transactions search with fewer fields. Refuses with `PageOutOfReach`. */
  async transactions(search: Search = {}): ReturnType<Disputes['transactions']> {
    return this.#disputes.transactions(queryOf(this.#acting, search));
  }

  /** The newest matches, 100 at most. Refuses with `SearchTooBroad`. */
  async search(search: MitigationSearch): Promise<readonly MitigationRecord[]> {
    if (!isNarrow(search)) throw refused({ type: 'SearchTooBroad' });
    const { email, orderId, authCode, arn, amount, currencyCode, descriptorExactMatch, ...same } =
      search;
    return this.#disputes.search(
      queryOf(this.#acting, {
        ...definedOf(same),
        ...definedOf({ currency: currencyCode, descriptor: descriptorExactMatch }),
        emails: listOf(email),
        orderIds: listOf(orderId),
        authCodes: listOf(authCode),
        arns: listOf(arn),
        amounts: listOf(amount),
      }),
    );
  }
}

/** Without a value, no filter. */
function listOf<Value>(value: Value | undefined): Value[] {
  return value === undefined || value === '' ? [] : [value];
}

export const DISPUTE_INPUTS: CallInputs<TenantDisputes> = {
  transactions: [SearchInput.optional()],
  search: [MitigationSearch],
};
