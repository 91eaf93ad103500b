/** Follows every stream from its first event: revisions, commands, ids, and what the events add up to. */
import {
  Customer,
  CustomerIdClaim,
  categoryOf,
  decodeEvent,
  EmailClaim,
  type Event,
  eventIdOf,
  isSealedEvent,
  MerchantAccount,
  MonthlyCap,
  openerOf,
  type PersonalDataVault,
  Reference,
  Sequence,
  type StoredEvent,
  type StreamName,
  Subscription,
  Tenant,
  type TenantId,
  Transaction,
} from '@counterfoil/core';
import { reference } from '@counterfoil/projections';
import type { CustomerVault } from '../personal-keys/customer-keys.ts';
import type { Advice } from './advice.ts';
import { type Findings, reasonOf } from './finding.ts';
import type { WalkedEvent } from './log-streams.ts';
import { judgeErasure } from './personal-keys.ts';
import type { TrialBalance } from './trial-balance.ts';

interface Folding {
  readonly initial: unknown;
  evolve(state: never, event: never): unknown;
  readonly events: object;
}

/** The aggregate that writes streams of a category. The other categories that `reference` reads are of `Reference`. */
const AGGREGATES: Readonly<Record<string, Folding>> = {
  customer: EmailClaim,
  customer_account: Customer,
  customer_id: CustomerIdClaim,
  merchant_account: MerchantAccount,
  monthly_cap: MonthlyCap,
  sequence: Sequence,
  subscription: Subscription,
  tenant: Tenant,
  transaction: Transaction,
};

const FOREIGN_ID_ADVICE =
  'Nothing, if a program of your own appended these events. The host derives ids from commands, and so recognises what it has done.';
const INVARIANT_ADVICE =
  'Do not correct it in the log. Compare the payment with the gateway, and report it with its events: a rule of the domain was broken.';

interface Following {
  readonly id: string;
  readonly fingerprint: string;
  index: number;
  /** Whether the log marks the last event of an append. */
  readonly isMarked: boolean;
}

/** The stream that the walk is in. */
interface Current {
  readonly name: StreamName;
  readonly tenantId: TenantId;
  readonly aggregate: Folding | undefined;
  state: unknown;
  nextRevision: number;
  /** Of the append that is under way. */
  command: Following | undefined;
  /** A stream with a damaged event is not folded any further. */
  broken: boolean;
}

interface Ended {
  readonly stream: StreamName;
  readonly tenantId: TenantId;
  readonly customer: Customer.Customer;
}

export interface StreamFollowing {
  readonly findings: Findings;
  readonly trialBalance: TrialBalance;
  readonly keys: CustomerVault | undefined;
  readonly hostRuns: boolean;
  readonly advice: Advice;
}

/** Takes the events of the log by stream and revision, in bounded memory: one stream at a time. */
export class StreamFollower {
  readonly #findings: Findings;
  readonly #trialBalance: TrialBalance;
  readonly #keys: CustomerVault | undefined;
  readonly #hostRuns: boolean;
  readonly #advice: Advice;
  /** Opens what the page under way tells of persons. */
  #opener: PersonalDataVault | undefined;
  #current: Current | undefined;
  /** Customers whose streams have ended, for the keys to be asked about them. */
  #customers: Ended[] = [];
  #streams = 0;

  constructor({ findings, trialBalance, keys, hostRuns, advice }: StreamFollowing) {
    this.#findings = findings;
    this.#trialBalance = trialBalance;
    this.#keys = keys;
    this.#hostRuns = hostRuns;
    this.#advice = advice;
  }

  get streams(): number {
    return this.#streams;
  }

  async take(page: readonly WalkedEvent[]): Promise<void> {
    const intact = page.filter((event) => event.intact).map(({ stored }) => stored);
    this.#opener = await openerOf(this.#keys, intact);
    for (const event of page) this.#follow(event);
    await this.#judgeCustomers();
  }

  /** After the last event. */
  async end(): Promise<void> {
    this.#endStream();
    await this.#judgeCustomers();
  }

