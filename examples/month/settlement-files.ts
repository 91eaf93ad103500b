/** The settlement files of the month, made from its payments, with ten differences planted in them. */
import { Transaction, toDecimal } from '@counterfoil/core';
import { ACCOUNTS } from './accounts.ts';

type Payment = Transaction.Payment;

export const SETTLED_ON = '2010-12-30';
const HEADER = 'reference,kind,gatewayTransactionId,amount,currency,fee,settledDate';
const CENT = 1n;

interface Line extends Transaction.SettlementLine {
  readonly accountId: number;
}

/** What was planted: the type of the difference, and the line or the payment that it is about. */
export interface Planted {
  readonly type: string;
  readonly about: string;
}

export interface SettlementFiles {
  /** CSV by merchant account. */
  readonly files: ReadonlyMap<number, string>;
  readonly planted: readonly Planted[];
}

export function settlementFiles(payments: readonly Payment[]): SettlementFiles {
  const lines = payments.flatMap(linesOf);
  const { changed, planted } = withDifferences(lines);
  const files = ACCOUNTS.map(({ id }) => {
    const own = changed.filter(({ accountId }) => accountId === id).map(textOf);
    return [id, `${[HEADER, ...own].join('\n')}\n`] as const;
  });
  return { files: new Map(files), planted };
}

/** Every movement of a payment, and the fees that no other line holds. */
function linesOf(payment: Payment): Line[] {
  const accountId = Transaction.routeOf(payment)?.merchantAccountId ?? 0;
  const { gatewayTransactionId, transactionId } = payment;
  const common = { accountId, gatewayTransactionId, arn: '' };
  const movements = Transaction.unsettledMovements(payment).map((movement, index) => ({
    ...common,
    kind: movement.kind,
    reference: `${transactionId}-${index}`,
    amountMinor: movement.amountMinor,
    currency: movement.currency,
    feeMinor: movement.feeMinor,
  }));
  const fees = payment.otherFees.map(({ currency, amountMinor }) => ({
    ...common,
    kind: 'fee' as const,
    reference: `${transactionId}-fees-${currency}`,
    amountMinor,
    currency,
    feeMinor: 0n,
  }));
  return [...movements, ...fees];
}

function textOf({ reference, kind, gatewayTransactionId, currency, ...line }: Line): string {
  const [amount, fee] = [line.amountMinor, line.feeMinor].map((minor) =>
    toDecimal(minor, currency),
  );
  return [reference, kind, gatewayTransactionId, amount, currency, fee, SETTLED_ON].join(',');
}

/** One of each: the lines are chosen far apart, so that no payment has two of them. */
function withDifferences(lines: readonly Line[]) {
  const captures = lines.filter(({ kind }) => kind === 'capture');
  const refunds = lines.filter(({ kind }) => kind === 'refund');
  const chargebacks = lines.filter(({ kind }) => kind === 'chargeback');
  const at = (of: readonly Line[], part: number): Line => {
    const line = of[Math.floor(of.length * part)];
    if (line === undefined) throw new Error('the month has too few payments');
    return line;
  };
  const changes = new Map<Line, readonly Line[]>();
  const planted: Planted[] = [];
  const plant = (type: string, line: Line, instead: readonly Line[], about = line.reference) => {
    if (changes.has(line)) throw new Error(`${line.reference} has a difference already`);
    changes.set(line, instead);
    planted.push({ type, about });
  };
  const change = (type: string, line: Line, facts: Partial<Line>) =>
    plant(type, line, [{ ...line, ...facts }]);
  const [dear, cheap] = [at(captures, 0.1), at(refunds, 0.2)];
  change('amount', dear, { amountMinor: dear.amountMinor + CENT });
  change('amount', cheap, { amountMinor: cheap.amountMinor + CENT });
  const [charged, disputed] = [at(captures, 0.3), at(chargebacks, 0.5)];
  change('fee', charged, { feeMinor: charged.feeMinor + CENT });
  change('fee', disputed, { feeMinor: disputed.feeMinor + CENT });
  change('currency', at(captures, 0.4), { currency: 'EUR' });
  const stranger = at(captures, 0.5);
  const unknown = { ...stranger, reference: 'unknown-1', gatewayTransactionId: 'sbx_unknown' };
  plant('missing-here', stranger, [stranger, unknown], unknown.reference);
  const kept = at(captures, 0.6);
  const invented: Line = { ...kept, kind: 'reversal', reference: 'unknown-2', feeMinor: 0n };
  plant('missing-here', kept, [kept, invented], invented.reference);
  const [late, owed] = [at(captures, 0.7), at(refunds, 0.8)];
  plant('missing-there', late, [], late.gatewayTransactionId);
  plant('missing-there', owed, [], owed.gatewayTransactionId);
  const twice = at(captures, 0.9);
  const again = { ...twice, reference: `${twice.reference}-again` };
  plant('settled', twice, [twice, again], again.reference);
  return { changed: lines.flatMap((line) => changes.get(line) ?? [line]), planted };
}
