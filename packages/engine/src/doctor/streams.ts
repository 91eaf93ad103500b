/** Checks every stream from its first event: revisions, commands, ids, states, and journal entries. */
import {
  BlackList,
  BlackListKinds,
  CheckoutSession,
  Customer,
  CustomerIdClaim,
  categoryOf,
  Dispute,
  DisputeEvidence,
  DisputeProvider,
  decodeEvent,
  Email,
  EmailClaim,
  type Event,
  eventIdOf,
  isSealedEvent,
  journal,
  Lead,
  MailProfile,
  MerchantAccount,
  MonthlyCap,
  openerOf,
  type PersonalDataVault,
  Reference,
  SavedSearches,
  SenderDomains,
  Sequence,
  Settlement,
  type StoredEvent,
  Subscription,
  Tenant,
  Transaction,
  Users,
  WebhookEndpoints,
} from '@counterfoil/core';
import { reference } from '@counterfoil/projections';
import type { Examining } from './examined.ts';
import { type Findings, reasonOf } from './finding.ts';
import { checkErasure } from './keys.ts';
import type { WalkedEvent } from './log-walks.ts';

interface Folding {
  readonly initial: unknown;
  evolve(state: never, event: never): unknown;
  readonly events: object;
}

/** The aggregate of each category. The other categories that `reference` reads are of `Reference`. */
export const AGGREGATES: Readonly<Record<string, Folding>> = {
  black_list: BlackList,
  black_list_kinds: BlackListKinds,
  checkout_session: CheckoutSession,
  customer: EmailClaim,
  customer_account: Customer,
  customer_id: CustomerIdClaim,
  dispute: Dispute,
  dispute_evidence: DisputeEvidence,
  dispute_provider: DisputeProvider,
  email: Email,
  lead: Lead,
  mail_profile: MailProfile,
  merchant_account: MerchantAccount,
  monthly_cap: MonthlyCap,
  saved_searches: SavedSearches,
  sender_domains: SenderDomains,
  sequence: Sequence,
  settlement: Settlement,
  subscription: Subscription,
  tenant: Tenant,
  transaction: Transaction,
  users: Users,
  webhook_endpoints: WebhookEndpoints,
};

const FOREIGN_ID_ADVICE =
  'Nothing, if a program of your own appended these events. The host derives ids from commands, and so recognises what it has done.';
const INVARIANT_ADVICE =
  'Do not correct it in the log. Compare the payment with the gateway, and report it with its events: a rule of the domain was broken.';
const JOURNAL_ADVICE =
  'Do not start the host on it. Report it with the events of the stream: an entry is balanced when it is made, so either the log or the build is at fault.';

/** The stream that is being read. */
interface Current {
  readonly first: StoredEvent;
  readonly aggregate: Folding | undefined;
  state: unknown;
  nextRevision: number;
  /** The append whose events are being read. */
  command: { readonly id: string; readonly fingerprint: string; index: number } | undefined;
  /** Whether the log marks the last event of an append. */
  marksEnds: boolean;
  /** A stream with a damaged event is not folded any further. */
  isBroken: boolean;
}

export interface StreamChecking
  extends Pick<Examining, 'keys' | 'isLocked' | 'hostRuns' | 'advice'> {
  readonly findings: Findings;
  readonly journalFindings: Findings;
}

/** Takes the events of the log by stream and revision. Its memory holds one stream at a time. */
export class StreamChecker {
  readonly #checking: StreamChecking;
  /** Opens the personal data of the present page. */
  #opener: PersonalDataVault | undefined;
  #current: Current | undefined;
  /** Streams that have ended and are yet to be checked against what is kept elsewhere. */
  #ended: Current[] = [];
  streams = 0;
  /** Journal entries. */
  entries = 0;
  /** Events that stay sealed, since the master key is absent. */
  unopened = 0;

  constructor(checking: StreamChecking) {
    this.#checking = checking;
  }

  async take(page: readonly WalkedEvent[]): Promise<void> {
    const intact = page.filter((event) => event.intact).map(({ stored }) => stored);
    this.#opener = await openerOf(this.#checking.keys, intact);
    for (const event of page) this.#follow(event);
    await this.#checkEnded();
  }

  /** To be called after the last event. */
  async end(): Promise<void> {
    this.#endStream();
    await this.#checkEnded();
  }

