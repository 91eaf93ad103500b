/** Integer ids for orders and customers: from durable blocks, and one customer for one email at a time. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
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
import { type Caller, type CommandRunner, SYSTEM } from '../command-runner.ts';
import { uuidV7 } from '../ids.ts';

/** A crash loses the rest of a block: gaps in ids are harmless, and blocks are small. */
const BLOCK_SIZE = 100;
/** What the customers that are remembered by their emails may take, about 100 bytes beside each email. */
const REMEMBERED_BYTES = 16 * 2 ** 20;
const REMEMBERED_ENTRY_BYTES = 100;
/** The second one takes over an id whose claim was found to be void. */
const ID_CLAIM_TRIES = 2;

const { FIRST_ALLOCATED_ID, LAST_ALLOCATED_ID } = Sequence;

/** Whose customer, in which environment, and the email as it was given. */
export interface NamedCustomer {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly email: string;
}

/** Who holds an email, by the claim of which number. */
export interface Claim {
  readonly customerId: number;
  readonly claim: number;
}

interface Block {
  next: number;
  to: number;
}

export class Identities {
  readonly #commands: CommandRunner;
  readonly #emailSecret: KeyObject;
  readonly #blocks = new Map<string, Promise<Block>>();
  /** By the stream of the email's claim. */
  readonly #customers = new LRUCache<StreamName, number>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (_, name) => REMEMBERED_ENTRY_BYTES + 2 * name.length,
  });
  /** Counts the releases, so that what was read before one is not remembered after it. */
  #releases = 0;

  /** `emailSecret` keys the hash under which an email names its customer's stream. */
  constructor(commands: CommandRunner, emailSecret: Buffer) {
    this.#commands = commands;
    this.#emailSecret = createSecretKey(emailSecret);
  }

  /** The next number of a tenant's sequence; never given out before or again. */
  async next(tenantId: TenantId, sequence: Sequence.SequenceName): Promise<number> {
    const name = `${tenantId}/${sequence}`;
    for (;;) {
      const pending = this.#blocks.get(name) ?? this.#reserve(name, tenantId, sequence);
      const block = await pending;
      if (block.next <= block.to) {
        block.next += 1;
        return block.next - 1;
      }
      // Whoever finds the block used up first replaces it; the others then find the new one.
      if (this.#blocks.get(name) === pending) this.#blocks.delete(name);
    }
  }

  #reserve(name: string, tenantId: TenantId, sequence: Sequence.SequenceName): Promise<Block> {
    const reserved = this.#commands
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
        return { next: block.from, to: block.to };
      })
      .catch((error: unknown) => {
        this.#blocks.delete(name);
        throw error;
      });
    this.#blocks.set(name, reserved);
    return reserved;
  }

  /** The customer id of an email that was asked for lately; undefined says nothing. */
  knownCustomer(named: NamedCustomer): number | undefined {
    return this.#customers.get(this.#streamOf(named));
  }

  /**
   * The customer id of an email: the one it has, else `wanted`, else a new one; undefined when `wanted`
   * is another email's. Emails are compared without regard to case.
   */
  async customerOf(
    named: NamedCustomer,
    wanted: number | undefined,
    caller: Caller,
  ): Promise<number | undefined> {
    const known = this.knownCustomer(named);
    if (known !== undefined) return known;
    const releases = this.#releases;
    const customerId =
      (await this.#presentHolder(named, caller)) ??
      (await this.#newCustomer(named, wanted, caller));
    if (customerId !== undefined && releases === this.#releases) {
      this.#customers.set(this.#streamOf(named), customerId);
    }
    return customerId;
  }

  /**
   * Whether a caller may say that this is the customer of an email: it is, and is not erased, or the
   * email is free and the id one of the caller's own that no registered customer has.
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
   * Who holds an email, unless they are erased: what no purchase had told their customer of, the
   * erasure could not release, and what is bought with it now must not be lost with them.
   */
  async #presentHolder(named: NamedCustomer, caller: Caller): Promise<number | undefined> {
    const holder = await this.holderOf(named);
    if (holder === undefined) return undefined;
    const { customerId } = holder;
    if (!isLeaving(await this.#registered(named, customerId))) return customerId;
    await this.release(named, holder, caller);
    return undefined;
  }

  /** Asks anew for whoever is asked for: somebody is erased. */
  forget(): void {
    this.#releases += 1;
    this.#customers.clear();
  }

  /** Asks anew whose an email is: its claim was released, perhaps by another host. */
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
   * Claims an id that a caller brings for an email, before the email for the id: two emails that bring
   * one id at the same time cannot both have it. Answers whether it is this email's.
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
      if (emailKey === null) throw new Error('a customer id was claimed for nobody');
      if (emailKey === keyed.emailKey) return true;
      // An email that lost the race for itself came to another customer, and left this claim behind.
      const other = EmailClaim.streamOf({ ...keyed, emailKey });
      const { holder } = await this.#commands.stateOf(EmailClaim, other);
      if (holder === null || holder.customerId === customerId) return false;
      insteadOf = emailKey;
    }
    return false;
  }

  /** Who holds an email at this moment; undefined when it is free. */
  async holderOf(named: NamedCustomer): Promise<Claim | undefined> {
    const stream = this.#streamOf(named);
    const { holder, claim } = await this.#commands.stateOf(EmailClaim, stream);
    const known = this.#customers.get(stream);
    // Another host has released it.
    if (known !== undefined && known !== holder?.customerId) this.forgetClaim(stream);
    return holder === null ? undefined : { customerId: holder.customerId, claim };
  }

  /**
   * Claims an email for a customer, unless another holds it; answers who does then. `renew` claims
   * anew what the customer holds already: who wanted to release the claim before cannot any more.
   */
  async claim(
    named: NamedCustomer,
    { customerId, renew = false }: { customerId: number; renew?: boolean },
    caller: Caller,
  ): Promise<Claim> {
    const { state } = await this.#commands.execute(
      EmailClaim,
      {
        type: 'IdentifyCustomer',
        ...this.#keyed(named),
        email: named.email,
        customerId,
        renew,
        at: this.#commands.clock.now(),
      },
      { commandId: uuidV7() },
      caller,
    );
    return { customerId: state.holder?.customerId ?? customerId, claim: state.claim };
  }

  /** Frees an email that the customer holds; given the number of a claim, only if it is the latest. */
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

  #keyed({ tenantId, sandbox, email }: NamedCustomer) {
    return { tenantId, sandbox, emailKey: this.#emailKey(tenantId, email) };
  }

  #emailKey(tenantId: TenantId, email: string): string {
    return createHmac('sha256', this.#emailSecret)
      .update(`${tenantId}\n${emailIdentity(email)}`)
      .digest('hex')
      .slice(0, 32);
  }
}

function isLeaving(customer: Customer.State): boolean {
  return customer !== null && customer.erasureRequestedAt !== null;
}
