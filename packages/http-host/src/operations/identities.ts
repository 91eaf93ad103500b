/** Integer ids for orders and customers: from durable blocks, and one customer for one email. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { EmailClaim, Sequence, type TenantId } from '@counterfoil/core';
import { LRUCache } from 'lru-cache';
import { uuidV7 } from '../http/uuid.ts';
import { type Caller, type Ledger, SYSTEM } from './ledger.ts';

/** A crash loses the rest of a block: gaps in ids are harmless, and blocks are small. */
const BLOCK_SIZE = 100;
const REMEMBERED_CUSTOMERS = 100_000;

/** Whose customer, in which environment, and the email as it was given. */
interface NamedCustomer {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly email: string;
}

interface Block {
  next: number;
  to: number;
}

export class Identities {
  readonly #ledger: Ledger;
  readonly #emailSecret: KeyObject;
  readonly #blocks = new Map<string, Promise<Block>>();
  readonly #customers = new LRUCache<string, number>({ max: REMEMBERED_CUSTOMERS });

  /** `emailSecret` keys the hash under which an email names its customer's stream. */
  constructor(ledger: Ledger, emailSecret: Buffer) {
    this.#ledger = ledger;
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
    const reserved = this.#ledger
      .carryOut(
        Sequence,
        {
          type: 'ReserveBlock',
          tenantId,
          sequence,
          size: BLOCK_SIZE,
          at: this.#ledger.clock.now(),
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
    return this.#customers.get(nameOf(named));
  }

  /**
   * The customer id of an email: the one it has, else `wanted`, else a new one. Emails are compared
   * without regard to case.
   */
  async customerOf(
    named: NamedCustomer,
    wanted: number | undefined,
    caller: Caller,
  ): Promise<number> {
    const known = this.knownCustomer(named);
    if (known !== undefined) return known;
    const { tenantId, sandbox, email } = named;
    const emailKey = this.#emailKey(tenantId, email);
    const stream = EmailClaim.streamOf({ tenantId, sandbox, emailKey });
    const before = await this.#ledger.stateOf(EmailClaim, stream);
    const customerId =
      before.holder?.customerId ??
      (await this.#identify({ tenantId, sandbox, emailKey, email }, wanted, caller));
    this.#customers.set(nameOf(named), customerId);
    return customerId;
  }

  async #identify(
    who: { tenantId: TenantId; sandbox: boolean; emailKey: string; email: string },
    wanted: number | undefined,
    caller: Caller,
  ): Promise<number> {
    const customerId = wanted ?? (await this.next(who.tenantId, 'customer'));
    const { state } = await this.#ledger.carryOut(
      EmailClaim,
      { type: 'IdentifyCustomer', ...who, customerId, at: this.#ledger.clock.now() },
      { commandId: uuidV7() },
      caller,
    );
    return state.holder?.customerId ?? customerId;
  }

  #emailKey(tenantId: TenantId, email: string): string {
    return createHmac('sha256', this.#emailSecret)
      .update(`${tenantId}\n${email.toLowerCase()}`)
      .digest('hex')
      .slice(0, 32);
  }
}

function nameOf({ tenantId, sandbox, email }: NamedCustomer): string {
  return `${tenantId}/${sandbox}/${email.toLowerCase()}`;
}
