/** Integer ids of orders and customers, allocated in durable blocks; at most one customer per email. */
import {
  Customer,
  CustomerIdClaim,
  EmailClaim,
  emailIdentity,
  Sequence,
  type StreamName,
  type TenantId,
} from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import {
  type Caller,
  type CommandRunner,
  type Done,
  type Executable,
  type Step,
  SYSTEM,
} from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';
import { type KeyedHash, keyedHash } from '../keyed-hash.ts';

/** A crash loses the rest of a block. Gaps in ids are harmless. */
const BLOCK_SIZE = 100;
/** Size of the cache of customers by email; an entry takes about 100 bytes beside the email. */
const REMEMBERED_BYTES = 16 * 2 ** 20;
const REMEMBERED_ENTRY_BYTES = 100;
/** Hex digits. */
const EMAIL_KEY_LENGTH = 32;
/** The second attempt takes over an id whose claim is void. */
const ID_CLAIM_TRIES = 2;

const { FIRST_ALLOCATED_ID, LAST_ALLOCATED_ID } = Sequence;

/** Tenant, environment, and the email as given. */
export interface NamedCustomer {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly email: string;
}

/** A customer of an email that nobody has claimed yet, as far as that is known without reading. */
export interface NewCustomer {
  readonly customerId: number;
  /** Not executed: to be executed together with what is recorded of the customer. */
  readonly claim: Step<typeof EmailClaim>;
}

/** The holder of an email, and the number of the claim. */
export interface Claim {
  readonly customerId: number;
  readonly claim: number;
}

interface Block {
  next: number;
  to: number;
}

export interface IdentitiesOptions {
  /** Whether other processes write to the log: what is cached may have changed there. Default: false. */
  readonly othersWrite?: boolean;
}

