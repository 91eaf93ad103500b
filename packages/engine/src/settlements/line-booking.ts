/** Books lines of a settlement file on the payments that they are about. */
import { type Settlement, type TenantId, Transaction, TransactionId } from '@counterfoil/core';
import {
  paymentsByAcquirerId,
  type ReadModelStore,
  type SettlementBooks,
} from '@counterfoil/projections';
import type { Caller, CommandRunner } from '../command-runner.ts';
import { holdsCardNumber } from '../gateways/card-number-in-text.ts';
import { deterministicUuid } from '../ids.ts';
import { Refused } from '../refusal.ts';
import { inParallel } from '../runtime/in-parallel.ts';
import type { ReadLine } from './settlement-file.ts';

/** Commands under way: so many share an append. */
const AT_ONCE = 128;
/** An id may name several payments of an account; more are no use to compare with. */
const MAX_CANDIDATES = 5;

/** A line, and the payments that it may be about. */
export interface MatchedLine {
  readonly line: ReadLine;
  readonly candidates: readonly TransactionId[];
}

export type LineResult =
  /** `repeated`: it had been booked before. */
  | { readonly outcome: 'booked' | 'repeated' }
  /** It is of a payment of another account, which shares the gateway's. */
  | { readonly outcome: 'elsewhere' }
  | { readonly outcome: 'differs'; readonly difference: Settlement.Difference };

export interface BookingServices {
  readonly commands: CommandRunner;
  readonly readModels: ReadModelStore;
}

interface BookingOptions extends SettlementBooks {
  readonly tenantId: TenantId;
  readonly caller: Caller;
}

type Compared =
  | { readonly outcome: 'booked' | 'repeated' }
  | ({ readonly outcome: 'differs' } & Differing);

interface Differing {
  readonly by: Transaction.SettlementDifference;
  readonly transactionId: TransactionId | null;
  readonly childId: TransactionId | null;
}

export class LineBooking {
  readonly #services: BookingServices;
  readonly #options: BookingOptions;

  constructor(services: BookingServices, options: BookingOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Finds the payments that lines name; nothing is booked. */
  async match(lines: readonly ReadLine[]): Promise<readonly MatchedLine[]> {
    const byId = await this.#payments('gatewayTransactionId', lines);
    const byArn = await this.#payments('arn', lines);
    return lines.map((line) => {
      const named = [
        ...(byId.get(line.gatewayTransactionId) ?? []),
        ...(byArn.get(line.arn) ?? []),
      ];
      const candidates = [...new Set(named)].slice(0, MAX_CANDIDATES) as TransactionId[];
      return { line, candidates };
    });
  }

  /** The results in the order of the lines. */
  async book(lines: readonly MatchedLine[]): Promise<readonly LineResult[]> {
    const results: LineResult[] = [];
    await inParallel({
      items: [...lines.entries()],
      atOnce: AT_ONCE,
      act: async ([index, { line, candidates }]) => {
        results[index] = await this.#bookOne(line, candidates);
      },
    });
    return results;
  }

  #payments(field: 'gatewayTransactionId' | 'arn', lines: readonly ReadLine[]) {
    const values = lines.map((line) => line[field]).filter((value) => value !== '');
    return paymentsByAcquirerId(this.#services.readModels, this.#options, { field, values });
  }

  /** The first payment that agrees; else the difference from the first that has such a movement. */
  async #bookOne(line: ReadLine, candidates: readonly TransactionId[]): Promise<LineResult> {
    let first: Settlement.Difference | undefined;
    for (const transactionId of candidates) {
      const compared = await this.#settle(line, transactionId);
      if (compared.outcome !== 'differs') return compared;
      if (first === undefined || first.type === 'missing-here') {
        first = differenceOf(line, compared);
      }
    }
    if (first === undefined && (await this.#isElsewhere(line))) return { outcome: 'elsewhere' };
    const difference = first ?? differenceOf(line, UNKNOWN_PAYMENT);
    return { outcome: 'differs', difference };
  }

  async #isElsewhere({ paymentId }: ReadLine): Promise<boolean> {
    const transactionId = TransactionId.safeParse(paymentId).data;
    if (transactionId === undefined) return false;
    const { tenantId, merchantAccountId } = this.#options;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await this.#services.commands.stateOf(Transaction, stream);
    const route = payment === null ? undefined : Transaction.routeOf(payment);
    return route !== undefined && route.merchantAccountId !== merchantAccountId;
  }

  /** The command is named by the whole line: the same reference with other content is another one. */
  async #settle(read: ReadLine, transactionId: TransactionId): Promise<Compared> {
    const { commands } = this.#services;
    const { tenantId, caller } = this.#options;
    const { line: _, paymentId: __, settledDate, ...line } = read;
    const { amountMinor, feeMinor, ...texts } = line;
    const content = [...Object.values(texts), String(amountMinor), String(feeMinor), settledDate];
    const commandId = deterministicUuid(['settlement-line', transactionId, ...content]);
    const addressed = { tenantId, transactionId, at: commands.clock.now() };
    try {
      const { events, repeated } = await commands.execute(
        Transaction,
        { type: 'SettleLine', ...addressed, line },
        { commandId },
        caller,
      );
      return { outcome: events.length > 0 && !repeated ? 'booked' : 'repeated' };
    } catch (error) {
      if (error instanceof Refused && error.refusal.type === 'SettlementDiffers') {
        const { difference: by, id: childId } = error.refusal;
        return { outcome: 'differs', by, transactionId, childId };
      }
      throw error;
    }
  }
}

const UNKNOWN_PAYMENT: Differing = { by: { type: 'missing' }, transactionId: null, childId: null };

function differenceOf(
  read: ReadLine,
  { by, transactionId, childId }: Differing,
): Settlement.Difference {
  const { line, reference, kind } = read;
  const { amountMinor, currency, feeMinor, settledDate } = read;
  return {
    type: by.type === 'missing' ? 'missing-here' : by.type,
    line,
    reference,
    kind,
    gatewayTransactionId: withoutCardNumber(read.gatewayTransactionId),
    arn: withoutCardNumber(read.arn),
    transactionId,
    childId,
    amountMinor,
    currency,
    feeMinor,
    expected: expectedOf(by),
    since: settledDate,
    detail: '',
  };
}

/** What names no payment may be anything: it is compared, but not kept where it may be a card number. */
function withoutCardNumber(id: string): string {
  return holdsCardNumber(id) ? '' : id;
}

function expectedOf(by: Transaction.SettlementDifference): string {
  switch (by.type) {
    case 'missing':
      return '';
    case 'settled':
      return by.reference;
    case 'currency':
      return by.expected;
    default:
      return by.expectedMinor.toString();
  }
}
