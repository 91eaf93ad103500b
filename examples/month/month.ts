/** A month of real sales over three merchant accounts, its disputes, its settlement, and its statements. */
import { nearestNumber, Transaction, type TransactionId } from '@counterfoil/core';
import { importSales, type PlannedSales } from '@counterfoil/demo';
import { deterministicUuid } from '@counterfoil/engine';
import type { Host } from '@counterfoil/http-host';
import type { Statement } from '@counterfoil/projections';
import { ACCOUNTS, CALLER, openShop, SHOP, TENANT } from './accounts.ts';
import { type Planted, settlementFiles } from './settlement-files.ts';

/** After the last sale. */
export const END = '2010-12-31T20:00:00.000Z';
export const MONTH = '2010-12';
const CHARGEBACKS = 12;
const ALERTS = 10;

export interface MonthOptions {
  readonly planned: PlannedSales;
  /** Draws the payments with a chargeback or an alert. */
  readonly seed: number;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

export interface MonthReport {
  /** Captures by account, in the order of the accounts. */
  readonly captures: readonly number[];
  readonly booked: number;
  readonly planted: readonly Planted[];
  readonly found: readonly Planted[];
  readonly statements: readonly Statement[];
  /** Accounts of the books whose balance the statements do not add up to. */
  readonly faults: readonly string[];
}

export async function runMonth(host: Host, options: MonthOptions): Promise<MonthReport> {
  const { planned, seed, onProgress } = options;
  await openShop(host);
  const imported = { tenantId: TENANT, shopId: SHOP };
  await importSales(host, planned.plan, {
    ...imported,
    onProgress: (done, total) => onProgress('Importing', done, total),
  });
  const orders = planned.plan.steps.filter((step) => step.kind === 'order');
  const ids = orders.map(({ key }) => deterministicUuid([String(TENANT), key]) as TransactionId);
  await dispute(host, await paymentsOf(host, ids), seed);
  const payments = await paymentsOf(host, ids);
  const { files, planted } = settlementFiles(payments);
  const shop = host.engine.as({ tenantId: TENANT, ...CALLER });
  let booked = 0;
  for (const { id, title } of ACCOUNTS) {
    const file = Buffer.from(files.get(id) ?? '');
    const done = await shop.settlements.import(
      { merchantAccountId: id, name: `${title}-${MONTH}.csv` },
      contentOf(file),
      ({ bytes }) => onProgress(`Settling ${title}`, bytes, file.length),
    );
    booked += done.booked;
  }
  const { items } = await shop.settlements.unmatched({ limit: 100 });
  const found = items.map(({ type, reference, gatewayTransactionId }) => ({
    type,
    about: type === 'missing-there' ? (rootIdOf(payments, gatewayTransactionId) ?? '') : reference,
  }));
  const statements = await Promise.all(
    ACCOUNTS.map(({ id }) => shop.books.statement({ merchantAccountId: id, month: MONTH })),
  );
  const captures = ACCOUNTS.map(
    ({ id }) =>
      payments.filter((each) => Transaction.routeOf(each)?.merchantAccountId === id).length,
  );
  const faults = await faultsOf(host, statements);
  return { captures, booked, planted, found, statements, faults };
}

async function* contentOf(file: Buffer): AsyncGenerator<Uint8Array> {
  yield file;
}

async function paymentsOf(host: Host, ids: readonly TransactionId[]) {
  const found: Transaction.Payment[] = [];
  for (const transactionId of ids) {
    const stream = Transaction.streamOf({ tenantId: TENANT, transactionId });
    const payment = await host.commands.stateOf(Transaction, stream);
    if (payment !== null) found.push(payment);
  }
  return found;
}

/** A refund is named by its payment in the files, and by its own id in what is missing there. */
function rootIdOf(payments: readonly Transaction.Payment[], id: string): string | undefined {
  return payments.find(
    (each) =>
      each.gatewayTransactionId === id ||
      each.refunds.some(({ gatewayTransactionId }) => gatewayTransactionId === id),
  )?.gatewayTransactionId;
}

/** Chargebacks and alerts on payments without a refund; every third chargeback is withdrawn. */
async function dispute(
  { commands }: Host,
  payments: readonly Transaction.Payment[],
  seed: number,
): Promise<void> {
  const untouched = payments.filter(({ refunds }) => refunds.length === 0);
  const random = randomOf(seed);
  const drawn = Array.from({ length: CHARGEBACKS + ALERTS }, () => {
    const [payment] = untouched.splice(Math.floor(random() * untouched.length), 1);
    if (payment === undefined) throw new Error('the month has too few payments');
    return payment;
  });
  for (const [index, { transactionId, amountMinor }] of drawn.entries()) {
    const id = deterministicUuid([transactionId, 'dispute']) as TransactionId;
    const addressed = { tenantId: TENANT, transactionId, at: commands.clock.now() };
    const facts = { reference: `case-${index}`, amountMinor, arn: '', note: '' };
    const execute = (command: Transaction.Command) =>
      commands.execute(
        Transaction,
        command,
        { commandId: deterministicUuid([id, command.type]) },
        CALLER,
      );
    if (index >= CHARGEBACKS) {
      const alert = { alertId: id, source: 'CDRN', alertType: 'CustomerDispute' } as const;
      await execute({ type: 'ReceiveAlert', ...addressed, ...facts, ...alert });
      continue;
    }
    const opened = { chargebackId: id, reasonCode: '10.4' };
    await execute({ type: 'OpenChargeback', ...addressed, ...facts, ...opened });
    if (index % 3 > 0) continue;
    const to = 'ChargebackWithdrawn';
    await execute({ type: 'MoveChargeback', ...addressed, chargebackId: id, to, note: '' });
  }
}

/** Mulberry32: the same seed draws the same payments everywhere. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The three statements together, account by account of the trial balance. */
async function faultsOf(host: Host, statements: readonly Statement[]): Promise<string[]> {
  const { currencies } = await host.books.trialBalance({ tenantId: TENANT });
  const accounts = currencies.find(({ currency }) => currency === 'GBP')?.accounts ?? [];
  const pence = (amount: Parameters<typeof nearestNumber>[0]) =>
    Math.round(nearestNumber(amount) * 100);
  const pounds = statements.flatMap((each) => each.currencies);
  const sum = (amountOf: (of: (typeof pounds)[number]) => number) =>
    pounds.reduce((total, each) => total + amountOf(each), 0);
  const feeOf = (name: string) => (of: (typeof pounds)[number]) =>
    pence(of.fees.find(({ account }) => account === name)?.amount ?? 0);
  const expected: Readonly<Record<string, number>> = {
    'acquirer-receivable': sum((of) => pence(of.closingBalance)),
    bank: sum((of) => pence(of.settled)),
    chargebacks: sum((of) => pence(of.chargebacks) - pence(of.chargebackReversals)),
    refunds: sum((of) => pence(of.refunds)),
    reserve: sum((of) => pence(of.reserveHeld) - pence(of.reserveReleased)),
    sales: -sum((of) => pence(of.gross) - pence(of.voided)),
  };
  return accounts
    .filter(({ account, balance }) => {
      const shown = expected[account] ?? sum(feeOf(account));
      return shown !== pence(balance);
    })
    .map(({ account }) => account);
}
