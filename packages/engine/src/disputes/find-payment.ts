/** Finds the payment that a reported dispute is about. */
import type { Dispute, TenantId, TransactionId } from '@counterfoil/core';
import { Transaction } from '@counterfoil/core';
import type { SearchFilter } from '@counterfoil/projections';
import type { CommandRunner } from '../command-runner.ts';
import type { Transactions } from '../transactions/index.ts';

/** Payments that one reference is looked for in; more of them would not be told apart. */
const MAX_CANDIDATES = 100;

export interface FoundPayment {
  readonly transactionId: TransactionId;
  readonly matchedBy: Dispute.MatchedBy;
}

export interface FindPaymentServices {
  readonly commands: CommandRunner;
  readonly transactions: Transactions;
}

type Reported = Pick<Dispute.Dispute, 'places' | 'kind' | 'sandbox' | 'currency' | 'amountMinor'>;

/**
 * By the most exact reference that leads to a payment which can be disputed. Of several payments, the
 * one of the disputed amount, if there is only one.
 */
export async function findPayment(
  { commands, transactions }: FindPaymentServices,
  tenantId: TenantId,
  dispute: Reported,
): Promise<FoundPayment | undefined> {
  const { transactionId, gatewayTransactionId, arn, orderId } = dispute.places;
  const paymentsOf = async (filter: SearchFilter): Promise<readonly Transaction.Payment[]> => {
    const query = { tenantId, filter: { ...filter, sandbox: dispute.sandbox } };
    const found = await transactions.payments({ ...query, limit: MAX_CANDIDATES });
    const ids = found.transactions.map((record) => record.transactionId as TransactionId);
    const states = await Promise.all(
      ids.map((id) =>
        commands.stateOf(Transaction, Transaction.streamOf({ tenantId, transactionId: id })),
      ),
    );
    return states.filter((state) => state !== null);
  };
  const named = async (): Promise<readonly Transaction.Payment[]> => {
    const found = await transactions.paymentOf(tenantId, transactionId ?? '');
    return found === undefined ? [] : [found.payment];
  };
  const ways: [Dispute.MatchedBy, boolean, () => Promise<readonly Transaction.Payment[]>][] = [
    ['transactionId', transactionId !== null, named],
    [
      'gatewayTransactionId',
      gatewayTransactionId !== '',
      () => paymentsOf({ gatewayTransactionIds: [gatewayTransactionId] }),
    ],
    ['arn', arn !== '', () => paymentsOf({ arns: [arn] })],
    ['orderId', orderId !== null, () => paymentsOf({ orderIds: [orderId ?? 0] })],
  ];
  for (const [matchedBy, isKnown, find] of ways) {
    if (!isKnown) continue;
    const payment = onlyOne(await find(), dispute);
    if (payment !== undefined) return { transactionId: payment.transactionId, matchedBy };
  }
  return undefined;
}

function onlyOne(
  payments: readonly Transaction.Payment[],
  dispute: Reported,
): Transaction.Payment | undefined {
  const possible = payments.filter((payment) => mayBeDisputed(payment, dispute));
  if (possible.length <= 1) return possible[0];
  const ofAmount = possible.filter(
    (payment) => Transaction.takenMinor(payment) === dispute.amountMinor,
  );
  return ofAmount.length === 1 ? ofAmount[0] : undefined;
}

/** Whether the books take such a dispute of this payment. */
export function mayBeDisputed(
  payment: Transaction.Payment,
  { kind, sandbox, currency }: Pick<Dispute.Dispute, 'kind' | 'sandbox' | 'currency'>,
): boolean {
  const { status } = payment;
  const isTaken =
    kind === 'chargeback'
      ? status === 'Captured' || status === 'Settled'
      : Transaction.takenMinor(payment) > 0n;
  return isTaken && payment.sandbox === sandbox && payment.currency === currency;
}
