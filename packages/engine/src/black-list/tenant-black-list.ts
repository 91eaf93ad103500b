/** The black list of one tenant, for one caller. */
import { BlackList } from '@counterfoil/core';
import type { BlackListView, ListedEntry } from '@counterfoil/projections';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import type { Page } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { Transactions } from '../transactions/index.ts';
import type { BlackLists } from './black-list.ts';
import { BlackListChange, BlackListInput, BlackListQuery, EntryId } from './black-list-input.ts';
import { payerOf } from './payer.ts';
import type { Owner } from './values.ts';

const DEFAULT_LIMIT = 100;

/** An entry as it is shown: `value` is masked. */
export interface BlackListEntryView
  extends Omit<BlackList.Entry, 'entryId' | 'shown' | 'transactionId'> {
  readonly id: string;
  readonly value: string;
  readonly transactionId: string | null;
  /** Counts the changes of the value on the list, from 1. */
  readonly rowVersion: number;
}

interface BlackListServices {
  readonly blackLists: BlackLists;
  readonly blackListView: BlackListView;
  readonly transactions: Transactions;
  readonly readSide: ReadSide;
}

export class TenantBlackList {
  readonly #services: BlackListServices;
  readonly #acting: Acting;

  constructor(services: BlackListServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /** A page, newest first; with `value` the entries of that value. Shows the caller's own writes. */
  async list(query: BlackListQuery = {}): Promise<Page<BlackListEntryView>> {
    const { kind, value, sandbox, limit = DEFAULT_LIMIT, after } = query;
    const owner = { tenantId: this.#acting.tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
    if (value !== undefined) {
      const kinds = kind === undefined ? BlackList.KINDS : [kind];
      return { items: after === undefined ? await this.#entriesOf(owner, kinds, value) : [] };
    }
    const { blackListView, readSide } = this.#services;
    await readSide.caughtUp(owner.tenantId);
    const page = await blackListView.page({ ...owner, limit, ...definedOf({ kind, after }) });
    const { entries, ...more } = page;
    return { items: entries.map(viewOf), ...more };
  }

  /** From the log. */
  async #entriesOf(
    owner: Owner,
    kinds: readonly BlackList.Kind[],
    value: string,
  ): Promise<BlackListEntryView[]> {
    const ids = kinds.map((kind) => this.#services.blackLists.idOf(owner, kind, value));
    const known = ids.filter((id) => id !== undefined);
    const found = await Promise.all(known.map((id) => this.#services.blackLists.find(owner, id)));
    return found.filter((each) => each !== undefined).map(viewOf);
  }

  /** Refuses with `BlackListEntryUnknown`. */
  async get(id: string): Promise<BlackListEntryView> {
    const { tenantId, environment } = this.#acting;
    const found = await this.#services.blackLists.find({ tenantId }, id.toLowerCase());
    const isVisible = environment === 'live' || found?.entry.sandbox === true;
    if (found === undefined || !isVisible) throw refused({ type: 'BlackListEntryUnknown' });
    return viewOf(found);
  }

  /**
   * Puts a value on the list, in force for the next payment on every host. The same again changes nothing.
   * Refuses with `BlackListEntryExists` where it is there with another reason or expiry, and with
   * `BlackListValueInvalid`, `ValueOrTransaction`, `TransactionUnknown` and `PayerValueUnknown`.
   */
  async add(input: BlackListInput): Promise<BlackListEntryView> {
    const { kind, reason = '', expiresAt = null } = input;
    const { owner, value, transactionId } = await this.#payer(input);
    const listing = { kind, value, reason, source: 'admin', transactionId, expiresAt } as const;
    return this.get(await this.#services.blackLists.add(owner, listing, this.#acting.caller));
  }

  async #payer({ kind, value, transactionId, sandbox }: BlackListInput) {
    const { tenantId } = this.#acting;
    if ((value === undefined) === (transactionId === undefined)) {
      throw refused({ type: 'ValueOrTransaction' });
    }
    if (transactionId === undefined) {
      const owner = { tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
      return { owner, value: value ?? '', transactionId: null };
    }
    const found = await this.#services.transactions.paymentOf(tenantId, transactionId);
    const asked = sandbox ?? found?.payment.sandbox;
    if (found === undefined || found.payment.sandbox !== sandboxOf(this.#acting, asked)) {
      throw refused({ type: 'TransactionUnknown' });
    }
    const { payment } = found;
    const taken = payerOf(payment)[kind] ?? '';
    if (taken === '') throw refused({ type: 'PayerValueUnknown', kind });
    const owner = { tenantId, sandbox: payment.sandbox };
    return { owner, value: taken, transactionId: payment.transactionId };
  }

  /** Refuses with `BlackListEntryUnknown`, `StaleRowVersion` and `ExpiryInThePast`. */
  async change(id: string, change: BlackListChange): Promise<BlackListEntryView> {
    const before = await this.get(id);
    const { reason = before.reason, expiresAt = before.expiresAt, rowVersion } = change;
    const { tenantId, caller } = this.#acting;
    const named = { tenantId, entryId: before.id };
    await this.#services.blackLists.change(named, { reason, expiresAt, rowVersion }, caller);
    return this.get(id);
  }

  /** Takes a value off the list; returns it as it was. Refuses with `BlackListEntryUnknown`. */
  async remove(id: string): Promise<BlackListEntryView> {
    const before = await this.get(id);
    const { tenantId, caller } = this.#acting;
    await this.#services.blackLists.remove({ tenantId, entryId: before.id }, caller);
    return before;
  }
}

function viewOf({ entry, rowVersion }: ListedEntry): BlackListEntryView {
  const { entryId: id, shown: value, ...rest } = entry;
  return { id, ...rest, value, rowVersion };
}

export const BLACK_LIST_INPUTS: CallInputs<TenantBlackList> = {
  list: [BlackListQuery.optional()],
  get: [EntryId],
  add: [BlackListInput],
  change: [EntryId, BlackListChange],
  remove: [EntryId],
};

export const BLACK_LIST_CALLS: RecordedCalls<TenantBlackList> = {
  add: made,
  change: named,
  remove: named,
};