  #damage(message: string, advice = this.#checking.advice.log): void {
    this.#checking.findings.damage(message, advice);
  }

  #follow({ stored, intact, endsCommand }: WalkedEvent): void {
    const current = this.#streamOf(stored);
    const { stream, revision } = stored;
    if (revision !== current.nextRevision) {
      current.isBroken = true;
      const before = current.nextRevision - 1;
      this.#damage(
        `${stream} goes from revision ${before} to ${revision}: events between are missing`,
      );
    }
    current.nextRevision = revision + 1;
    if (!intact) {
      current.isBroken = true;
      current.command = undefined;
      this.#damage(`${placeOf(stored)} does not match its checksum`);
      return;
    }
    this.#followCommand(current, stored, endsCommand);
    const event = this.#decoded(current, stored);
    if (event === undefined) return;
    this.#checkEntry(stored, event);
    this.#fold(current, stored, event);
  }

  #streamOf(stored: StoredEvent): Current {
    const { stream, tenantId } = stored;
    if (this.#current?.first.stream === stream) return this.#current;
    this.#endStream();
    this.streams += 1;
    const category = categoryOf(stream);
    const isReference = reference.categories?.has(category);
    const aggregate = AGGREGATES[category] ?? (isReference ? Reference : undefined);
    if (aggregate === undefined) {
      const { findings, advice } = this.#checking;
      findings.warn(`${stream} is of a kind that this build does not know`, advice.unknown);
    } else if (!stream.startsWith(`${category}-${tenantId}-`)) {
      this.#damage(
        `${stream} holds an event of tenant ${tenantId}: the name of a stream must have its tenant`,
      );
    }
    const state = aggregate?.initial;
    this.#current = {
      first: stored,
      aggregate,
      state,
      nextRevision: 0,
      command: undefined,
      marksEnds: false,
      isBroken: false,
    };
    return this.#current;
  }

  #endStream(): void {
    const ended = this.#current;
    if (ended === undefined) return;
    if (!ended.isBroken) this.#ended.push(ended);
    const { command, marksEnds, first } = ended;
    if (command !== undefined && marksEnds) {
      this.#damage(
        `${first.stream} ends within an append: command ${command.id} has no last event`,
      );
    }
  }

  /** Compares the states of ended streams with what is kept beside the log. */
  async #checkEnded(): Promise<void> {
    const { findings, ...checking } = this.#checking;
    for (const { aggregate, state, first } of this.#ended.splice(0)) {
      if (aggregate !== (Customer as Folding) || state === null) continue;
      await checkErasure(findings, state as Customer.Customer, { ...first, ...checking });
    }
  }

  /** The events of one append follow each other, under one fingerprint; the last one is marked. */
  #followCommand(current: Current, stored: StoredEvent, endsCommand: boolean | undefined): void {
    const { commandId: id, commandFingerprint: fingerprint, stream } = stored;
    current.marksEnds = endsCommand !== undefined;
    const before = current.command;
    if (before !== undefined && before.id !== id && current.marksEnds) {
      this.#damage(`${stream}: command ${before.id} has no last event before ${placeOf(stored)}`);
    }
    const command = before?.id === id ? before : { id, fingerprint, index: 0 };
    if (command.fingerprint !== fingerprint) {
      this.#damage(
        `${placeOf(stored)}: command ${id} has two fingerprints, so a repeat of it is not recognised`,
      );
    }
    if (!current.isBroken && stored.id !== eventIdOf(id, stream, command.index)) {
      this.#checking.findings.warn(
        `${placeOf(stored)} has an id that does not follow from its command`,
        FOREIGN_ID_ADVICE,
      );
    }
    command.index += 1;
    current.command = endsCommand === true ? undefined : command;
  }

  #decoded(current: Current, stored: StoredEvent): Event | undefined {
    try {
      return decodeEvent(stored, this.#opener);
    } catch (error) {
      current.isBroken = true;
      const isSealed = isSealedEvent(stored);
      if (isSealed && this.#checking.isLocked) {
        this.unopened += 1;
        return undefined;
      }
      const { keys, unknown } = this.#checking.advice;
      const advice = isSealed ? keys : unknown;
      this.#damage(`position ${stored.position}: ${reasonOf(error)}`, advice);
      return undefined;
    }
  }

  /** Entries that balance add up to books that do. */
  #checkEntry(stored: StoredEvent, event: Event): void {
    const { journalFindings } = this.#checking;
    try {
      const entry = journal(event);
      if (entry === undefined) return;
      this.entries += 1;
      const sums = new Map<string, bigint>();
      for (const { currency, debitMinor, creditMinor } of entry.lines) {
        sums.set(currency, (sums.get(currency) ?? 0n) + debitMinor - creditMinor);
      }
      for (const [currency, sum] of sums) {
        if (sum === 0n) continue;
        const message = `the entry of ${placeOf(stored)} is off by ${sum} minor units of ${currency}`;
        journalFindings.damage(message, JOURNAL_ADVICE);
      }
    } catch (error) {
      const message = `the entry of ${placeOf(stored)} cannot be made: ${reasonOf(error)}`;
      journalFindings.damage(message, JOURNAL_ADVICE);
    }
  }

  #fold(current: Current, stored: StoredEvent, event: Event): void {
    const { aggregate } = current;
    if (aggregate === undefined || current.isBroken) return;
    if (!(event.type in aggregate.events)) {
      current.isBroken = true;
      this.#damage(
        `${placeOf(stored)} is a ${event.type}, which does not belong into such a stream`,
      );
      return;
    }
    try {
      current.state = aggregate.evolve(current.state as never, event as never);
    } catch (error) {
      current.isBroken = true;
      this.#damage(`${placeOf(stored)} cannot follow: ${reasonOf(error)}`);
      return;
    }
    if (aggregate !== (Transaction as Folding) || current.state === null) return;
    for (const broken of brokenRulesOf(current.state as Transaction.Payment, stored)) {
      this.#damage(`${placeOf(stored)}: ${broken}`, INVARIANT_ADVICE);
    }
  }
}

function placeOf({ position, stream, revision }: StoredEvent): string {
  return `the event at position ${position} (${stream}@${revision})`;
}

/** What must hold of a payment after every event. */
function brokenRulesOf(payment: Transaction.Payment, { stream }: StoredEvent): readonly string[] {
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
