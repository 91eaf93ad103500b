/** The mail about a refund: what it says when the refund was made by itself. */
import {
  createMemoryEventStore,
  MerchantAccount,
  Routing,
  type TenantId,
  Transaction,
  type TransactionId,
} from '@counterfoil/core';
import { expect, it } from 'vitest';
import { CommandRunner, SYSTEM } from '../command-runner.ts';
import { References } from '../tenants/references.ts';
import { Letters } from './letters.ts';

const TENANT = 1 as TenantId;
const AT = '2026-03-01T12:00:00.000Z';
const LATER = '2026-03-01T14:00:00.000Z';

const id = (number: number) =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as TransactionId;

const account = {
  merchantAccountId: 31,
  rowVersion: 1,
  settings: MerchantAccount.withDefaults({
    mid: '7031',
    title: 'Main',
    companyId: 5,
    gatewayId: 1,
    descriptor: 'SHOP',
    defaultCurrency: 'GBP',
    currencies: [],
  }),
};

/** The text of the mail about a refund that was requested for a reason. */
async function textOf(reason: 'late-capture' | null): Promise<string> {
  const events = createMemoryEventStore();
  const commands = new CommandRunner({ store: events }, { now: () => AT }, () => {});
  const references = new References(commands, {
    merchantAccountIdsOf: async () => [],
    companyIdsOf: async () => [],
    namesOf: () => Promise.reject(new Error('not asked for')),
  });
  let count = 100;
  const does = async (command: object, at = AT) => {
    count += 1;
    const whole = { ...command, tenantId: TENANT, transactionId: id(1), at } as Transaction.Command;
    return commands.execute(Transaction, whole, { commandId: id(count) }, SYSTEM);
  };
  const order = { orderId: 7, customerId: 601, email: 'ada@example.com', companyId: 5 };
  await does({
    type: 'SubmitPayment',
    ...Transaction.orderOf({ ...order, amountMinor: 1_000n, currency: 'GBP' }),
    route: Routing.routeTo(account, {
      gateway: 'Sandbox',
      reserveHoldDays: 180,
      skipped: [],
      payment: { orderId: 7, brandId: 0, shop: '', product: '' },
    }),
    blackListing: 0,
  });
  const said = { authCode: '', gatewayTransactionId: 'g', arn: '', avsChecked: false, note: '' };
  const outcome = { result: 'captured', ...said, at: AT };
  await does({ type: 'RecordOutcome', attempt: 1, outcome });
  await does({
    type: 'RequestRefund',
    refundId: id(2),
    items: [],
    source: 'System',
    reason,
    notifyCustomer: true,
    requestedBy: 'system',
    policy: { refundWindowDays: 180, forceAllowRefunds: false },
  });
  const done = { gatewayTransactionId: 'r', arn: '', note: '' };
  await does({ type: 'RecordRefund', refundId: id(2), ...done }, LATER);
  const stream = Transaction.streamOf({ tenantId: TENANT, transactionId: id(1) });
  const stored = (await events.read(stream)).at(-1);
  if (stored === undefined) throw new Error('nothing is stored');
  const { id: eventId, revision, time: recordedAt } = stored;
  const signIns = { link: () => Promise.reject(new Error('no user is written to')) };
  const letters = new Letters({
    commands,
    events,
    references,
    signIns,
    authenticationLinks: { urlOf: () => undefined },
  });
  const mail = {
    eventId,
    kind: 'refunded',
    tenantId: TENANT,
    sandbox: false,
    stream,
    revision,
    recordedAt,
  } as const;
  const letter = await letters.letterOf(mail);
  if ('nothing' in letter) throw new Error(letter.nothing);
  return letter.text;
}

it('says that the payment was found too late, and only then', async () => {
  const why = 'We learned only later that this payment had succeeded.';
  expect(await textOf('late-capture')).toContain(why);
  const plain = await textOf(null);
  expect(plain).toContain('has refunded 10.00 GBP');
  expect(plain).not.toContain(why);
});
