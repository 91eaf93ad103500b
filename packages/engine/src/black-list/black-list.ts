/** The black lists of tenants: checked by payments, and kept by admins and by what follows from disputes. */
import { BlackList, BlackListKinds } from '@counterfoil/core';
import type { ListedEntry } from '@counterfoil/projections';
import type { Caller, CommandName, CommandRunner } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { refused } from '../refusal.ts';
import { formOf, type ListedIdOf, type Owner, type PayerValues, shownOf } from './values.ts';

type Kind = BlackList.Kind;

/** A value that is to be put on the list. */
export interface Listing
  extends Pick<BlackList.Entry, 'kind' | 'reason' | 'source' | 'transactionId' | 'expiresAt'> {
  /** As it was given. */
  readonly value: string;
}

/** What a list is asked for. */
interface Checked {
  /** A mask of the kinds that count; all when absent. */
  readonly kinds?: number;
  /** Called only where the tenant has a list. */
  readonly payer: () => PayerValues | Promise<PayerValues>;
}

export class BlackLists {
  readonly #commands: CommandRunner;
  readonly #idOf: ListedIdOf;

  constructor(commands: CommandRunner, idOf: ListedIdOf) {
    this.#commands = commands;
    this.#idOf = idOf;
  }

  /**
   * The mask of what of a payer is on the list, from the log: an entry counts on every host once its
   * maker was answered. One look-up where the tenant has no list, else one more for each kind on it.
   */
  async maskOf(owner: Owner, { kinds = BlackList.ALL_KINDS, payer }: Checked): Promise<number> {
    const stream = BlackListKinds.streamOf(owner);
    const wanted = (await this.#commands.stateOf(BlackListKinds, stream)) & kinds;
    if (wanted === 0) return 0;
    const values = await payer();
    const now = this.#commands.clock.now();
    const listed = await Promise.all(
      BlackList.kindsIn(wanted).map(async (kind) => {
        const id = this.idOf(owner, kind, values[kind] ?? '');
        if (id === undefined) return [];
        return BlackList.blocks(await this.#state(owner, id), now) ? [kind] : [];
      }),
    );
    return BlackList.maskOf(listed.flat());
  }

  /** The id that a value has, on the list or not; undefined for what is no value of this kind. */
  idOf(owner: Owner, kind: Kind, given: string): string | undefined {
    const value = formOf(kind, given);
    return value === undefined ? undefined : this.#idOf(owner, kind, value);
  }

  /** Undefined where no entry has this id; an expired one is there until it is removed. */
  async find(named: Pick<Owner, 'tenantId'>, entryId: string): Promise<ListedEntry | undefined> {
    const { entry, rowVersion } = await this.#state(named, entryId);
    return entry === null ? undefined : { entry, rowVersion };
  }

  /**
   * Puts a value on the list and returns its id. The same again changes nothing. Refuses with
   * `BlackListValueInvalid`, and with `BlackListEntryExists` an admin who names another reason or expiry.
   */
  async add(
    owner: Owner,
    { value: given, ...listing }: Listing,
    caller: Caller,
    name: CommandName = { commandId: uuidV7() },
  ): Promise<string> {
    const { kind } = listing;
    const value = formOf(kind, given);
    if (value === undefined) throw refused({ type: 'BlackListValueInvalid', kind });
    const { tenantId, sandbox } = owner;
    const entryId = this.#idOf(owner, kind, value);
    await this.#useKind(owner, kind, caller);
    const shown = shownOf(kind, value);
    const at = this.#commands.clock.now();
    const entry = { type: 'BlackList', tenantId, entryId, sandbox, shown, ...listing, at } as const;
    await this.#commands.execute(BlackList, entry, name, caller);
    return entryId;
  }

  /** Before the value is on the list: a payment after that looks it up. */
  async #useKind(owner: Owner, kind: Kind, caller: Caller): Promise<void> {
    const { tenantId, sandbox } = owner;
    const at = this.#commands.clock.now();
    const command = { type: 'UseBlackListKind', tenantId, sandbox, kind, at } as const;
    if (this.#commands.isKnownToChangeNothing(BlackListKinds, command)) return;
    await this.#commands.execute(BlackListKinds, command, { commandId: uuidV7() }, caller);
  }

  async change(
    named: { readonly tenantId: Owner['tenantId']; readonly entryId: string },
    change: { reason: string; expiresAt: string | null; rowVersion?: number | undefined },
    caller: Caller,
  ): Promise<void> {
    const at = this.#commands.clock.now();
    const command = { type: 'ChangeBlackListEntry', ...named, ...change, at } as const;
    await this.#commands.execute(BlackList, command, { commandId: uuidV7() }, caller);
  }

  async remove(
    named: { readonly tenantId: Owner['tenantId']; readonly entryId: string },
    caller: Caller,
  ): Promise<void> {
    const at = this.#commands.clock.now();
    const command = { type: 'RemoveBlackListEntry', ...named, at } as const;
    await this.#commands.execute(BlackList, command, { commandId: uuidV7() }, caller);
  }

  #state({ tenantId }: Pick<Owner, 'tenantId'>, entryId: string): Promise<BlackList.State> {
    return this.#commands.stateOf(BlackList, BlackList.streamOf({ tenantId, entryId }));
  }
}