export class Identities {
  readonly #commands: CommandRunner;
  readonly #hash: KeyedHash;
  readonly #othersWrite: boolean;
  readonly #blocks = new Map<string, Block>();
  /** The next block, while it is being reserved: those who wait for it share it. */
  readonly #reserving = new Map<string, Promise<void>>();
  /** Numbers that were taken and not used. */
  readonly #unused = new Map<string, number[]>();
  /** By the stream of the email's claim. */
  readonly #customers = new LRUCache<StreamName, number>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (_, name) => REMEMBERED_ENTRY_BYTES + 2 * name.length,
  });
  /** The key of an email is asked for several times in one call. */
  readonly #emailKeys = new WeakMap<NamedCustomer, string>();
  /** Counts the releases: a result read before a release is not cached after it. */
  #releases = 0;

  /** `emailSecret` keys the HMAC of an email in the name of its stream. */
  constructor(
    commands: CommandRunner,
    emailSecret: Buffer,
    { othersWrite = false }: IdentitiesOptions = {},
  ) {
    this.#commands = commands;
    this.#hash = keyedHash(emailSecret);
    this.#othersWrite = othersWrite;
  }

  /** The next unique number of a tenant's sequence. */
  async next(tenantId: TenantId, sequence: Sequence.SequenceName): Promise<number> {
    const name = `${tenantId}/${sequence}`;
    const unused = this.#unused.get(name)?.pop();
    if (unused !== undefined) return unused;
    for (;;) {
      const block = this.#blocks.get(name);
      if (block !== undefined && block.next <= block.to) {
        block.next += 1;
        return block.next - 1;
      }
      await (this.#reserving.get(name) ?? this.#reserve(name, tenantId, sequence));
    }
  }

  /** Whether `next` has a number without reserving others. */
  isAtHand(tenantId: TenantId, sequence: Sequence.SequenceName): boolean {
    const name = `${tenantId}/${sequence}`;
    const block = this.#blocks.get(name);
    return (
      (this.#unused.get(name) ?? []).length > 0 || (block !== undefined && block.next <= block.to)
    );
  }

  #reserve(name: string, tenantId: TenantId, sequence: Sequence.SequenceName): Promise<void> {
    const reserving = this.#commands
      .execute(
        Sequence,
        {
          type: 'ReserveBlock',
          tenantId,
          sequence,
          size: BLOCK_SIZE,
          at: this.#commands.clock.now(),
        },
        { commandId: uuidV7() },
        SYSTEM,
      )
      .then(({ events }) => {
        const [block] = events;
        if (block === undefined) throw new Error(`no block of ${name} was reserved`);
        this.#blocks.set(name, { next: block.from, to: block.to });
      })
      .finally(() => this.#reserving.delete(name));
    this.#reserving.set(name, reserving);
    return reserving;
  }

  /** The cached customer id of an email; undefined when it is not cached. */
  knownCustomer(named: NamedCustomer): number | undefined {
    return this.#customers.get(this.#streamOf(named));
  }

  /** The customer of an email that is cached, and still has it; undefined when it is not cached. */
  async presentCustomer(named: NamedCustomer): Promise<number | undefined> {
    const known = this.knownCustomer(named);
    if (known === undefined || !this.#othersWrite) return known;
    const holder = await this.holderOf(named);
    return holder?.customerId === known ? known : undefined;
  }

  /**
   * Executes a command about the customer of an email: of one who is not known together with the claim of
   * the email, where the log can.
   */
  async executeFor<Of extends Executable>(
    named: NamedCustomer,
    stepOf: (customerId: number) => Step<Of> | Promise<Step<Of>>,
    caller: Caller,
  ): Promise<Done<Of>> {
    const commands = this.#commands;
    const isUnknown = commands.executesTogether && this.knownCustomer(named) === undefined;
    const isNew = isUnknown && (await this.#mayBeNew(named));
    if (isNew) {
      const done = await this.recordedWithClaim(named, async ({ customerId, claim }) =>
        commands.executeTogether([claim, await stepOf(customerId)], caller),
      );
      if (done !== undefined) return done[1];
    }
    const customerId = await this.customerOf(named, undefined, caller, {
      claimsFirst: !isUnknown,
    });
    if (customerId === undefined) throw new Error('an email has no customer');
    const { aggregate, command, name } = await stepOf(customerId);
    return commands.execute(aggregate, command, name, caller);
  }

  /**
   * Records something of a customer who is not known, together with the claim of the email: most emails
   * that are not known are new. `record` resolves with undefined where nothing was recorded; so does
   * this, as the email may have a customer. `customerOf` tells which.
   */
  async recordedWithClaim<Result>(
    named: NamedCustomer,
    record: (customer: NewCustomer) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const { tenantId } = named;
    const releases = this.#releases;
    const customerId = await this.next(tenantId, 'customer');
    const recorded = await record({ customerId, claim: this.#claimStep(named, { customerId }) });
    if (recorded !== undefined) {
      if (releases === this.#releases) this.#customers.set(this.#streamOf(named), customerId);
      return recorded;
    }
    // A store that had lost its first answer, and asked again, has recorded the claim all the same.
    const holder = await this.holderOf(named);
    if (holder?.customerId !== customerId) this.#giveBack(tenantId, customerId);
    return undefined;
  }

  /**
   * The customer id of an email: the existing one, else `wanted`, else a new one; undefined when `wanted`
   * belongs to another email. Emails are case-insensitive. `claimsFirst: false` looks for a holder
   * first, for an email whose claim has just been tried.
   */
  async customerOf(
    named: NamedCustomer,
    wanted: number | undefined,
    caller: Caller,
    { claimsFirst = true }: { readonly claimsFirst?: boolean } = {},
  ): Promise<number | undefined> {
    const known = await this.presentCustomer(named);
    if (known !== undefined) return known;
    const releases = this.#releases;
    const isClaimed = claimsFirst && wanted === undefined && (await this.#mayBeNew(named));
    const customerId =
      (isClaimed ? await this.#claimedFirst(named, caller) : undefined) ??
      (await this.#presentHolder(named, caller)) ??
      (await this.#newCustomer(named, wanted, caller));
    if (customerId !== undefined && releases === this.#releases) {
      this.#customers.set(this.#streamOf(named), customerId);
    }
    return customerId;
  }

  /** Numbers are not reserved for an email that has a holder, such as that of a repeated request. */
  async #mayBeNew(named: NamedCustomer): Promise<boolean> {
    return this.isAtHand(named.tenantId, 'customer') || (await this.holderOf(named)) === undefined;
  }

  /**
   * Most emails that are not known are new, so one is claimed before a holder is looked for. Undefined where
   * it is another customer's.
   */
  async #claimedFirst(named: NamedCustomer, caller: Caller): Promise<number | undefined> {
    const { tenantId } = named;
    const customerId = await this.next(tenantId, 'customer');
    const holder = await this.claim(named, { customerId }, caller);
    if (holder.customerId === customerId) return customerId;
    this.#giveBack(tenantId, customerId);
    return undefined;
  }

  /** For a number that was taken, and that no event has. */
  #giveBack(tenantId: TenantId, customerId: number): void {
    const name = `${tenantId}/customer`;
    this.#unused.set(name, [...(this.#unused.get(name) ?? []), customerId]);
  }

  /**
   * Whether a caller may give this customer id for an email: it is the email's and not erased, or the
   * email is free and the id is outside the allocated range and not registered.
   */
  async mayBe(named: NamedCustomer, customerId: number): Promise<boolean> {
    const holder = await this.holderOf(named);
    const customer = await this.#registered(named, customerId);
    if (holder !== undefined) return holder.customerId === customerId && !isLeaving(customer);
    if (customerId >= FIRST_ALLOCATED_ID && customerId <= LAST_ALLOCATED_ID) return false;
    return customer === null;
  }

  #registered(named: NamedCustomer, customerId: number): Promise<Customer.State> {
    return this.#commands.stateOf(Customer, Customer.streamOf({ ...named, customerId }));
  }

  /**
   * The holder of an email, unless erased. An erasure cannot release an email that the customer's stream
   * does not list; a new purchase with it must not go to the erased customer.
   */
  async #presentHolder(named: NamedCustomer, caller: Caller): Promise<number | undefined> {
    const holder = await this.holderOf(named);
    if (holder === undefined) return undefined;
    const { customerId } = holder;
    if (!isLeaving(await this.#registered(named, customerId))) return customerId;
    await this.release(named, holder, caller);
    return undefined;
  }

  /** Clears the cache after an erasure. */
  forget(): void {
    this.#releases += 1;
    this.#customers.clear();
  }

  /** Removes an email from the cache after its claim was released, by any host. */
  forgetClaim(stream: StreamName): void {
    this.#releases += 1;
    this.#customers.delete(stream);
  }

  async #newCustomer(
    named: NamedCustomer,
    wanted: number | undefined,
    caller: Caller,
  ): Promise<number | undefined> {
    if (wanted !== undefined && !(await this.#claimId(named, wanted, caller))) return undefined;
    const customerId = wanted ?? (await this.next(named.tenantId, 'customer'));
    return (await this.claim(named, { customerId }, caller)).customerId;
  }

  /**
   * Claims a caller's id for an email before claiming the email: two concurrent emails cannot both get
   * one id. Returns whether the id belongs to this email.
   */
  async #claimId(named: NamedCustomer, customerId: number, caller: Caller): Promise<boolean> {
    const keyed = this.#keyed(named);
    let insteadOf: string | undefined;
    for (let tries = ID_CLAIM_TRIES; tries > 0; tries -= 1) {
      const { state } = await this.#commands.execute(
        CustomerIdClaim,
        {
          type: 'ClaimCustomerId',
          ...keyed,
          customerId,
          ...(insteadOf !== undefined && { insteadOf }),
          at: this.#commands.clock.now(),
        },
        { commandId: uuidV7() },
        caller,
      );
      const { emailKey } = state;
      if (emailKey === null) throw new Error('a claim of a customer id has no email');
      if (emailKey === keyed.emailKey) return true;
      // The claim is void when the email of its claimant belongs to another customer.
      const other = EmailClaim.streamOf({ ...keyed, emailKey });
      const { holder } = await this.#commands.stateOf(EmailClaim, other);
      if (holder === null || holder.customerId === customerId) return false;
      insteadOf = emailKey;
    }
    return false;
  }

  /** The current holder of an email; undefined when it is free. */
  async holderOf(named: NamedCustomer): Promise<Claim | undefined> {
    const stream = this.#streamOf(named);
    const { holder, claim } = await this.#commands.stateOf(EmailClaim, stream);
    const known = this.#customers.get(stream);
    // Another host has released it.
    if (known !== undefined && known !== holder?.customerId) this.forgetClaim(stream);
    return holder === null ? undefined : { customerId: holder.customerId, claim };
  }

  /**
   * Claims an email for a customer unless another holds it; returns the holder. `renew` gives an existing
   * claim a new number, so that a release of the earlier number fails.
   */
  async claim(
    named: NamedCustomer,
    wanted: { customerId: number; renew?: boolean },
    caller: Caller,
  ): Promise<Claim> {
    const { aggregate, command, name } = this.#claimStep(named, wanted);
    const { state } = await this.#commands.execute(aggregate, command, name, caller);
    return { customerId: state.holder?.customerId ?? wanted.customerId, claim: state.claim };
  }

  #claimStep(
    named: NamedCustomer,
    { customerId, renew = false }: { customerId: number; renew?: boolean },
  ): Step<typeof EmailClaim> {
    const command = {
      type: 'IdentifyCustomer',
      ...this.#keyed(named),
      email: named.email,
      customerId,
      renew,
      at: this.#commands.clock.now(),
    } as const;
    return { aggregate: EmailClaim, command, name: { commandId: uuidV7() } };
  }

  /** Releases an email of the customer; with `claim`, only if that is the latest number. */
  async release(
    named: NamedCustomer,
    { customerId, claim }: { customerId: number; claim?: number },
    caller: Caller,
  ): Promise<void> {
    try {
      await this.#commands.execute(
        EmailClaim,
        {
          type: 'ReleaseEmail',
          ...this.#keyed(named),
          customerId,
          ...(claim !== undefined && { claim }),
          at: this.#commands.clock.now(),
        },
        { commandId: uuidV7() },
        caller,
      );
    } finally {
      this.forgetClaim(this.#streamOf(named));
    }
  }

  #streamOf(named: NamedCustomer): StreamName {
    return EmailClaim.streamOf(this.#keyed(named));
  }

  #keyed(named: NamedCustomer) {
    const { tenantId, sandbox, email } = named;
    let emailKey = this.#emailKeys.get(named);
    if (emailKey === undefined) {
      emailKey = this.#emailKey(tenantId, email);
      this.#emailKeys.set(named, emailKey);
    }
    return { tenantId, sandbox, emailKey };
  }

  #emailKey(tenantId: TenantId, email: string): string {
    return this.#hash(`${tenantId}\n${emailIdentity(email)}`).slice(0, EMAIL_KEY_LENGTH);
  }
}

function isLeaving(customer: Customer.State): boolean {
  return customer !== null && customer.erasureRequestedAt !== null;
}