  #follow({ stored, intact, endsCommand }: WalkedEvent): void {
    const current = this.#streamOf(stored);
    this.#followRevision(current, stored);
    if (!intact) {
      current.broken = true;
      current.command = undefined;
      this.#findings.damage(`${placeOf(stored)} does not match its checksum`, this.#advice.log);
      return;
    }
    this.#followCommand(current, stored, endsCommand);
    this.#fold(current, stored);
  }

  #endStream(): void {
    const ended = this.#current;
    if (ended?.aggregate === (Customer as Folding) && !ended.broken && ended.state !== null) {
      const { name: stream, tenantId, state } = ended;
      this.#customers.push({ stream, tenantId, customer: state as Customer.Customer });
    }
    if (ended?.command?.isMarked !== true) return;
    this.#findings.damage(
      `${ended.name} ends within an append: command ${ended.command.id} has no last event`,
      this.#advice.log,
    );
  }

  async #judgeCustomers(): Promise<void> {
    const customers = this.#customers;
    this.#customers = [];
    for (const { customer, ...place } of customers) {
      const whose = { ...place, keys: this.#keys, hostRuns: this.#hostRuns, advice: this.#advice };
      await judgeErasure(this.#findings, customer, whose);
    }
  }

  #streamOf({ stream, tenantId }: StoredEvent): Current {
    if (this.#current?.name === stream) return this.#current;
    this.#endStream();
    this.#streams += 1;
    const category = categoryOf(stream);
    const aggregate =
      AGGREGATES[category] ?? (reference.categories?.has(category) ? Reference : undefined);
    if (aggregate === undefined) {
      this.#findings.warn(
        `${stream} is of a kind that this build does not know`,
        this.#advice.unknown,
      );
    } else if (!stream.startsWith(`${category}-${tenantId}-`)) {
      this.#findings.damage(
        `${stream} holds an event of tenant ${tenantId}: tenants are told apart by the name of the stream`,
        this.#advice.log,
      );
    }
    this.#current = {
      name: stream,
      tenantId,
      aggregate,
      state: aggregate?.initial,
      nextRevision: 0,
      command: undefined,
      broken: false,
    };
    return this.#current;
  }

  #followRevision(current: Current, { stream, revision }: StoredEvent): void {
    if (revision !== current.nextRevision) {
      current.broken = true;
      this.#findings.damage(
        `${stream} goes from revision ${current.nextRevision - 1} to ${revision}: events between are missing`,
        this.#advice.log,
      );
    }
    current.nextRevision = revision + 1;
  }

  /** The events of one append stand together, under one fingerprint; the last one is marked. */
  #followCommand(current: Current, stored: StoredEvent, endsCommand: boolean | undefined): void {
    const { commandId, commandFingerprint, stream } = stored;
    const under = current.command;
    if (under?.isMarked === true && under.id !== commandId) {
      this.#findings.damage(
        `${stream}: command ${under.id} has no last event before ${placeOf(stored)}`,
        this.#advice.log,
      );
    }
    const command =
      under?.id === commandId
        ? under
        : {
            id: commandId,
            fingerprint: commandFingerprint,
            index: 0,
            isMarked: endsCommand !== undefined,
          };
    if (command.fingerprint !== commandFingerprint) {
      this.#findings.damage(
        `${placeOf(stored)}: command ${commandId} has two fingerprints, so a repeat of it is not known again`,
        this.#advice.log,
      );
    }
    if (!current.broken && stored.id !== eventIdOf(commandId, stream, command.index)) {
      this.#findings.warn(
        `${placeOf(stored)} has an id that does not follow from its command`,
        FOREIGN_ID_ADVICE,
      );
    }
    command.index += 1;
    current.command = endsCommand === true ? undefined : command;
  }

  #fold(current: Current, stored: StoredEvent): void {
    const event = this.#decoded(current, stored);
    if (event === undefined) return;
    this.#trialBalance.post(stored, event);
    const { aggregate } = current;
    if (aggregate === undefined || current.broken) return;
    if (!(event.type in aggregate.events)) {
      current.broken = true;
      this.#findings.damage(
        `${placeOf(stored)} is a ${event.type}, which does not belong into such a stream`,
        this.#advice.log,
      );
      return;
    }
    try {
      current.state = aggregate.evolve(current.state as never, event as never);
    } catch (error) {
      current.broken = true;
      this.#findings.damage(
        `${placeOf(stored)} cannot follow: ${reasonOf(error)}`,
        this.#advice.log,
      );
      return;
    }
    if (aggregate === (Transaction as Folding))
      this.#judge(stored, current.state as Transaction.State);
  }

  #decoded(current: Current, stored: StoredEvent): Event | undefined {
    try {
      return decodeEvent(stored, this.#opener);
    } catch (error) {
      current.broken = true;
      const advice = isSealedEvent(stored) ? this.#advice.keys : this.#advice.unknown;
      this.#findings.damage(`position ${stored.position}: ${reasonOf(error)}`, advice);
      return undefined;
    }
  }

  #judge(stored: StoredEvent, payment: Transaction.State): void {
    if (payment === null) return;
    for (const broken of brokenRulesOf(payment, stored.stream)) {
      this.#findings.damage(`${placeOf(stored)}: ${broken}`, INVARIANT_ADVICE);
    }
  }
}

function placeOf({ position, stream, revision }: StoredEvent): string {
  return `the event at position ${position} (${stream}@${revision})`;
}

/** What must hold of a payment after every event. */
function brokenRulesOf(payment: Transaction.Payment, stream: StreamName): readonly string[] {
  const broken: string[] = [];
  const { amountMinor, authorizedMinor, reserveHeldMinor, transactionId } = payment;
  const takenMinor = Transaction.takenMinor(payment);
  if (!stream.endsWith(`-${transactionId}`)) broken.push(`it is of payment ${transactionId}`);
  if (authorizedMinor > amountMinor) broken.push('more is authorized than was asked for');
  if (takenMinor > authorizedMinor) broken.push('more is captured than was authorized');
  if (reserveHeldMinor < 0n) broken.push('more of the reserve was released than was held');
  const beyond = payment.chargebacks
    .filter(Transaction.holdsMoney)
    .reduce((sum, { beyondCapturedMinor }) => sum + beyondCapturedMinor, 0n);
  const out =
    Transaction.refundedMinor(payment) +
    Transaction.pendingRefundMinor(payment) +
    Transaction.disputedMinor(payment) -
    beyond;
  if (out > takenMinor) broken.push('refunds and chargebacks exceed what was captured');
  return broken;
}
