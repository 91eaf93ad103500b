/** The ledger inside another program, without a host: a payment, a refund, and one refund too many. */
import { randomUUID } from 'node:crypto';
import {
  CommandId,
  createMemoryEventStore,
  execute,
  MerchantAccount,
  Routing,
  TenantId,
  Transaction,
  TransactionId,
} from '@counterfoil/core';

const store = createMemoryEventStore();
const at = new Date().toISOString();
const named = { tenantId: TenantId.parse(1), transactionId: TransactionId.parse(randomUUID()), at };
const once = () => ({
  commandId: CommandId.parse(randomUUID()),
  metadata: { actor: 'shop' },
  recordedAt: at,
});

const settings = MerchantAccount.withDefaults({
  mid: '700000000001',
  title: 'Main account',
  companyId: 1,
  gatewayId: 1,
  descriptor: 'MY SHOP',
  defaultCurrency: 'GBP',
  currencies: [
    {
      currency: 'GBP',
      gatewayCredentials: { apiKey: '', username: '', password: '', emailAddress: '' },
    },
  ],
});
const route = Routing.routeTo(
  { merchantAccountId: 1, settings, rowVersion: 1 },
  { gateway: 'my gateway', reserveHoldDays: 180, skipped: [] },
);

// The order is on record before anybody is asked for money …
const order = Transaction.orderOf({
  orderId: 1001,
  customerId: 7,
  companyId: 1,
  email: 'ann@shop.example',
  amountMinor: 10_000n,
  currency: 'GBP',
});
await execute(
  { store },
  Transaction,
  { type: 'SubmitPayment', ...named, ...order, route, blackListing: 0 },
  once(),
);

// … and this is where your gateway takes it. Its answer is the next command.
const captured = {
  result: 'captured',
  authCode: 'A1B2C3',
  gatewayTransactionId: 'ch_1',
  arn: '',
  avsChecked: false,
  note: 'approved',
  at,
} as const;
await execute(
  { store },
  Transaction,
  { type: 'RecordOutcome', ...named, attempt: 1, outcome: captured },
  once(),
);

const refund = (amountMinor: bigint) =>
  execute(
    { store },
    Transaction,
    {
      type: 'RequestRefund',
      ...named,
      refundId: TransactionId.parse(randomUUID()),
      amountMinor,
      items: [],
      source: 'System',
      notifyCustomer: false,
      requestedBy: 'shop',
      policy: { refundWindowDays: 180, forceAllowRefunds: false },
    },
    once(),
  );

// Two refunds of 60 race on a capture of 100: the money-out rule lets one of them through.
const outcomes = (await Promise.all([refund(6_000n), refund(6_000n)])).map((done) =>
  done.outcome === 'rejected' ? done.rejection.type : done.outcome,
);
console.log(outcomes.sort().join(', '));
